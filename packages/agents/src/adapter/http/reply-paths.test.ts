import type { AgentReply, JsonValue } from "@turnwise/core";
import { describe, expect, test } from "vitest";
import {
  agentOf,
  outcomeOf,
  projectWith,
  replyOf,
  run,
  send,
  serve,
} from "../agent.test.support.js";

/** What the agent makes of this answer with these paths. */
async function read(reply: object, answer: JsonValue): Promise<string | AgentReply> {
  const server = await serve((_, response) => send(response, JSON.stringify(answer)));
  return replyOf(await agentOf("http", { url: server.url, reply }));
}

describe("content", () => {
  test.each<[string, JsonValue, object]>([
    ["a", { a: "x" }, { content: "x" }],
    ["$.a", { a: "x" }, { content: "x" }],
    ["a.b[1].c", { a: { b: [0, { c: "x" }] } }, { content: "x" }],
    ["a['b c.d']", { a: { "b c.d": "x" } }, { content: "x" }],
    ["a['~']", { a: { "~": "x" } }, { content: "x" }],
    ["m[*].t", { m: [{ t: "x" }, { u: 1 }, { t: "y" }] }, { content: "x\ny" }],
    ["m[*].t", { m: [{ t: "x" }, { t: null }, { t: "" }] }, { content: "x\n" }],
    ["m.*", { m: { a: "x", b: "y" } }, { content: "x\ny" }],
    ["$", "x", { content: "x" }],
    ["$", { x: 1 }, { content: "", data: { x: 1 } }],
    ["$[0]", ["x"], { content: "x" }],
    ["a", { a: "" }, { content: "" }],
    ["a", { a: null }, { content: "" }],
    ["a", { a: 0 }, { content: "", data: 0 }],
    ["a", { a: false }, { content: "", data: false }],
    ["a", { a: { b: 1 } }, { content: "", data: { b: 1 } }],
    ["a", { a: ["x"] }, { content: "", data: ["x"] }],
    ["a[*]", { a: ["x", 1] }, { content: "", data: ["x", 1] }],
    ["content", JSON.parse('{"__proto__": {"content": "no"}, "content": "x"}'), { content: "x" }],
    ["a-b_c", { "a-b_c": "x" }, { content: "x" }],
    ["größe", { größe: "x" }, { content: "x" }],
  ])("%s of %j", async (content, answer, reply) => {
    expect(await read({ content }, answer)).toEqual(reply);
  });

  test.each<[string, JsonValue, string]>([
    ["a", { b: 1, c: 2 }, 'an object with the keys "b", "c"'],
    ["a", {}, "an object without keys"],
    ["a", [], "array"],
    ["a", "text", "string"],
    ["a", null, "null"],
    ["a.b", { a: "text" }, 'an object with the keys "a"'],
    ["a[0]", { a: [] }, 'an object with the keys "a"'],
    ["toString", { a: 1 }, 'an object with the keys "a"'],
    ["__proto__", { a: 1 }, 'an object with the keys "a"'],
    ["a.constructor.name", { a: {} }, 'an object with the keys "a"'],
  ])("nothing at %s of %j is the agent's failure", async (content, answer, what) => {
    expect(await read({ content }, answer)).toBe(
      `agent: there is nothing at ${content} in what the agent answered: ${what}`,
    );
  });

  const quoted = (name: string, present: boolean): Promise<string | AgentReply> => {
    const others = { a: "1", b: "2", "0": "3" };
    return read({ content: `p['${name}']` }, { p: present ? { [name]: "x", ...others } : others });
  };

  test.each(["*", "..", "a,b", "0:1", "`x", "$"])("a quoted name is a name: %j", async (name) => {
    expect(await quoted(name, true)).toEqual({ content: "x" });
  });

  // jsonpath-plus takes the quotes off and reads what was in them as a part of its own language.
  test.each(["^", "@string()", "?(@.x)", "(1)"])(
    "a quoted name is never an expression: %j",
    async (name) => {
      expect(await quoted(name, true)).toEqual({ content: "x" });
    },
  );

  // The same: a name that is not there is looked for as a wildcard, a union, a slice.
  test.each(["*", "a,b", ".."])("a quoted name that is not there is nothing: %j", async (name) => {
    expect(await quoted(name, false)).toEqual(expect.stringMatching(/^agent: there is nothing/));
  });

  // jsonpath-plus looks into texts as well.
  test("a text has no length and no [0]", async () => {
    const answer = { a: "text" };
    expect(await read({ content: "a[0]" }, answer)).toEqual(
      expect.stringMatching(/^agent: there is nothing/),
    );
    expect(await read({ content: "a.length" }, answer)).toEqual(
      expect.stringMatching(/^agent: there is nothing/),
    );
  });
});

test("every part at its path", async () => {
  const answer = {
    out: { text: "Which one?", json: { a: [null] } },
    run: { calls: [{ name: "t" }], why: "stop", id: 7 },
    memory: { n: 1 },
    wait: { flag: true, hint: "one of them" },
    open: [{ id: "r", kind: "choice", prompt: "Which?", tool_name: "ask" }],
    tokens: { prompt_tokens: 1, completion_tokens: 2 },
    error: null,
  };
  const paths = {
    content: "out.text",
    data: "out.json",
    tool_calls: "run.calls",
    finish_reason: "run.why",
    state: "memory",
    awaiting_input: "wait.flag",
    input_hint: "wait.hint",
    pending: "open",
    usage: "tokens",
    session_id: "run.id",
    error: "error",
  };
  expect(await read(paths, answer)).toEqual({
    content: "Which one?",
    data: { a: [null] },
    toolCalls: [{ name: "t" }],
    finishReason: "stop",
    state: { n: 1 },
    awaitingInput: true,
    inputHint: "one of them",
    pending: answer.open,
    usage: answer.tokens,
  });
  const server = await serve((_, response) => send(response, answer));
  const project = await projectWith({ type: "http", url: server.url, reply: paths });
  expect((await run(project)).turns[0]).toMatchObject({
    output: "Which one?",
    awaiting_input: true,
    input_hint: "one of them",
    pending: [{ id: "r", kind: "choice", prompt: "Which?", tool_name: "ask" }],
  });
});

test.each<[string, object, JsonValue, object]>([
  ["only data", { data: "d" }, { d: 0 }, { content: "", data: 0 }],
  [
    "only tool calls",
    { content: "c", tool_calls: "t" },
    { t: [{ name: "x" }] },
    { content: "", toolCalls: [{ name: "x" }] },
  ],
  ["only what is pending", { content: "c", pending: "p" }, { p: [] }, { content: "", pending: [] }],
])("%s is a reply", async (_, paths, answer, reply) => {
  expect(await read(paths, answer)).toEqual(reply);
});

test.each<[JsonValue, object]>([
  [
    { id: "1", type: "function", function: { name: "t", arguments: '{"a":1}' } },
    { id: "1", name: "t", arguments: '{"a":1}' },
  ],
  [
    { type: "tool_use", id: "1", name: "t", input: { a: 1 } },
    { id: "1", name: "t", arguments: { a: 1 } },
  ],
  [
    { toolCallId: "1", toolName: "t", args: { a: 1 }, output: 2 },
    { id: "1", name: "t", arguments: { a: 1 }, result: 2 },
  ],
  [
    { call_id: "1", name: "t", arguments: "{}", output: "" },
    { id: "1", name: "t", arguments: "{}", result: "" },
  ],
  [
    { tool_call_id: "1", tool_name: "t", parameters: [], error: "down" },
    { id: "1", name: "t", arguments: [], error: "down" },
  ],
  [{ tool: "t" }, { name: "t" }],
  [
    { name: "t", result: false, arguments: 0 },
    { name: "t", result: false, arguments: 0 },
  ],
])("a tool call of the shape %j", async (call, expected) => {
  const answer = { steps: [{ calls: [call] }, { calls: [] }, { calls: [call] }] };
  expect(await read({ tool_calls: "steps[*].calls" }, answer)).toEqual({
    content: "",
    toolCalls: [expected, expected],
  });
});

test("a tool call with its parts at places of their own", async () => {
  const tool_call = {
    id: "meta.key",
    name: "what.name",
    args: "what.with",
    result: "got[0]",
    error: "broke",
  };
  const calls = [
    { meta: { key: "1" }, what: { name: "t", with: { a: 1 } }, got: [{ ok: true }], name: "no" },
    { what: { name: "u" }, broke: "down", result: "not here" },
  ];
  expect(await read({ tool_calls: "c", tool_call }, { c: calls })).toEqual({
    content: "",
    toolCalls: [
      { id: "1", name: "t", arguments: { a: 1 }, result: { ok: true } },
      { name: "u", error: "down" },
    ],
  });
});

test.each<[JsonValue, JsonValue, boolean | undefined]>([
  ["waiting", "waiting", true],
  ["waiting", "done", false],
  [["waiting", "asks"], "asks", true],
  [["waiting", null], null, true],
  [null, null, true],
  [{ a: 1 }, { a: 1 }, true],
  [1, "1", false],
])("awaiting_input by equals %j of %j: %j", async (equals, value, awaitingInput) => {
  const paths = { content: "c", awaiting_input: { path: "s", equals } };
  expect(await read(paths, { c: "x", s: value })).toEqual({ content: "x", awaitingInput });
  expect(await read(paths, { c: "x" })).toEqual({ content: "x" });
});

test("awaiting_input that is no boolean is refused", async () => {
  const server = await serve((_, response) => send(response, { c: "x", w: "yes" }));
  const reply = { content: "c", awaiting_input: "w" };
  const project = await projectWith({ type: "http", url: server.url, reply });
  expect(outcomeOf(await run(project))).toBe(
    'failed (agent): agent error: expected true or false at w (reply.awaiting_input), got "yes"; for other values give {path, equals}',
  );
});

test.each<[JsonValue, string | undefined]>([
  ["down", "down"],
  [{ message: "down", code: 1 }, "down"],
  [{ error: "down" }, "down"],
  [{ code: 1 }, '{"code":1}'],
  [true, "true"],
  [0, undefined],
  [null, undefined],
  [false, undefined],
])("the error %j that the agent reports", async (error, message) => {
  expect(await read({ content: "c", error: "e" }, { c: "x", e: error })).toEqual(
    message === undefined ? { content: "x" } : `agent: the agent reports an error: ${message}`,
  );
});

// Servers that write every field write "" and [] for "none".
test.each<[JsonValue]>([[""], [[]]])("%j is no error", async (error) => {
  expect(await read({ content: "c", error: "e" }, { c: "x", e: error })).toEqual({ content: "x" });
});
