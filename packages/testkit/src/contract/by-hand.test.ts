import type { AgentRequest } from "@turnwise/core";
import { ToolNotMockedError, runCase } from "@turnwise/core";
import { expect, test } from "vitest";
import { adapterEnvironment, agentRequest, recordAgent } from "../index.js";

test("a request by hand has what core puts into one", async () => {
  const agent = recordAgent([
    { content: "", toolCalls: [{ id: "call-1", name: "find" }] },
    "Done.",
  ]);
  const turns = [{ input: "book" }, { input: "Rome" }];
  await runCase({ id: "case-1", turns }, { agent, newSessionId: () => "session-1" });
  const [first, second] = agent.requests;
  const plain = (request: AgentRequest) => ({ ...request, signal: null, resolveTool: null });
  expect(plain(agentRequest({ input: "book" }))).toEqual(plain(first!));
  const byHand = agentRequest({ turn: 2, input: "Rome", toolResults: second!.toolResults! });
  expect({ ...plain(byHand), messages: [] }).toEqual({ ...plain(second!), messages: [] });
  expect(byHand.messages).toEqual(second!.messages.slice(-2));
  expect(Object.keys(byHand).toSorted()).toEqual(Object.keys(second!).toSorted());
});

test("a request by hand says hello, unless it has something else to say", async () => {
  expect(agentRequest().messages).toEqual([{ role: "user", content: "hello" }]);
  const answer = { requestId: "request-1", approve: true };
  expect(agentRequest({ answer })).not.toHaveProperty("input");
  expect(agentRequest({ answer }).messages).toEqual([]);
  const attachments = [{ type: "image", source: "https://example.com/a.png" }] as const;
  expect(agentRequest({ attachments }).messages).toEqual([
    { role: "user", content: [{ type: "text", text: "hello" }, ...attachments] },
  ]);
  await expect(agentRequest().resolveTool("find")).rejects.toThrow(ToolNotMockedError);
});

test("an environment has what core puts into one, and what it is given", () => {
  expect(adapterEnvironment({ id: "desk", env: { TOKEN: "t" } })).toEqual({
    id: "desk",
    projectRoot: process.cwd(),
    connectors: {},
    env: { TOKEN: "t" },
    fetch: globalThis.fetch,
    mask: expect.any(Function) as unknown,
  });
});
