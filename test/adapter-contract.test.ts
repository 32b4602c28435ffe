import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import agents from "@turnwise/agents";
import type { AgentLike } from "@turnwise/core";
import { adapterContract, adapterEnvironment, leftOut, startFakeModel } from "@turnwise/testkit";
import { beforeAll, describe, expect, test } from "vitest";

/*
 * The built-in adapters keep the contract that adapters of others are checked with. Behind each of them is the same
 * agent: it remembers a word, asks for an approval, calls a tool, hangs and fails when it is told to.
 */

/** The agent over the default wire, as source: a program and a server run it. */
const agent = `(request) => {
  const users = request.messages.filter(({ role }) => role === "user").map(({ content }) => content);
  const last = request.messages.at(-1);
  if (request.answer !== undefined) return { content: request.answer.approve ? "Wiped." : "Left alone." };
  if (last.role === "tool") return { content: "The tool said " + last.content };
  if (last.content === "wipe") return { content: "", pending: [{ id: "p1", kind: "approval", prompt: "Really?" }] };
  if (last.content === "look") return { content: "", tool_calls: [{ id: "c" + request.turn, name: "look", args: {} }], finish_reason: "tool_calls" };
  if (last.content === "recall") return { content: users.find((text) => text.startsWith("word ")) ?? "nothing" };
  return { content: "You said " + last.content };
}`;

const program = `const agent = ${agent};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const request = JSON.parse(line);
  const text = request.messages.at(-1).content;
  if (text === "hang") return;
  if (text === "fail") process.exit(3);
  console.log(JSON.stringify(agent(request)));
});`;

let url = "";
let baseURL = "";

beforeAll(async () => {
  // oxlint-disable-next-line no-eval -- the same source as in the program
  const reply = (0, eval)(agent) as (request: unknown) => unknown;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const asked = JSON.parse(Buffer.concat(chunks).toString("utf8")) as {
        messages: { content: string }[];
      };
      const text = asked.messages.at(-1)!.content;
      if (text === "hang") return;
      response.writeHead(text === "fail" ? 500 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(reply(asked)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const model = await startFakeModel({
    script: ({ messages, api }) => {
      const last = messages.at(-1)!;
      const told = messages.find(({ role, text }) => role === "user" && text.startsWith("word "));
      if (last.role === "tool")
        return last.text === "approved" ? "Wiped." : `The tool said ${last.text}`;
      if (last.text === "wipe" && api === "responses")
        return { approval: { name: "wipe", arguments: {} } };
      if (last.text === "look") return { tool_calls: [{ name: "look", arguments: {} }] };
      if (last.text === "recall") return told?.text ?? "nothing";
      if (last.text === "hang") return { content: "", faults: [{ type: "hang", times: "always" }] };
      if (last.text === "fail")
        return { content: "", faults: [{ type: "unauthorized", times: "always" }] };
      return `You said ${last.text}`;
    },
  });
  ({ baseURL } = model);
  return async () => {
    server.closeAllConnections();
    server.close();
    await model.close();
  };
});

async function make(type: string, options: object): Promise<AgentLike> {
  const adapter = agents.adapters!.find((one) => one.type === type)!;
  const connectors = { main: { baseURL, model: "m" } };
  return adapter.create(options, adapterEnvironment({ connectors, defaultConnector: "main" }));
}

const tools = [{ name: "look" }];
const kinds: readonly [string, () => Promise<AgentLike>, { blame?: "infrastructure" }][] = [
  ["http", () => make("http", { url }), {}],
  ["command", () => make("command", { command: [process.execPath, "-e", program] }), {}],
  ["openai, chat", () => make("openai", { tools }), { blame: "infrastructure" }],
  [
    "openai, chat, streamed",
    () => make("openai", { tools, stream: true }),
    { blame: "infrastructure" },
  ],
  [
    "openai, responses",
    () => make("openai", { tools, api: "responses" }),
    { blame: "infrastructure" },
  ],
];

describe.each(kinds)("%s", (name, makeAgent, blame) => {
  const options = {
    agent: makeAgent,
    says: { input: "hello", reply: "You said hello" },
    remembers: { tell: (secret: string) => `word ${secret}`, ask: "recall" },
    calls: { input: "look", tool: "look", result: "a cat", reply: "The tool said a cat" },
    hangs: { input: "hang" },
    forgets: true,
    fails: { input: "fail", ...blame },
    patience: "20s",
    // Chat Completions have no requests of their own towards the user.
    ...(name.startsWith("openai, chat")
      ? {}
      : { asks: { input: "wipe", answer: { approve: true }, reply: "Wiped." } }),
  } as const;
  test("nothing is left out that it has", () => {
    const asks = leftOut(options).filter((text) => !text.includes('needs "asks"'));
    expect(asks).toEqual([]);
  });
  test.each(adapterContract(options))("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
  test("no program is left", () => {
    expect(process.getActiveResourcesInfo()).not.toContain("ProcessWrap");
  });
});
