// A program that answers turn by turn: a line of JSON for each turn comes in, a line of JSON goes out. Any language will do.
import { createInterface } from "node:readline";

for await (const line of createInterface({ input: process.stdin })) {
  const { input } = JSON.parse(line);
  console.log(JSON.stringify({ content: `You said: ${input}` }));
}
