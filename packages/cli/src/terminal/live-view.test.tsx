import type { CaseResult, RunEvent } from "@turnwise/core";
import { renderToString } from "ink";
import { expect, test } from "vitest";
import { LiveView } from "./live-view.js";
import { RunTracker } from "./run-state.js";

let time = 0;
const place = (id: string, trial = 1): { id: string; trial: number; attempt: number } => ({
  id,
  trial,
  attempt: 1,
});
const ended = (
  id: string,
  status: CaseResult["status"],
  more: Partial<CaseResult> = {},
): RunEvent => ({
  type: "case-end",
  ...place(id, more.trial ?? 1),
  result: {
    id,
    status,
    turns: [],
    final_assertions: [],
    total_turns: 1,
    duration_ms: 1,
    run_id: "r",
    trial: 1,
    started_at: "",
    ...more,
  },
});

function after(...events: (RunEvent | number)[]): RunTracker {
  time = 0;
  const tracker = new RunTracker(() => time);
  tracker.take({
    type: "run-start",
    run_id: "r",
    started_at: "",
    inputs: [],
    total: 8,
    parallel: 4,
  });
  for (const event of events) {
    if (typeof event === "number") time += event;
    else tracker.take(event);
  }
  return tracker;
}
const shown = (tracker: RunTracker, columns = 80, rows = 10): string =>
  `\n${renderToString(<LiveView state={tracker.state} now={time} rows={rows} whole />, { columns })}\n`;

const some: (RunEvent | number)[] = [
  ended("a", "passed", {
    usage: { target: { calls: 2, total_tokens: 300 }, validator: { calls: 1 } },
  }),
  ended("b", "failed"),
  ended("c", "skipped"),
  { type: "case-start", ...place("shop-1"), name: "Somebody buys 茶 and pays" },
  { type: "turn-start", ...place("shop-1"), turn: 3, input: "hi", input_source: "static" },
  { type: "case-start", ...place("shop-2") },
  { type: "turn-start", ...place("shop-2"), turn: 1, input: "hi", input_source: "static" },
  { type: "tool-call", ...place("shop-2"), turn: 1, call: { id: "1", name: "look_up", args: {} } },
  { type: "case-start", ...place("shop-3") },
  { type: "role-call-start", ...place("shop-3"), role: "validator", turn: 2 },
  62_000,
];

test("who is at work on what, and where the run stands", () => {
  expect(shown(after(...some))).toMatchInlineSnapshot(`
    "
    ⠋ [shop-1] turn 3, target 1:02 Somebody buys 茶 and pays
    ⠋ [shop-2] turn 1, look_up 1:02
    ⠋ [shop-3] judge 1:02
     3/8  1 passed  1 failed  1 skipped  1:02, about 1:43 left
     Calls: 3, 300 tokens
    "
  `);
});

test("40 columns, and fewer rows than cases", () => {
  const screen = shown(after(...some), 40, 5);
  expect(screen).toMatchInlineSnapshot(`
    "
    ⠋ [shop-1] turn 3, target 1:02 Somebody…
      and 2 more
     3/8  1 passed  1 failed  1 skipped  1:…
     Calls: 3, 300 tokens
    "
  `);
});

test("never more rows than there may be", () => {
  const many = Array.from({ length: 50 }, (_, index): RunEvent => ({
    type: "case-start",
    ...place(`case ${index}`),
    name: "long ".repeat(100),
  }));
  for (const rows of [4, 5, 10])
    expect(
      shown(after(...many), 60, rows)
        .trim()
        .split("\n").length,
    ).toBeLessThanOrEqual(rows);
});

test("trials of a case are parts of it", () => {
  const tracker = after(
    ended("a", "passed", { trial: 1, trials: 2 }),
    ended("a", "passed", { trial: 2, trials: 2 }),
    ended("b", "passed", { trial: 1, trials: 2 }),
  );
  expect(tracker.state).toMatchObject({ done: 1.5, counts: { passed: 3 } });
});

test("names cannot disturb the screen", () => {
  const name = "\u001B[2Ja\u0007\r\n\u202Eb";
  const tracker = after({ type: "case-start", ...place("\u001B]0;x\u0007id"), name });
  // oxlint-disable-next-line no-control-regex -- control characters are the point
  expect(shown(tracker)).not.toMatch(/[\u0007\r\u202A-\u202E]|\u001B\]|\u001B\[2J/);
});
