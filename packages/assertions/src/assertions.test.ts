import type { AgentReply, AssertionRow } from "@turnwise/core";
import { InvalidCaseError, runCase } from "@turnwise/core";
import { describe, expect, test } from "vitest";
import assertions from "./index.js";

async function check(assertion: object, reply: string | AgentReply): Promise<AssertionRow> {
  const result = await runCase(
    { id: "a", input: "hi", assert: assertion },
    { agent: () => reply, plugins: [assertions] },
  );
  return result.turns[0]!.assertions![0]!;
}

async function problemOf(assertion: object): Promise<string> {
  try {
    await check(assertion, "");
    return "";
  } catch (error) {
    if (!(error instanceof InvalidCaseError)) throw error;
    return error.problems.map((problem) => `${problem.code}: ${problem.message}`).join("\n");
  }
}

const calls = (...names: string[]): AgentReply => ({
  content: "ok",
  toolCalls: names.map((name, index) => ({
    name,
    arguments: { n: index, deep: { a: 1, b: 2 } },
    result: 1,
  })),
});
const data = (value: unknown): AgentReply => ({ content: "", data: value });
const results = (...values: unknown[]): AgentReply => ({
  content: "ok",
  toolCalls: values.map((result) => ({ name: "desk__find", arguments: {}, result })),
});
const tokens = (usage: NonNullable<AgentReply["usage"]>): AgentReply => ({ content: "ok", usage });
const person = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string", pattern: "^[A-Z]" },
    mail: { type: "string", format: "email" },
  },
  additionalProperties: false,
};

describe("what holds", () => {
  test.each<[object, string | AgentReply]>([
    [{ type: "contains", value: "HELLO", ignore_case: true }, "oh hello there"],
    [{ type: "contains", value: "caf\u00E9" }, "the cafe\u0301 is open"],
    [{ type: "contains", value: 42 }, "the answer is 42"],
    [{ type: "contains", value: true }, data({ ok: true })],
    [{ type: "contains", value: '"a":1' }, data({ a: 1 })],
    [
      { type: "contains", value: "open", on: "state" },
      { content: "", state: { order: "open" } },
    ],
    [{ type: "not_contains", value: "Hello" }, "hello"],
    [{ type: "equals", value: "" }, ""],
    [{ type: "equals", value: "OK" }, data("OK")],
    [{ type: "equals", value: null }, data(null)],
    [{ type: "equals", value: 3 }, "3"],
    [{ type: "equals", value: [1, { a: 2 }] }, '[1, {"a": 2}]'],
    [
      { type: "equals", value: { a: 1 } },
      { content: "Here you are.", data: { a: 1 } },
    ],
    [
      { type: "equals", value: { a: 1 }, on: "state" },
      { content: "", state: { a: 1 } },
    ],
    [{ value: "no type means equals" }, "no type means equals"],
    [{ type: "regex", pattern: "(?i)order-\\d+" }, "Your ORDER-12"],
    [{ type: "json_path", path: "$", value: { a: 1 } }, data({ a: 1 })],
    [{ type: "json_path", path: "a['b.c'][\"d\"]", value: 1 }, data({ a: { "b.c": { d: 1 } } })],
    [{ type: "json_path", path: "$.größe", value: 1 }, data({ größe: 1 })],
    [
      { type: "json_path", path: "items[-1].id", value: 2 },
      data({ items: [{ id: 1 }, { id: 2 }] }),
    ],
    [{ type: "json_path", path: "a", value: null }, data({ a: null })],
    [{ type: "json_path", path: "b", exists: false }, data({ a: 1 })],
    [{ type: "json_path", path: "a", matches: "^x\\d$" }, data({ a: "x1" })],
    [{ type: "json_path", path: "n", gt: 1, lte: 2 }, data({ n: 2 })],
    [{ type: "json_path", path: "a", length: 2 }, data({ a: [1, 2] })],
    [
      { type: "json_path", path: "order.status", value: "open" },
      { content: "Done.", state: { order: { status: "open" } } },
    ],
    [{ type: "json_path", path: "calls[0].name", value: "find", on: "tools" }, calls("find")],
    [{ type: "json_path", path: "turns[0].input", value: "hi", on: "conversation" }, "ok"],
    [{ type: "type", value: "string" }, '{"a": 1}'],
    [{ type: "type", value: "null" }, data(null)],
    [{ type: "type", value: "integer", path: "$.n" }, data({ n: 3 })],
    [
      { type: "type", value: "number", path: "n" },
      { content: "text", data: { n: 3.5 } },
    ],
    [{ type: "tool_called", name: "find" }, calls("mcp__desk__find")],
    [{ type: "tool_called", name: ["look", "find"] }, calls("find")],
    [{ type: "tool_called", name: "find", arguments: { deep: { a: 1 } } }, calls("find")],
    [{ type: "tool_called", name: "find", times: 2 }, calls("find", "other", "find")],
    [{ type: "tool_called", name: "find", times: 0 }, calls("other")],
    [{ type: "tool_called", name: "find", arguments: { n: 1 }, times: 1 }, calls("find", "find")],
    [{ type: "contains_any", value: ["no", "yes"] }, "yes, please"],
    [{ type: "contains_any", value: ["YES", 7], ignore_case: true }, "yes, please"],
    [{ type: "contains_all", value: ["please", "yes", 7] }, "7 times yes, please"],
    [{ type: "starts_with", value: "Dear" }, "Dear Ms Okoro"],
    [{ type: "starts_with", value: "dear", ignore_case: true }, "Dear Ms Okoro"],
    [{ type: "ends_with", value: "Okoro" }, "Dear Ms Okoro"],
    [{ type: "length", max: 2 }, "\u{1F600}\u{1F600}"],
    [{ type: "length", min: 2, max: 2 }, data([1, 2])],
    [{ type: "length", min: 7, max: 7 }, data({ a: 1 })],
    [{ type: "latency", max: "1m" }, "ok"],
    [{ type: "latency", max: 60_000 }, "ok"],
    [{ type: "usage", max: 10 }, tokens({ totalTokens: 10 })],
    [{ type: "usage", min: 3, max: 3 }, tokens({ inputTokens: 1, outputTokens: 2 })],
    [{ type: "usage", tokens: "input", max: 1 }, tokens({ inputTokens: 1, outputTokens: 2 })],
    [{ type: "usage", tokens: "output", min: 2 }, tokens({ inputTokens: 1, outputTokens: 2 })],
    [{ type: "regex", value: "a(?=b)", engine: "js" }, "xxab"],
    [{ type: "regex", value: "A(?=B)", engine: "js", flags: "i" }, "xxab"],
    [{ type: "is_json" }, ' {"a": 1}\n'],
    [{ type: "is_json" }, data([1])],
    [{ type: "json_schema", value: person }, '{"name": "Ada"}'],
    [{ type: "json_schema", schema: person }, data({ name: "Ada", mail: "ada@shop.test" })],
    [{ type: "json_schema", value: true }, "1"],
    [
      {
        type: "json_schema",
        value: {
          $schema: "http://json-schema.org/draft-07/schema#",
          type: "array",
          items: [{ type: "string" }],
        },
      },
      data(["a", 1]),
    ],
    [
      { type: "json_schema", value: { required: ["order"] }, on: "state" },
      { content: "", state: { order: 1 } },
    ],
    [{ type: "tool_result", value: { tool: "find" } }, results(1)],
    [{ type: "tool_result", tool: "find", result: { n: 1 } }, results({ n: 1 })],
    [{ type: "tool_result", name: "find" }, results(1)],
    [
      { type: "tool_result", value: { tool: "desk__find", result: { n: 1 } } },
      results({ n: 1, m: 2 }),
    ],
    [
      { type: "tool_result", value: { tool: "find", result: { n: 2 } } },
      results({ n: 1 }, { n: 2 }),
    ],
    [{ type: "tool_result", value: { tool: "find", result: { n: 1 } } }, results('{"n": 1}')],
    [{ type: "tool_result", value: { tool: "find", result: '{"n": 1}' } }, results('{"n": 1}')],
    [
      { type: "tool_result", value: { tool: "find", result: "regex:^no .+" } },
      results("no such order"),
    ],
    [
      { type: "tool_result", value: { tool: "find", result: { l: ["regex:^a"] } } },
      results({ l: ["ab"], m: 1 }),
    ],
    [{ type: "tool_result", value: { tool: "find", result: null } }, results(null)],
    [
      {
        type: "all",
        assertions: [
          { type: "contains", value: "a" },
          { type: "contains", value: "c", negate: true },
        ],
      },
      "ab",
    ],
    [{ type: "all", assert: [{ value: "ab" }] }, "ab"],
    [
      {
        type: "any",
        assertions: [
          { type: "contains", value: "x" },
          { type: "contains", value: "b" },
        ],
      },
      "ab",
    ],
    [{ type: "not", assertion: { type: "contains", value: "x" } }, "ab"],
    [
      {
        type: "any",
        assertions: [
          { type: "json_path", path: "order", exists: true, on: "state" },
          { type: "not", assertion: { type: "all", assertions: [{ value: "x" }, { value: "y" }] } },
        ],
      },
      "ab",
    ],
    [
      { type: "json_path", path: "items[*].id", value: [1, 2] },
      data({ items: [{ id: 1 }, { id: 2 }] }),
    ],
    [
      { type: "json_path", path: "items[*].state", value: "open" },
      data({ items: [{ state: "open" }, { state: "open" }] }),
    ],
    [
      { type: "json_path", path: "items[?@.id == 2].state", value: "held" },
      data({ items: [{ id: 2, state: "held" }] }),
    ],
    [
      { type: "json_path", path: "items[?@.id == 2].lines", value: [1] },
      data({ items: [{ id: 2, lines: [1] }] }),
    ],
    [{ type: "json_path", path: "errors[*]", length: 0 }, data({ errors: [] })],
    [{ type: "json_path", path: "errors[*]", value: [] }, data({})],
    [{ type: "json_path", path: "n", matches: "^4" }, data({ n: 42 })],
    [{ type: "is_json" }, { content: "Done.", data: { a: 1 } }],
    [
      {
        type: "json_schema",
        value: { properties: { children: { items: { $ref: "#" } } }, required: ["id"] },
      },
      data({ id: 1, children: [{ id: 2 }] }),
    ],
    [
      { type: "json_schema", value: { $ref: "https://json-schema.org/draft/2020-12/schema" } },
      data({ type: "object" }),
    ],
    [{ type: "json_schema", value: { multipleOf: 0.01 } }, data(19.99)],
    [
      {
        type: "json_schema",
        value: { "x-note": "y", example: 1, $anchor: "top", type: "integer" },
      },
      data(1),
    ],
    [{ type: "json_schema", value: { $id: "https://shop.test/order", type: "integer" } }, data(1)],
    [{ type: "json_schema", value: { $id: "https://shop.test/order", type: "string" } }, data("1")],
    [
      { type: "json_schema", value: { uniqueItems: true } },
      data([{ a: 1, b: 2 }, { a: 1, b: 3 }, 1, "1", null]),
    ],
    [{ type: "json_schema", value: { properties: { constructor: { type: "string" } } } }, data({})],
    [
      { type: "json_path", path: "$..id", length: 2, gt: 0 },
      data({ items: [{ id: 1 }, { id: 2 }] }),
    ],
    [{ type: "json_path", path: "items[*]", exists: false }, data({ items: [] })],
    [{ type: "json_path", path: "text", length: 1 }, data({ text: "\u{1F600}" })],
    [{ type: "type", path: "items[*]", value: "object" }, data({ items: [{}, {}] })],
    [{ type: "awaiting", value: true }, "Which one?"],
    [{ type: "awaiting", value: true, kind: "choice" }, "Which one?"],
    [{ type: "awaiting", value: false }, "Done."],
  ])("%j of %j", async (assertion, reply) => {
    expect(await check(assertion, reply)).toMatchObject({ status: "passed", passed: true });
  });
});

describe("what does not hold, and why", () => {
  test.each<[object, string | AgentReply, string]>([
    [{ type: "contains", value: "yes" }, "no", 'expected the reply to contain "yes", got "no"'],
    [
      { type: "not_contains", value: "no" },
      "no",
      'expected the reply not to contain "no", got "no"',
    ],
    [{ type: "equals", value: "OK" }, "OK ", 'expected "OK", got "OK "'],
    [{ type: "equals", value: { a: 1 } }, "a: 1", 'expected {"a":1}, got "a: 1"'],
    [{ type: "equals", value: "3" }, data(3), 'expected "3", got 3'],
    [{ type: "regex", value: "^b" }, "ab", 'expected a match of /^b/, got "ab"'],
    [
      { type: "json_path", path: "a", value: 1 },
      "prose",
      "expected something at $.a, but the reply holds no JSON, and the agent returned no state",
    ],
    [
      { type: "json_path", path: "a", value: 1 },
      { content: "{}", state: {} },
      "expected something at $.a, but there is nothing there in the reply, nor in the state",
    ],
    [
      { type: "json_path", path: "a", value: 1 },
      data({ a: 2 }),
      "$.a (in the reply) was to be 1, got 2",
    ],
    [
      { type: "json_path", path: "a", value: [1, 3] },
      data({ a: 2 }),
      "$.a (in the reply) was to be one of [1,3], got 2",
    ],
    [
      { type: "json_path", path: "a", exists: false },
      { content: "{}", state: { a: 1 } },
      "$.a (in the state) was not to exist, but is 1",
    ],
    [
      { type: "json_path", path: "a", gte: 3 },
      data({ a: "4" }),
      '$.a (in the reply) was to be a number >= 3, got "4"',
    ],
    [
      { type: "json_path", path: "a", length: 3 },
      data({ a: [1] }),
      "$.a (in the reply) was to have the length 3, got 1 in [1]",
    ],
    [
      { type: "json_path", path: "a.toString" },
      data({ a: {} }),
      "expected something at $.a.toString, but",
    ],
    [{ type: "json_path", path: "length" }, data([1]), "expected something at $.length, but"],
    [
      { type: "type", value: "object" },
      '{"a": 1}',
      'expected the output to be of the type object, got string "{\\"a\\": 1}"',
    ],
    [
      { type: "type", value: "array", path: "a.b" },
      data({ a: {} }),
      "expected $.a.b to be of the type array, but there is nothing there in the reply, and the agent returned no state",
    ],
    [
      { type: "tool_called", name: "find" },
      "hi",
      'expected a call of "find", but no tool was called',
    ],
    [
      { type: "tool_called", name: "find" },
      calls("fnid", "fnid"),
      'expected a call of "find", got "fnid" (nearest: "fnid")',
    ],
    [
      { type: "tool_called", name: "find" },
      calls("find_all"),
      'expected a call of "find", got "find_all"',
    ],
    [
      { type: "tool_called", name: "Find" },
      calls("find"),
      'expected a call of "Find", got "find" (nearest: "find")',
    ],
    [
      { type: "tool_called", name: "find", arguments: { n: 9 } },
      calls("find"),
      'expected a call of "find" with {"n":9}, got {"n":0,"deep":{"a":1,"b":2}}',
    ],
    [
      { type: "tool_called", name: "find", times: 2 },
      calls("find"),
      'expected 2 calls of "find", got 1',
    ],
    [
      { type: "contains_any", value: ["no", 7] },
      "yes",
      'expected the reply to contain one of ["no",7], got "yes"',
    ],
    [
      { type: "contains_all", value: ["yes", "no", 7] },
      "yes",
      'expected the reply to contain all of ["yes","no",7], but ["no","7"] are missing from "yes"',
    ],
    [{ type: "starts_with", value: "b" }, "ab", 'expected the reply to start with "b", got "ab"'],
    [{ type: "ends_with", value: "a" }, "ab", 'expected the reply to end with "a", got "ab"'],
    [
      { type: "length", min: 3, max: 4 },
      "ab",
      "expected at least 3 and at most 4 characters, got 2",
    ],
    [{ type: "length", max: 0 }, data([1]), "expected at most 0 entries, got 1"],
    [{ type: "latency", min: "1h" }, "ok", "expected the reply to take at least 1h, got "],
    [
      { type: "usage", max: 2 },
      tokens({ inputTokens: 1, outputTokens: 2 }),
      "expected at most 2 total tokens, got 3",
    ],
    [{ type: "usage", max: 2 }, "ok", "the agent reported no total tokens for turn 1"],
    [{ type: "usage", max: 2 }, tokens({ inputTokens: 1 }), "the agent reported no total tokens"],
    [
      { type: "regex", value: "a(?!b)", engine: "js" },
      "ab",
      'expected a match of /a(?!b)/, got "ab"',
    ],
    [{ type: "is_json" }, "{a: 1}", "expected strict JSON and nothing else, got "],
    [{ type: "is_json" }, "```json\n{}\n```", "expected strict JSON and nothing else"],
    [{ type: "json_schema", value: person }, "Hello", 'expected JSON for the schema, got "Hello"'],
    [
      { type: "json_schema", value: person },
      data({ name: "ada" }),
      'it is not valid against the schema: $.name must match pattern "^[A-Z]"',
    ],
    [
      { type: "json_schema", value: person },
      data({ mail: "x", age: 3 }),
      "it is not valid against the schema: $ must have required property 'name' (and 2 more)",
    ],
    [
      { type: "tool_result", value: { tool: "find" } },
      "ok",
      'expected "find" to run without error, but no tool was called',
    ],
    [
      { type: "tool_result", value: { tool: "fnd" } },
      results(1),
      'expected "fnd" to run without error, but only "desk__find" was called',
    ],
    [
      { type: "tool_result", value: { tool: "find" } },
      { content: "", toolCalls: [{ name: "find", arguments: {} }] },
      "but no result is on record",
    ],
    [
      { type: "tool_result", value: { tool: "find" } },
      { content: "", toolCalls: [{ name: "find", arguments: {}, error: "denied" }] },
      'but it ended with the error "denied"',
    ],
    [
      { type: "tool_result", value: { tool: "find", result: { a: { b: [1, { c: 2 }] } } } },
      results({ a: { b: [1, { c: 2, d: 3 }] } }),
      'but a.b[1] has a key "d" more, and lists compare exactly',
    ],
    [
      { type: "tool_result", value: { tool: "find", result: { a: 1 } } },
      results({}, { a: "1" }, "oops"),
      'but none of 3 calls fits: a is missing; a is "1", not 1; it is "oops", not {"a":1}',
    ],
    [
      { type: "tool_result", value: { tool: "find", result: { a: "regex:^x" } } },
      results({ a: 5 }),
      "but a is 5, which does not match /^x/",
    ],
    [
      {
        type: "all",
        assertions: [{ value: "a" }, { value: "ab" }, { value: "b", message: "say b" }],
      },
      "ab",
      '2 of 3 do not hold: expected "a", got "ab"; say b',
    ],
    [
      { type: "any", assertions: [{ value: "a" }, { value: "b" }] },
      "ab",
      'none of 2 holds: expected "a", got "ab"; expected "b", got "ab"',
    ],
    [{ type: "not", assertion: { value: "ab" } }, "ab", 'equals "ab" was not to hold: it is "ab"'],
    [
      { type: "not", assertion: { type: "json_path", path: "a", on: "state" } },
      "ab",
      "the agent has returned no state",
    ],
    [
      { type: "json_path", path: "items[*].id", value: [2, 1] },
      data({ items: [{ id: 1 }, { id: 2 }] }),
      "$.items[*].id (2 places, in the reply) was to be [2,1], got [1,2]",
    ],
    [
      { type: "json_path", path: "items[*].id", lt: 2 },
      data({ items: [{ id: 1 }, { id: 2 }] }),
      "$.items[*].id (2 places, in the reply) was to be a number < 2, got 2",
    ],
    [
      { type: "json_path", path: "$..id", length: 1 },
      data({ items: [{ id: 1 }, { id: 2 }] }),
      "was to stand for 1 place, got 2",
    ],
    [
      { type: "type", path: "items[*]", value: "object" },
      data({ items: [{}, 1] }),
      "expected all of $.items[*] to be of the type object, got number 1",
    ],
    [
      { type: "json_path", path: "items[*].sku", value: ["A", "B"] },
      data({ items: [{ sku: "A" }] }),
      '$.items[*].sku (in the reply) was to be ["A","B"], got ["A"]',
    ],
    [
      { type: "json_path", path: "errors[*]", length: 0 },
      data({ errors: [1] }),
      "$.errors[*] (in the reply) was to stand for 0 places, got 1",
    ],
    [{ type: "json_path", path: "errors[*]", length: 0 }, "fine", "the reply holds no JSON"],
    [
      { type: "json_path", path: "errors[*]", length: 0, gt: 1 },
      data({ errors: [] }),
      "was to be looked at, but there is nothing there",
    ],
    [
      { type: "json_path", path: "a", matches: "^n" },
      data({ a: null }),
      "$.a (in the reply) was to match /^n/, got null",
    ],
    [{ type: "type", value: "strnig" }, "x", '"strnig" is no JSON type'],
    [{ type: "type", value: "strnig", negate: true }, "x", '"strnig" is no JSON type'],
    [
      { type: "json_schema", value: { required: ["constructor"] } },
      data({}),
      "must have required property 'constructor'",
    ],
    [
      { type: "json_schema", value: { uniqueItems: true } },
      data([
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ]),
      "$ must NOT have duplicate items",
    ],
    [
      {
        type: "json_schema",
        value: { properties: { children: { items: { $ref: "#" } } }, required: ["id"] },
      },
      data({ id: 1, children: [{}] }),
      "$.children[0] must have required property 'id'",
    ],
    [{ type: "equals", value: [] }, `${"[".repeat(5_000)}${"]".repeat(5_000)}`, "expected []"],
    [{ type: "is_json" }, `${"[".repeat(5_000)}${"]".repeat(5_000)}`, "it is nested too deeply"],
    [
      { type: "json_path", path: "$..x" },
      `${"[".repeat(5_000)}${"]".repeat(5_000)}`,
      "holds no JSON",
    ],
    [
      { type: "awaiting", value: true },
      "Done.",
      "expected the agent to wait for the user, but it does not wait (completed)",
    ],
    [
      { type: "awaiting", value: false },
      "Which one?",
      'expected the agent to be done, but it waits (choice) (content_is_question: "Which one?")',
    ],
    [
      { type: "awaiting", value: true, kind: "approval" },
      "Which one?",
      "expected the agent to wait for the user (approval), but it waits (choice)",
    ],
  ])("%j of %j", async (assertion, reply, reason) => {
    const row = await check(assertion, reply);
    expect(row.status).toBe("failed");
    expect(row.reason).toContain(reason);
  });
});

describe("what is refused when the case is loaded", () => {
  test.each<[object, string]>([
    [{ type: "contains" }, "missing_field: required field is missing"],
    [
      { type: "contains", value: { a: 1 } },
      "invalid_value: expected a string or a number or true or false, got an object",
    ],
    [
      { type: "contains", value: "x", ignorecase: true },
      'unknown_key: there is no such field; did you mean "ignore_case"?',
    ],
    [{ type: "equals" }, "missing_field: required field is missing"],
    [{ contains: "x" }, "unknown_key: there is no such field"],
    [{ type: "regex" }, "missing_field: required field is missing"],
    [{ type: "regex", value: "(" }, "invalid_pattern: invalid pattern /(/: missing closing ): `(`"],
    [
      { type: "regex", pattern: "a", value: "b" },
      'conflict: "pattern" is another name of "value", which has another value here',
    ],
    [{ type: "regex", value: "(", engine: "js" }, "invalid_pattern: Invalid regular expression"],
    [{ type: "regex", value: "a", flags: "i" }, 'conflict: "flags" belongs to "engine": "js"'],
    [
      { type: "regex", value: "a", engine: "js", flags: "g" },
      'expected flags of i, m, s, u, v, got "g"',
    ],
    [{ type: "regex", value: "a", engine: "js", flags: "uv" }, "invalid_pattern: Invalid flags"],
    [{ type: "contains_any", value: [] }, "invalid_value: expected at least 1 entry, got none"],
    [{ type: "contains_any", value: "x" }, 'invalid_value: expected an array, got "x"'],
    [{ type: "contains_all", value: ["x", ""] }, "the empty text occurs everywhere"],
    [{ type: "starts_with", value: "" }, "the empty text occurs everywhere"],
    [{ type: "ends_with" }, "missing_field"],
    [{ type: "length" }, 'missing_field: expected "min", "max" or both'],
    [{ type: "length", min: 3, max: 2 }, "conflict: no number is at least 3 and at most 2"],
    [{ type: "length", min: -1 }, "invalid_value: expected a number of at least 0, got -1"],
    [{ type: "latency" }, 'missing_field: expected "min", "max" or both'],
    [{ type: "latency", max: "fast" }, "invalid_duration: invalid duration: expected a duration"],
    [{ type: "latency", min: "2s", max: "1s" }, "conflict"],
    [{ type: "usage", tokens: "input" }, "missing_field"],
    [{ type: "usage", max: 1, tokens: "inputs" }, 'did you mean "input"?'],
    [{ type: "is_json", value: {} }, "unknown_key"],
    [
      { type: "json_schema" },
      'missing_field: required field is missing (expected a JSON Schema: an object, or true or false) (it is also called "schema")',
    ],
    [
      { type: "json_schema", value: "object" },
      "invalid_value: expected a JSON Schema: an object, or true or false",
    ],
    [{ type: "json_schema", value: { typ: "object" } }, 'invalid_schema: unknown keyword: "typ"'],
    [
      { type: "json_schema", value: { type: "objekt" } },
      "invalid_schema: schema is invalid: data/type",
    ],
    [{ type: "json_schema", value: { format: "mail" } }, 'invalid_schema: unknown format "mail"'],
    [
      { type: "json_schema", value: { pattern: "a(?=b)" } },
      "invalid_schema: invalid pattern /a(?=b)/",
    ],
    [
      { type: "json_schema", value: { $ref: "https://shop.test/a" } },
      "invalid_schema: can't resolve reference",
    ],
    [
      { type: "json_schema", value: { $schema: "urn:x" } },
      'invalid_schema: $schema "urn:x" is not known',
    ],
    [
      { type: "json_schema", value: { $async: true, type: "string" } },
      "invalid_schema: $async is not part",
    ],
    [
      { type: "json_schema", value: JSON.parse('{"properties": {"__proto__": {}}}') },
      "invalid_schema: a property",
    ],
    [
      { type: "json_schema", value: { $id: "https://json-schema.org/draft/2020-12/schema" } },
      'is that of a schema which is known; refer to it: {"$ref":',
    ],
    [{ type: "regex", value: "" }, "invalid_pattern: expected a pattern"],
    [{ type: "regex", value: "", engine: "js" }, "invalid_pattern: expected a pattern"],
    [{ type: "json_path", path: "a", matches: "" }, "invalid_pattern: expected a pattern"],
    [
      { type: "tool_result", value: { tool: "a", result: "regex:" } },
      "invalid_pattern: expected a pattern",
    ],
    [{ type: "tool_result", result: 1 }, 'missing_field: expected {"tool": "...", "result": ...}'],
    [{ type: "tool_result", value: { tool: "a" }, tool: "a" }, "conflict"],
    [{ type: "tool_result", value: "find" }, 'invalid_value: expected an object, got "find"'],
    [{ type: "tool_result", value: { result: 1 } }, "missing_field"],
    [{ type: "tool_result", value: { tool: "a", result: { b: "regex:(" } } }, "invalid_pattern"],
    [
      { type: "all" },
      'missing_field: required field is missing (it is also called "assert" or "value")',
    ],
    [{ type: "all", assertions: [] }, "invalid_value: expected at least 1 entry, got none"],
    [{ type: "all", assertions: ["x"] }, "invalid_value: expected an assertion"],
    [{ type: "any", assertions: [{ type: "regexp" }] }, 'did you mean "regex"?'],
    [{ type: "not", assertion: { type: "contains" } }, "missing_field"],
    [{ type: "not", assertion: [{ value: 1 }] }, "invalid_value: expected an assertion"],
    [
      { type: "json_path", path: "a[" },
      'invalid_path: malformed path "a[": "[" is not closed (at position 2)',
    ],
    [
      { type: "json_path", path: "$['a'" },
      `invalid_path: malformed path "$['a'": "[" is not closed (at position 2)`,
    ],
    [{ type: "json_path", path: "a[?length(@.b)==1]" }, "invalid_path: the path"],
    [{ type: "json_path", path: "a[01]" }, "invalid_path"],
    [{ type: "json_path", path: "a b" }, "invalid_path"],
    [{ type: "json_path", path: "" }, "invalid_path: the path is empty"],
    [{ type: "json_path", path: "a", matches: "(" }, "invalid_pattern"],
    [
      { type: "json_path", path: "a", valeu: 1 },
      'unknown_key: there is no such field; did you mean "value"?',
    ],
    [
      { type: "tool_called" },
      'missing_field: required field is missing (it is also called "name" or "tool")',
    ],
    [{ type: "tool_called", name: [] }, "invalid_value"],
    [
      { type: "tool_called", value: { name: "a", arguments: {} }, arguments: {} },
      'conflict: "arguments" is given twice',
    ],
    [{ type: "awaiting" }, "missing_field"],
    [{ type: "awaiting", value: "yes" }, "invalid_value"],
    [{ type: "awaiting", value: true, kind: "chioce" }, 'did you mean "choice"?'],
    [{ type: "awaiting", value: false, kind: "choice" }, "conflict"],
  ])("%j", async (assertion, problem) => {
    expect(await problemOf(assertion)).toContain(problem);
  });
});

test("the same field under both names with the same value is fine", async () => {
  expect(await check({ type: "regex", pattern: "a", value: "a" }, "a")).toMatchObject({
    status: "passed",
  });
});

test("a row holds the assertion as it was written, and the verdict", async () => {
  expect(await check({ type: "tool_called", name: "find", message: "look it up" }, "hi")).toEqual({
    type: "tool_called",
    name: "find",
    message: "look it up",
    label: 'tool_called "find"',
    passed: false,
    status: "failed",
    reason: 'expected a call of "find", but no tool was called',
    wanted: { name: "find" },
    actual: [],
  });
});

test("a type name that does not exist never holds, and a warning says so", async () => {
  const warningsOf = async (assertion: object) =>
    (
      await runCase(
        { id: "a", input: "hi", assert: assertion },
        { agent: () => data({}), plugins: [assertions] },
      )
    ).warnings;
  expect(await check({ type: "type", value: "Object" }, data({}))).toMatchObject({
    status: "failed",
  });
  expect(await warningsOf({ type: "type", value: "Object" })).toMatchObject([
    { message: '"Object" is no JSON type, so this never holds; did you mean "object"?' },
  ]);
  expect(await warningsOf({ type: "regex", value: "/ok/i" })).toMatchObject([
    { message: "the slashes are part of the pattern /ok/i" },
  ]);
  expect(await warningsOf({ type: "regex", value: "a/b" })).toBeUndefined();
});

test("long values are shown where they differ", async () => {
  const long = "the same words again and again, ".repeat(20);
  const { reason } = await check({ type: "equals", value: `${long}one` }, `${long}two`);
  expect(reason).toContain('again, one"');
  expect(reason).toContain('again, two"');
  expect(reason).toContain("they differ from character 642 of 645 on");
});

test("a type at a path is looked up like json_path: in the reply, else in the state", async () => {
  expect(await check({ type: "type", path: "a", value: "number" }, 'Here: {"a": 1}')).toMatchObject(
    { status: "passed" },
  );
  expect(
    await check(
      { type: "type", path: "$.order", value: "object" },
      { content: "ok", state: { order: {} } },
    ),
  ).toMatchObject({ status: "passed" });
});

test("a schema that is refused leaves the others alone", async () => {
  const meta = "https://json-schema.org/draft/2020-12/schema";
  expect(await problemOf({ type: "json_schema", value: { $id: meta } })).toContain("is known");
  expect(
    await problemOf({ type: "json_schema", value: { type: "object", title: "after it" } }),
  ).toBe("");
});

test("a large list of objects is checked for duplicates in no time worth mentioning", async () => {
  const items = Array.from({ length: 50_000 }, (_, index) => ({ index, name: `item ${index}` }));
  const row = await check({ type: "json_schema", value: { uniqueItems: true } }, data(items));
  expect(row).toMatchObject({ status: "passed" });
});

test("in a turn, the conversation holds the calls of all turns", async () => {
  const assertion = { type: "json_path", path: "tool_calls", length: 2, on: "conversation" };
  const result = await runCase(
    { id: "a", turns: [{ input: "a" }, { input: "b", assertions: assertion }] },
    { agent: () => calls("find"), plugins: [assertions] },
  );
  expect(result.turns[1]!.assertions).toMatchObject([{ status: "passed" }]);
});

test("details that are too long keep what people read of them", async () => {
  const lines = (word: string): string =>
    Array.from({ length: 2_000 }, (_, index) => `${word} ${index}`).join("\n");
  const { details } = await check(
    { type: "equals", value: lines("a") },
    lines("a").replace("a 7\n", "b 7\n"),
  );
  expect((details as { diff: string }).diff.split("\n")).toEqual([
    // What is left out in front and behind says so.
    "…",
    " a 5",
    " a 6",
    "-a 7",
    "+b 7",
    " a 8",
    " a 9",
    "…",
  ]);
  const any = await check(
    { type: "all", assertions: [{ value: "x" }, { value: "y" }] },
    "z".repeat(40_000),
  );
  expect(any).toMatchObject({ details: { assertions: [{ passed: false }, { passed: false }] } });
});
