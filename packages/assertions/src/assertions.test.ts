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
    [
      { type: "regex", value: "a", engine: "js" },
      'not_supported: the engine "js" is not supported yet',
    ],
    [
      { type: "json_path", path: "a[" },
      'invalid_path: malformed path "a[": a bracket is not closed at position 3',
    ],
    [
      { type: "json_path", path: "$['a'" },
      `invalid_path: malformed path "$['a'": a quote or bracket is not closed at position 3`,
    ],
    [
      { type: "json_path", path: "a..b" },
      'not_supported: ".." in a path ("a..b") are not supported yet',
    ],
    [{ type: "json_path", path: "a[*]" }, "not_supported: wildcards"],
    [{ type: "json_path", path: "$.*" }, "not_supported: wildcards"],
    [{ type: "json_path", path: "a[?@.b==1]" }, "not_supported: filters"],
    [{ type: "json_path", path: "a[1:2]" }, "not_supported: slices"],
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
      'missing_field: required field is missing (it is also called "name")',
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
