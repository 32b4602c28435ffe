import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import agents from "@turnwise/agents";
import assertions from "@turnwise/assertions";
import { loadProject, runCase } from "@turnwise/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryProject } from "./support/cli.js";

/* Programs and servers in roles: they answer what the role wants, and know nothing of the form of a reply. */

interface Body {
  readonly options: { readonly metadata: Readonly<Record<string, unknown>> };
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}
const server = createServer((request, response) => {
  let text = "";
  request.on("data", (chunk: Buffer) => (text += chunk.toString()));
  request.on("end", () => {
    const { options, messages } = JSON.parse(text) as Body;
    const { test_mode: role, goal, turn_number: turn } = options.metadata;
    const answer =
      role === "validator"
        ? { passed: messages.at(-1)!.content.includes("three"), reason: "looked at it" }
        : { input: String(goal), goal_achieved: turn === 3 };
    response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
  });
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => server.close());

const program = `
for await (const line of console) {
  const { options: { metadata } } = JSON.parse(line);
  console.log(JSON.stringify(metadata.test_mode === "validator"
    ? { passed: metadata.criteria === "three", reason: "looked at it" }
    : { input: metadata.goal, goal_achieved: metadata.turn_number === 3 }));
}`.replace(
  "console)",
  "(await import('node:readline')).createInterface({ input: process.stdin }))",
);

test.each(["http", "command"])("an agent behind %s plays the user and judges", async (type) => {
  const { port } = server.address() as AddressInfo;
  const options =
    type === "http"
      ? { url: `http://127.0.0.1:${port}/` }
      : { command: [process.execPath, "program.mjs"] };
  const { root } = temporaryProject({
    "program.mjs": program,
    "turnwise.config.json": JSON.stringify({ agents: { helper: { type, ...options } } }),
  });
  const project = await loadProject({ root, plugins: [assertions, agents] });
  const result = await runCase(
    {
      id: "t",
      input: "one",
      simulator: { use: "agents:helper", metadata: { goal: "two" } },
      final_assertions: { type: "agent", use: "agents:helper", criteria: "three" },
    },
    { project, agent: ({ input }) => (input === "two" ? "three" : "What?") },
  );
  expect(result).toMatchObject({
    status: "passed",
    total_turns: 2,
    goal: { achieved: true },
    usage: { simulator: { calls: 2 }, validator: { calls: 1 } },
  });
});
