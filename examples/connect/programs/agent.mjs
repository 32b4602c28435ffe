// The assistant as a program: one line of JSON in, one line of JSON out.
import { createInterface } from "node:readline";
import { assistant } from "./assistant.mjs";

for await (const line of createInterface({ input: process.stdin })) {
  const { messages, turn } = JSON.parse(line);
  // What is for people goes to stderr. It ends up in the transcript.
  console.error(`turn ${turn}`);
  console.log(JSON.stringify(assistant(messages)));
}
