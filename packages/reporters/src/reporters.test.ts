import type { AgentLike, CaseResult, ReporterUse } from "@turnwise/core";
import { AgentError, defineAssertion, definePlugin, plainText, runSuite } from "@turnwise/core";
import { expect, test } from "vitest";
import { z } from "zod";
import reporters from "./index.js";
import { oneLine } from "./plain.js";
import { seconds } from "./tree.js";

const checks = definePlugin({
  name: "checks",
  assertions: [
    defineAssertion({
      type: "has",
      schema: z.strictObject({ value: z.string() }),
      label: ({ value }) => `has "${value}"`,
      check({ subject }, { value }) {
        if (value === "break") throw new Error("out of order");
        const passed = String(subject).includes(value);
        return {
          passed,
          message: passed ? "it has" : `expected "${value}", got "${String(subject)}"`,
        };
      },
    }),
  ],
});
const has = (value: string) => ({ type: "has", value });

const agent: AgentLike = ({ input, turn }) => {
  switch (input) {
    case "ask":
      return "Please provide the PO number.";
    case "boom":
      throw new AgentError("no\u001B[31m luck");
    case "tools":
      return {
        content: turn === 1 ? "" : "Found.",
        awaitingInput: false,
        toolCalls: [
          { name: "find", arguments: { city: "Oslo", days: 2 }, result: [] },
          { name: "book", arguments: '{"x":', error: "bad arguments" },
        ],
      };
    case "two lines":
      return "first\nsecond\u001B]0;title\u0007\u202Eright to left";
    case "long":
      return "word ".repeat(200);
    case "data":
      return { content: "", data: { ok: true } };
    default:
      return "Hello there.";
  }
};

const cases = [
  { id: "passes", name: "A short one", input: "hi", assert: has("Hello") },
  {
    id: "fails",
    name: "Two of three hold",
    turns: [
      { input: "hi", assertions: [has("Hello"), has("bye")] },
      { input: "tools", assertions: [] },
    ],
    final_assertions: [has("never")],
  },
  { id: "throws", turns: [{ input: "boom" }, { input: "hi" }] },
  { id: "waits", turns: [{ input: "ask" }] },
  { id: "breaks", input: "hi", assert: has("break") },
  { id: "left-out", input: "hi", skip: "the server is down" },
  { id: "fine", input: "data" },
];

async function output(use: Omit<ReporterUse, "stream">, given: unknown[] = cases): Promise<string> {
  let text = "";
  let tick = 0;
  await runSuite({
    cases: given,
    agent,
    plugins: [checks, reporters],
    reporters: [
      {
        ...use,
        stream: {
          async write(more) {
            text += more;
          },
        },
      },
    ],
    now: () => (tick += 350),
    date: () => new Date(0),
    runId: "r",
    newSessionId: () => "s",
  });
  // Where an error was thrown in this file is no part of the form.
  return text.replaceAll(/\.test\.ts:\d+/g, ".test.ts:LINE");
}

test("console: a line for each pass, a tree for the rest, a summary", async () => {
  expect(await output({ reporter: "console" })).toMatchInlineSnapshot(`
    "═══════════════════════════════════════════════════════════════
      Turnwise
    ═══════════════════════════════════════════════════════════════
    ℹ Agent: agent
    ℹ Input: cases (7 test cases)

    ───────────────────────────────────────────────────────────────
      Running Tests
    ───────────────────────────────────────────────────────────────

    ✓ [passes] A short one (1 turn, 1.8s)

    ► [fails] Two of three hold (2 turns)
      ├─ Turn 1: "hi" → FAILED (1.1s)
      │          Agent: "Hello there."
      │          ✓ has "Hello"
      │          ✗ has "bye"
      │            expected "bye", got "Hello there."
      │
      ├─ Turn 2: "tools" → PASSED (1.1s)
      │          Agent: "Found."
      │                 [tool: find({city: "Oslo", days: 2}) → []]
      │                 [tool: book("{\\"x\\":") failed: bad arguments]
      │
      ├─ Final Assertions: FAILED
      │  ✗ has "never"
      │    expected "never", got "Found."
      │
      └─ Result: FAILED (blame: agent)

    ► [throws]
      ├─ Turn 1: "boom" → FAILED (1.1s)
      │          Error: agent error: no luck (packages/reporters/src/reporters.test.ts:LINE)
      │
      ├─ Turn 2: "hi" → NOT SENT
      │
      └─ Result: FAILED (blame: agent)

    ► [waits]
      ├─ Turn 1: "ask" → PASSED (1.1s)
      │          Agent: "Please provide the PO number."
      │
      ├─ Turn 2: SKIPPED
      │          Reason: the agent is awaiting input, and there is no next turn
      │          Agent asked: "Please provide the PO number"
      │          Hint: add a turn that answers, or set "on_missing_input" to "end" if the case ends here
      │
      └─ Result: SKIPPED

    ► [breaks]
      ├─ Turn 1: "hi" → ERROR (1.1s)
      │          Agent: "Hello there."
      │          ! has "break"
      │            the assertion "has" broke: out of order
      │
      └─ Result: ERROR (blame: author)

    ► [left-out]
      └─ Result: SKIPPED (the server is down)

    ✓ [fine] (1 turn, 1.8s)

    ───────────────────────────────────────────────────────────────
      Summary
    ───────────────────────────────────────────────────────────────
      Total:   7 tests
      Passed:  2
      Failed:  2
      Errors:  1
      Skipped: 2

      Total turns: 7
      Avg turns/test: 1.0
      Total time: 15.1s

      Not passed:
      ✗ [fails] turn 1: expected "bye", got "Hello there."
      ✗ [throws] agent error: no luck (packages/reporters/src/reporters.test.ts:LINE)
      ✗ [breaks] (author) the assertion "has" broke: out of order
    "
  `);
});

test("console, verbose: trees for all, replies whole, nothing that steers a terminal", async () => {
  const text = await output({ reporter: "console", options: { verbose: true } }, [
    { id: "a", turns: [{ input: "two lines" }, { input: "tools" }, { input: "data" }] },
  ]);
  expect(text).toMatchInlineSnapshot(`
    "═══════════════════════════════════════════════════════════════
      Turnwise
    ═══════════════════════════════════════════════════════════════
    ℹ Agent: agent
    ℹ Input: cases (1 test case)

    ───────────────────────────────────────────────────────────────
      Running Tests
    ───────────────────────────────────────────────────────────────

    ► [a] (3 turns)
      ├─ Turn 1: "two lines" → PASSED (1.1s)
      │          Agent: "first
      │                 secondright to left"
      │
      ├─ Turn 2: "tools" → PASSED (1.1s)
      │          Agent: "Found."
      │                 [tool: find({city: "Oslo", days: 2}) → []]
      │                 [tool: book("{\\"x\\":") failed: bad arguments]
      │
      └─ Turn 3: "data" → PASSED (1.1s)
                 Agent: "{"ok":true}"

    ───────────────────────────────────────────────────────────────
      Summary
    ───────────────────────────────────────────────────────────────
      Total:   1 test
      Passed:  1
      Failed:  0
      Skipped: 0

      Total turns: 3
      Avg turns/test: 3.0
      Total time: 5.3s
    "
  `);
});

test("console: long replies are cut, unless all is wanted", async () => {
  const long = [{ id: "a", input: "long", assert: has("bye") }];
  const short = await output({ reporter: "console" }, long);
  expect(Math.max(...short.split("\n").map((line) => line.length))).toBeLessThan(550);
  expect(short).toContain("…");
  const whole = await output({ reporter: "console", options: { verbose: true } }, long);
  expect(whole).toContain("word ".repeat(200).trim());
});

test("console: colours only when asked for", async () => {
  // oxlint-disable-next-line no-control-regex -- an escape is what is looked for
  const escape = /\u001B/;
  expect(await output({ reporter: "console" })).not.toMatch(escape);
  expect(await output({ reporter: "console", options: { color: true } })).toMatch(escape);
});

test("jsonl: one result a line", async () => {
  const text = await output({ reporter: "jsonl" });
  const rows = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as CaseResult);
  expect(rows.map((row) => [row.id, row.status])).toEqual([
    ["passes", "passed"],
    ["fails", "failed"],
    ["throws", "failed"],
    ["waits", "skipped"],
    ["breaks", "error"],
    ["left-out", "skipped"],
    ["fine", "passed"],
  ]);
  expect(text.endsWith("\n")).toBe(true);
});

test("jsonl: whatever is in a reply, a row is one line", async () => {
  const text = await output({ reporter: "jsonl" }, [{ id: "a", input: "two lines" }]);
  expect(text.split("\n")).toHaveLength(2);
});

test("plain text keeps words and line breaks, and nothing that steers", () => {
  expect(plainText("a\r\nb\u001B[2Jc\u001B]8;;http://x\u0007d\u0000e\u009Bf\u202Eg\th")).toBe(
    "a\nbcdefg\th",
  );
  expect(plainText("na\u00EFve 日本 👍")).toBe("na\u00EFve 日本 👍");
  expect(oneLine("a\n  b\tc", 10)).toBe("a b c");
  expect(oneLine("x".repeat(50), 10)).toBe(`${"x".repeat(9)}…`);
  expect(oneLine(`${"x".repeat(8)}👍👍`, 10)).toBe(`${"x".repeat(8)}…`);
});

test("durations", () => {
  expect([0, 12.4, 999, 1_000, 2_149, 59_949, 60_000, 125_000].map(seconds)).toEqual([
    "0ms",
    "12ms",
    "999ms",
    "1.0s",
    "2.1s",
    "59.9s",
    "1m 00s",
    "2m 05s",
  ]);
});
