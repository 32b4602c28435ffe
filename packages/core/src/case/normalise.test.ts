import { expect, test } from "vitest";
import type { Problem } from "../index.js";
import { normaliseCase } from "../index.js";
import { formatProblem } from "../problem.js";

function normal(raw: unknown) {
  const { testCase, problems } = normaliseCase(raw);
  expect(problems.map(formatProblem)).toEqual([]);
  return testCase!;
}

function problemsOf(raw: unknown): string[] {
  return normaliseCase(raw).problems.map(
    (problem: Problem) => `${problem.code} ${formatProblem(problem)}`,
  );
}

const hello = { type: "contains", value: "hello" };

test("an input becomes the first turn", () => {
  expect(normal({ id: "a", input: "hi", assert: hello, tags: ["x"] })).toEqual({
    id: "a",
    tags: ["x"],
    type: "single_turn",
    turns: [{ input: "hi", assertions: [hello] }],
  });
});

test("a message is an input too, with parts", () => {
  const parts = [{ type: "text", text: "hi" }];
  expect(normal({ id: "a", input: { role: "user", content: parts } }).turns).toEqual([
    { input: parts, assertions: [] },
  ]);
  expect(normal({ id: "a", input: parts }).turns).toEqual([{ input: parts, assertions: [] }]);
});

test("the last user message of a history is sent, the rest comes before", () => {
  const history = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "one" },
    { role: "assistant", content: "two" },
  ];
  const last = { role: "user", content: "three" };
  expect(normal({ id: "a", input: [...history, last] })).toEqual({
    id: "a",
    type: "single_turn",
    input: history,
    turns: [{ input: "three", assertions: [] }],
  });
  expect(normal({ id: "a", input: history, turns: [{ input: "three" }] })).toEqual({
    id: "a",
    type: "multi_turn",
    input: history,
    turns: [{ input: "three", assertions: [] }],
  });
});

test("durations become milliseconds, aliases their field, expected one equals", () => {
  expect(
    normal({
      id: "a",
      timeout: "5m",
      turn_timeout: 1500,
      simulator: { use: "agents:user", metadata: { goal: "g", max_turns: 4 } },
      turns: [{ input: "hi", expected: { ok: true }, timeout: "1m30s" }],
      final_assertions: hello,
      before: "scripts:setup",
    }),
  ).toEqual({
    id: "a",
    type: "multi_turn",
    timeout: 300_000,
    turn_timeout: 1_500,
    max_turns: 4,
    simulator: { use: "agents:user", options: { metadata: { goal: "g", max_turns: 4 } } },
    turns: [
      { input: "hi", assertions: [{ type: "equals", value: { ok: true } }], timeout: 90_000 },
    ],
    final_assertions: [hello],
    before: ["scripts:setup"],
  });
});

test.each([
  [{ id: "a", input: "hi" }, "single_turn"],
  [{ id: "a", turns: [{ input: "hi" }] }, "multi_turn"],
  [{ id: "a", simulator: "agents:user" }, "multi_turn"],
  [{ id: "a", input: "hi", interactive: { enabled: false } }, "multi_turn"],
  [{ id: "a", input: "hi", type: "multi_turn" }, "multi_turn"],
])("%j is %s", (raw, type) => {
  expect(normal(raw).type).toBe(type);
});

test("a normalised case written as JSON and read again is the same case", () => {
  const first = normal({
    id: "a",
    name: "n",
    input: [
      { role: "user", content: "one" },
      { role: "assistant", content: "two" },
      { role: "user", content: "three" },
    ],
    expected: null,
    timeout: "5m",
    options: { metadata: JSON.parse('{"__proto__": {"x": 1}, "n": null}') as object },
    interactive: { enabled: false, timeout: "1m" },
  });
  const text = JSON.stringify(first);
  expect(text).toContain('"__proto__":{"x":1}');
  const second = normal(JSON.parse(text));
  expect({ ...second, type: first.type }).toEqual(first);
  expect(normaliseCase(first).testCase).toBe(first);
});

test.each<[string, unknown, string[]]>([
  ["no object", "hi", ['invalid_value expected a test case (an object with an "id"), got string']],
  ["no id", { input: "hi" }, ["missing_field id: required field is missing"]],
  ["a number as id", { id: 7, input: "hi" }, ["invalid_value id: expected a string, got 7"]],
  [
    "an empty id",
    { id: "", input: "hi" },
    ["invalid_value id: expected at least 1 character, got none"],
  ],
  [
    "unknown fields, each with the nearest",
    { id: "a", inptu: "hi", zzz: 1, turns: [{ input: "hi", asserts: [] }] },
    [
      'unknown_key [a] turns[0].asserts: there is no such field; did you mean "assert"?',
      'unknown_key [a] inptu: there is no such field; did you mean "input"?',
      "unknown_key [a] zzz: there is no such field",
    ],
  ],
  [
    "a key that would reach a prototype",
    JSON.parse('{"id": "a", "input": "hi", "__proto__": {"x": 1}}'),
    ["unknown_key [a] __proto__: there is no such field"],
  ],
  [
    "an assertion that is a string",
    { id: "a", input: "hi", assert: "contains" },
    [
      'invalid_value [a] assert: expected an assertion such as {"type": "contains", "value": "..."} or an array of them, got "contains"',
    ],
  ],
  [
    "an assertion that is a number, in a list",
    { id: "a", input: "hi", assertions: [hello, 5] },
    [
      'invalid_value [a] assertions: expected an assertion such as {"type": "contains", "value": "..."} at position 1, got 5',
    ],
  ],
  [
    "a bad duration",
    { id: "a", input: "hi", timeout: "soon" },
    [
      'invalid_duration [a] timeout: invalid duration: expected a duration such as "30s", "5m", "1h" or a number of milliseconds, got "soon"',
    ],
  ],
  [
    "single_turn with two turns",
    { id: "a", type: "single_turn", turns: [{ input: "1" }, { input: "2" }] },
    [
      'conflict [a] type: "single_turn" contradicts the 2 turns of this case\n    Remove "type", or make it "multi_turn".',
    ],
  ],
  [
    "a wrong type with the nearest",
    { id: "a", type: "multiturn", input: "hi" },
    [
      'invalid_value [a] type: expected one of "single_turn", "multi_turn", got "multiturn"; did you mean "multi_turn"?',
    ],
  ],
  [
    "assertions beside turns",
    { id: "a", turns: [{ input: "hi" }], assertions: [hello] },
    [
      'conflict [a] assertions: "assertions" of a case belongs to "input", and this case has "turns"\n    Move it into a turn, or name it "final_assertions" to check the end of the conversation.',
    ],
  ],
  [
    "a message beside turns",
    { id: "a", input: "hi", turns: [{ input: "there" }] },
    [
      'conflict [a] input: "input" beside "turns" must be a history (an array of messages)\n    Make it the first of the turns.',
    ],
  ],
  [
    "assert and assertions",
    { id: "a", input: "hi", assert: hello, assertions: hello },
    ['conflict [a] assert: "assert" and "assertions" are the same field'],
  ],
  [
    "a history that ends with the agent",
    { id: "a", input: [{ role: "assistant", content: "hi" }] },
    [
      'invalid_value [a] input[0].role: the last message of a history is what is sent, so its role must be "user", got "assistant"\n    Add the user\'s message, or keep the history and give the user\'s messages as "turns".',
    ],
  ],
  [
    "a turn without input",
    { id: "a", turns: [{}] },
    ['missing_field [a] turns[0]: a turn needs "input" (or "answer")'],
  ],
  [
    "a turn with input and answer",
    { id: "a", turns: [{ input: "hi", answer: { approve: true } }] },
    ['conflict [a] turns[0]: a turn has either "input" or "answer"'],
  ],
  [
    "an answer of two forms",
    { id: "a", turns: [{ answer: { approve: true, choice: "x" } }] },
    [
      'invalid_value [a] turns[0].answer: expected exactly one of "approve", "choice" and "payload"',
    ],
  ],
  [
    "no turns",
    { id: "a", turns: [] },
    ["invalid_value [a] turns: expected at least 1 entry, got none"],
  ],
  [
    "fewer turns allowed than written",
    { id: "a", max_turns: 1, turns: [{ input: "1" }, { input: "2" }] },
    [
      "conflict [a] max_turns: 1 is fewer than the 2 turns of this case\n    Raise it or leave it out: turns that are written down are all said.",
    ],
  ],
  [
    "two limits that differ",
    {
      id: "a",
      max_turns: 3,
      simulator: { use: "agents:u", options: { metadata: { max_turns: 4 } } },
    },
    ["conflict [a] max_turns: 3 contradicts max_turns 4 of the simulator"],
  ],
  [
    "the same metadata twice with different values",
    {
      id: "a",
      simulator: { use: "agents:u", metadata: { goal: "x" }, options: { metadata: { goal: "y" } } },
    },
    ['conflict [a] simulator.metadata.goal: "goal" has another value in options.metadata'],
  ],
  [
    "a simulator that is neither form",
    { id: "a", simulator: { uses: "agents:u" } },
    [
      "missing_field [a] simulator.use: required field is missing",
      'unknown_key [a] simulator.uses: there is no such field; did you mean "use"?',
    ],
  ],
  [
    "a simulator of the wrong type",
    { id: "a", simulator: 5 },
    ["invalid_value [a] simulator: expected a string or an object, got 5"],
  ],
  [
    "a switch that is no boolean",
    { id: "a", input: "hi", options: { skip: { history: "yes" } } },
    ['invalid_value [a] options.skip: expected true or false for "history", got "yes"'],
  ],
  [
    "an option that does not exist",
    { id: "a", input: "hi", options: { conector: "x" } },
    ['unknown_key [a] options.conector: there is no such field; did you mean "connector"?'],
  ],
  [
    "null for a field",
    { id: "a", input: "hi", name: null },
    ["invalid_value [a] name: expected a string, got null"],
  ],
])("refuses %s", (_, raw, expected) => {
  expect(problemsOf(raw)).toEqual(expected);
  expect(normaliseCase(raw).testCase).toBeUndefined();
});

test("expected beside assertions is a warning", () => {
  const { testCase, problems } = normaliseCase({
    id: "a",
    input: "hi",
    expected: "x",
    assert: hello,
  });
  expect(testCase?.turns[0]?.assertions).toEqual([hello]);
  expect(problems).toMatchObject([{ code: "ignored", severity: "warning", path: ["expected"] }]);
});

test("where a case stands goes into its problems", () => {
  const origin = { file: "a.jsonl", line: 3 };
  expect(normaliseCase({ id: "a", inptu: 1 }, origin).problems).toMatchObject([
    { file: "a.jsonl", line: 3, case_id: "a" },
  ]);
});
