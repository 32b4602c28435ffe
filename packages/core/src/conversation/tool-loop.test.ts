import { mkdtempSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { AgentLike, AgentReply, AgentRequest, JsonValue, RunCaseOptions } from "../index.js";
import { loadProject, runCase } from "../index.js";

type Replies = readonly (string | AgentReply)[];

/** An agent that replies by a list, and remembers what it was asked. */
function scripted(...replies: Replies): { agent: AgentLike; requests: AgentRequest[] } {
  const requests: AgentRequest[] = [];
  const agent: AgentLike = (request) => {
    requests.push({ ...request, signal: request.signal });
    return replies[Math.min(requests.length, replies.length) - 1]!;
  };
  return { agent, requests };
}

const run = (testCase: Record<string, unknown>, agent: AgentLike, options: RunCaseOptions = {}) =>
  runCase({ id: "c", input: "hi", ...testCase }, { agent, ...options });

const call = (name: string, args: JsonValue = {}, id = `id-${name}`) => ({
  id,
  name,
  arguments: args,
});
const wants = (...toolCalls: ReturnType<typeof call>[]): AgentReply => ({
  content: "",
  toolCalls,
  finishReason: "tool_calls",
});

test("a mocked call is answered, and the agent goes on with the result", async () => {
  const { agent, requests } = scripted(wants(call("find", { city: "Rome" })), "Two hotels.");
  const result = await run({ mocks: { tools: { find: { returns: { hotels: 2 } } } } }, agent);
  expect(requests).toHaveLength(2);
  expect(requests[1]).not.toHaveProperty("input");
  expect(requests[1]!.toolResults).toEqual([
    { id: "id-find", name: "find", result: { hotels: 2 } },
  ]);
  expect(requests[1]!.messages.slice(1)).toEqual([
    { role: "assistant", content: "", toolCalls: [call("find", { city: "Rome" })] },
    { role: "tool", toolCallId: "id-find", toolName: "find", content: '{"hotels":2}' },
  ]);
  expect(result).toMatchObject({ status: "passed", total_turns: 1 });
  expect(result.turns[0]).toMatchObject({
    output: "Two hotels.",
    awaiting_input: false,
    tool_calls: [{ id: "id-find", name: "find", args: { city: "Rome" }, result: { hotels: 2 } }],
  });
});

test("sequences keep their place from turn to turn, and repeat their last value", async () => {
  const { agent, requests } = scripted(
    wants(call("find")),
    "1",
    wants(call("find")),
    "2",
    wants(call("find")),
    "3",
  );
  const result = await run(
    {
      input: undefined,
      turns: [{ input: "a" }, { input: "b" }, { input: "c" }],
      mocks: { tools: { find: { sequence: [1, { error: 2 }] } } },
    },
    agent,
  );
  const results = requests.flatMap(({ toolResults = [] }) => toolResults.map((one) => one.result));
  expect(results).toEqual([1, { error: 2 }, { error: 2 }]);
  expect(result.status).toBe("passed");
});

test("calls of one round are answered together, each with its own result, in the order of the calls", async () => {
  const { agent, requests } = scripted(
    wants(call("slow"), call("broken"), call("mcp__shop__stock")),
    "Done.",
  );
  const result = await run(
    {
      mocks: {
        tools: {
          slow: { returns: "late", delay: 20 },
          broken: { error: "out of order" },
          stock: { returns: 0 },
        },
      },
    },
    agent,
  );
  expect(requests[1]!.toolResults).toEqual([
    { id: "id-slow", name: "slow", result: "late" },
    { id: "id-broken", name: "broken", error: "out of order" },
    { id: "id-mcp__shop__stock", name: "mcp__shop__stock", result: 0 },
  ]);
  expect(requests[1]!.messages.at(-2)).toMatchObject({ content: '{"error":"out of order"}' });
  expect(result.turns[0]!.tool_calls).toMatchObject([
    { result: "late" },
    { error: "out of order" },
    { result: 0 },
  ]);
});

test("an unmocked call is an error of the case with the mock to paste, and the agent is not asked again", async () => {
  const { agent, requests } = scripted(wants(call("find"), call("pay", { sum: 3 })), "Done.");
  const result = await run({ mocks: { tools: { find: { returns: 1 } } } }, agent);
  expect(requests).toHaveLength(1);
  expect(result).toMatchObject({ status: "error", blame: "mock" });
  expect(result.error).toContain(
    'the tool "pay" has no mock in this test case, and was called: pay({"sum":3})',
  );
  expect(result.error).toContain('"mocks": {"tools": {"pay": {"returns": "..."}}}');
  expect(result.turns[0]).toMatchObject({
    status: "failed",
    tool_calls: [{ name: "find" }, { name: "pay" }],
  });
});

test("unmocked: passthrough tells the agent that nobody ran the call", async () => {
  const { agent, requests } = scripted(wants(call("pay")), "I could not pay.");
  const result = await run({ mocks: { unmocked: "passthrough" } }, agent);
  expect(requests[1]!.toolResults).toEqual([{ id: "id-pay", name: "pay", error: "not executed" }]);
  expect(result).toMatchObject({
    status: "passed",
    turns: [{ tool_calls: [{ name: "pay", error: "not executed" }] }],
  });
});

test("without mocks, calls are only recorded; the next turn tells that nobody ran them", async () => {
  const { agent, requests } = scripted(wants(call("pay")), "Fine.");
  const result = await run({ input: undefined, turns: [{ input: "a" }, { input: "b" }] }, agent);
  expect(requests[1]).toMatchObject({
    input: "b",
    toolResults: [{ id: "id-pay", name: "pay", error: "not executed" }],
  });
  expect(requests[1]!.messages.slice(-2)).toEqual([
    { role: "tool", toolCallId: "id-pay", toolName: "pay", content: '{"error":"not executed"}' },
    { role: "user", content: "b" },
  ]);
  expect(result.turns[0]!.tool_calls).toEqual([{ id: "id-pay", name: "pay", args: {} }]);
});

test("a call of a mocked name is answered whatever the finish reason says", async () => {
  const reply = { content: "Looking.", toolCalls: [call("find"), call("log")] };
  const { agent, requests } = scripted(reply, "Done.");
  const result = await run({ mocks: { tools: { find: { returns: 1 } } } }, agent);
  expect(requests[1]!.toolResults).toEqual([
    { id: "id-find", name: "find", result: 1 },
    { id: "id-log", name: "log", error: "not executed" },
  ]);
  expect(result.status).toBe("passed");
});

test("calls with results are the agent's own", async () => {
  const reply = { content: "Done.", toolCalls: [{ ...call("find"), result: 1 }] };
  const { agent, requests } = scripted(reply);
  await run({ mocks: { tools: { find: { returns: 2 } } } }, agent);
  expect(requests).toHaveLength(1);
});

test("arguments that are not JSON reach no mock", async () => {
  const { agent, requests } = scripted(wants({ ...call("find"), arguments: "{city:" }), "Sorry.");
  const result = await run({ mocks: { tools: { find: { returns: 1 } } } }, agent);
  expect(requests[1]!.toolResults![0]).toMatchObject({ error: "the arguments are not valid JSON" });
  expect(result.turns[0]!.tool_calls).toMatchObject([{ args: "{city:", args_invalid: true }]);
});

test.each(["__proto__", "constructor", "toString"])(
  "a tool called %s has the mock that it has",
  async (name) => {
    const mocks = JSON.parse(`{"tools": {${JSON.stringify(name)}: {"returns": "own"}}}`) as object;
    const mocked = scripted(wants(call(name)), "Done.");
    const result = await run({ mocks }, mocked.agent);
    expect(result.turns[0]!.tool_calls).toMatchObject([{ name, result: "own" }]);
    const unmocked = await run(
      { mocks: { tools: {} } },
      scripted(wants(call(name)), "Done.").agent,
    );
    expect(unmocked).toMatchObject({ status: "error", blame: "mock" });
  },
);

test("an agent that never stops calling tools has failed after 50 rounds", async () => {
  const { agent, requests } = scripted(wants(call("find")));
  const result = await run({ mocks: { tools: { find: { returns: 1 } } } }, agent);
  expect(requests).toHaveLength(51);
  expect(result).toMatchObject({ status: "failed", blame: "agent" });
  expect(result.error).toContain("called tools in 50 rounds");
  expect(result.turns[0]!.tool_calls).toHaveLength(51);
});

test("usage is summed over the rounds of a turn, state is the newest", async () => {
  const { agent } = scripted(
    { ...wants(call("find")), usage: { inputTokens: 5, outputTokens: 1 }, state: { step: 1 } },
    { content: "Done.", usage: { inputTokens: 7, outputTokens: 2 } },
  );
  const result = await run({ mocks: { tools: { find: { returns: 1 } } } }, agent);
  expect(result.usage).toEqual({ target: { input_tokens: 12, output_tokens: 3, calls: 2 } });
  expect(result.state).toEqual({ step: 1 });
});

test("the limit of the turn ends a mock that takes longer", async () => {
  const { agent } = scripted(wants(call("slow")), "Done.");
  const result = await run(
    { turn_timeout: 20, mocks: { tools: { slow: { returns: 1, delay: "1h" } } } },
    agent,
  );
  expect(result).toMatchObject({ status: "error", blame: "mock" });
  expect(result.error).toContain('the mock of "slow" was still at work: timeout after 20ms');
});

test("resolveTool: results, errors on purpose, and what is reported as well is one call", async () => {
  const seen: unknown[] = [];
  const agent: AgentLike = async ({ resolveTool }) => {
    seen.push(await resolveTool("find", { city: "Rome" }));
    seen.push(await resolveTool("pay").catch((error: Error) => error.message));
    return {
      content: "Done.",
      toolCalls: [{ name: "log", arguments: {} }, call("find", { city: "Rome" }, "own")],
    };
  };
  const result = await run(
    { mocks: { tools: { find: { returns: [1] }, pay: { error: "no money" } } } },
    agent,
  );
  expect(seen).toEqual([[1], "no money"]);
  expect(result.status).toBe("passed");
  expect(result.turns[0]!.tool_calls).toEqual([
    { id: "resolved-1-2", name: "pay", args: {}, error: "no money" },
    { id: "call-1-1", name: "log", args: {} },
    { id: "own", name: "find", args: { city: "Rome" }, result: [1] },
  ]);
});

test("resolveTool without a mock: the case is in error though the agent swallows it", async () => {
  const swallows: AgentLike = async ({ resolveTool }) => {
    await resolveTool("pay", { sum: 3 }).catch(() => undefined);
    return "Paid.";
  };
  const forgets: AgentLike = ({ resolveTool }) => {
    void resolveTool("pay", { sum: 3 });
    return "Paid.";
  };
  const fails: AgentLike = async ({ resolveTool }) => {
    await resolveTool("pay", { sum: 3 }).catch(() => undefined);
    throw new TypeError("no receipt");
  };
  for (const agent of [swallows, forgets, fails]) {
    const result = await run({ mocks: { tools: {} } }, agent);
    expect(result).toMatchObject({ status: "error", blame: "mock" });
    expect(result.error).toContain('the tool "pay" has no mock');
    expect(result.turns[0]!.tool_calls).toMatchObject([{ name: "pay", args: { sum: 3 } }]);
  }
});

test("resolveTool lets the agent run its own tool where unmocked calls pass, and without mocks", async () => {
  const agent: AgentLike = async ({ resolveTool }) => {
    const paid = await resolveTool("pay").catch((error: Error & { code?: string }) => error.code);
    return { content: String(paid), toolCalls: [{ name: "pay", arguments: {}, result: "real" }] };
  };
  for (const mocks of [undefined, { unmocked: "passthrough" }]) {
    const result = await run(mocks === undefined ? {} : { mocks }, agent);
    expect(result).toMatchObject({
      status: "passed",
      turns: [{ output: "tool_not_mocked", tool_calls: [{ name: "pay", result: "real" }] }],
    });
  }
});

test("resolveTool after the reply changes nothing any more", async () => {
  let late: Promise<unknown> | undefined;
  const agent: AgentLike = ({ resolveTool }) => {
    setImmediate(() => {
      late = resolveTool("find");
    });
    return "Done.";
  };
  const result = await run({ mocks: { tools: { find: { returns: 1 } } } }, agent);
  await vi.waitFor(() => expect(late).toBeDefined());
  await expect(late).rejects.toThrow("was called after the reply");
  expect(result.turns[0]).not.toHaveProperty("tool_calls");
});

test("mocks by script: arguments, context, state of the conversation, and what goes wrong", async () => {
  const root = mkdtempSync(join(tmpdir(), "turnwise-mocks-"));
  mkdirSync(join(root, "scripts"));
  writeFileSync(
    join(root, "scripts/stock.ts"),
    `export default (args, { callIndex, turnIndex, parameters, world }) => {
       world.sold = (world.sold ?? 0) + args.count;
       return { sold: world.sold, callIndex, turnIndex, parameters };
     };
     export const refuses = () => { throw new Error("not today"); };
     export const buggy = (args) => args.nothing.here;
     export const cyclic = () => { const a = {}; a.a = a; return a; };
     export const text = "no function";`,
  );
  const project = await loadProject({ root });
  const mocked = async (use: string, ...replies: Replies) => {
    const { agent } = scripted(wants(call("sell", { count: 2 })), "1", ...replies);
    return runCase(
      {
        id: "c",
        turns: [{ input: "a" }, ...(replies.length > 0 ? [{ input: "b" }] : [])],
        mocks: { tools: { sell: { use } } },
      },
      { agent, project },
    );
  };
  const twice = await mocked("scripts:stock?shop=4", wants(call("sell", { count: 3 })), "2");
  expect(twice.turns.map((turn) => turn.tool_calls![0]!.result)).toEqual([
    { sold: 2, callIndex: 0, turnIndex: 1, parameters: { shop: 4 } },
    { sold: 5, callIndex: 1, turnIndex: 2, parameters: { shop: 4 } },
  ]);
  const refused = await mocked("scripts:stock.refuses");
  expect(refused).toMatchObject({
    status: "passed",
    turns: [{ tool_calls: [{ error: "not today" }] }],
  });
  for (const [use, text] of [
    [
      "scripts:stock.buggy",
      'the mock of "sell" broke: scripts:stock.buggy: TypeError: Cannot read',
    ],
    ["scripts:stock.cyclic", "it returned what JSON cannot hold"],
  ] as const) {
    const broken = await mocked(use);
    expect(broken).toMatchObject({ status: "error", blame: "mock" });
    expect(broken.error).toContain(text);
  }
  await expect(mocked("scripts:stock.text")).rejects.toThrow(
    'mocks.tools.sell.use: scripts:stock.text cannot be called: its export "text" is not a function',
  );
  await expect(mocked("stock")).rejects.toThrow(
    'Write "scripts:stock" for a function in scripts/.',
  );
});

test("in a sequence, an error is a call that fails", async () => {
  const { agent, requests } = scripted(wants(call("pay")), wants(call("pay")), "Paid.");
  await run({ mocks: { tools: { pay: { sequence: [{ error: "busy" }, { error: 1 }] } } } }, agent);
  expect(requests.slice(1).map(({ toolResults }) => toolResults)).toEqual([
    [{ id: "id-pay", name: "pay", error: "busy" }],
    [{ id: "id-pay", name: "pay", result: { error: 1 } }],
  ]);
});

test("a call of resolveTool that nobody waits for belongs to the turn, and is made once", async () => {
  let asked = 0;
  const agent: AgentLike = async ({ resolveTool }) => {
    asked++;
    void resolveTool("log", { line: 1 });
    return "Done.";
  };
  const result = await run({ mocks: { tools: { log: { returns: "ok", delay: 5 } } } }, agent);
  expect(asked).toBe(1);
  expect(result.turns[0]!.tool_calls).toMatchObject([{ name: "log", result: "ok" }]);
});

test("a mock that is called by several names has one place", async () => {
  const { agent, requests } = scripted(
    wants(call("find"), call("mcp__a__find"), call("b.find")),
    "Done.",
  );
  await run({ mocks: { tools: { find: { sequence: [1, 2, 3] } } } }, agent);
  expect(requests[1]!.toolResults!.map(({ result }) => result)).toEqual([1, 2, 3]);
});

test("two calls of one reply with one id are told apart", async () => {
  const { agent } = scripted(wants(call("one", {}, "a"), call("two", {}, "a")), "Done.");
  const result = await run(
    { mocks: { tools: { one: { returns: 1 }, two: { returns: 2 } } } },
    agent,
  );
  expect(result.turns[0]!.tool_calls).toMatchObject([
    { id: "a", name: "one", result: 1 },
    { id: "call-1-2", name: "two", result: 2 },
  ]);
});

test("an agent that waits for a slow mock until its time is up is not to blame", async () => {
  const agent: AgentLike = async ({ resolveTool }) => String(await resolveTool("slow"));
  const mocks = { tools: { slow: { returns: 1, delay: "1h" } } };
  const result = await run({ turn_timeout: 20, mocks }, agent);
  expect(result).toMatchObject({ status: "error", blame: "mock" });
});
