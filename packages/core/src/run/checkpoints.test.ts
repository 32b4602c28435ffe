import { expect, test } from "vitest";
import { z } from "zod";
import type { AgentLike, RunCaseOptions } from "../index.js";
import { caseResultSchema, defineAssertion, definePlugin, runCase } from "../index.js";

/*
 * Checkpoints and invariants, by what a case says when it is over.
 */

const checks = definePlugin({
  name: "checks",
  assertions: [
    defineAssertion({
      type: "has",
      schema: z.strictObject({ value: z.string() }),
      label: (spec) => `has ${spec.value}`,
      check({ subject }, { value }) {
        const passed = String(subject).includes(value);
        return { passed, message: passed ? "there" : `no ${value} in ${String(subject)}` };
      },
    }),
    defineAssertion({
      type: "moody",
      schema: z.strictObject({ value: z.string() }),
      label: (spec) => `moody ${spec.value}`,
      check({ subject }, { value }) {
        if (subject === "break") throw new Error("out of order");
        return { passed: String(subject).includes(value), message: "in a mood" };
      },
    }),
  ],
});

/** An agent that says its lines, whatever it is told. */
const says =
  (...replies: string[]): AgentLike =>
  ({ turn }) =>
    replies[turn - 1]!;

async function run(
  testCase: Record<string, unknown>,
  replies: readonly string[],
  options: RunCaseOptions = {},
) {
  const result = await runCase(
    { id: "c", turns: replies.map((_, index) => ({ input: `turn ${index + 1}` })), ...testCase },
    { agent: says(...replies), plugins: [checks], ...options },
  );
  expect(caseResultSchema.safeParse(result).error).toBeUndefined();
  return result;
}
const has = (value: string) => ({ type: "has", value });

test("checkpoints are reached in the turn in which they hold, in any order of the list", async () => {
  const result = await run(
    {
      checkpoints: [
        { id: "sent", assertions: has("sent"), after: ["paid"] },
        { id: "paid", assertions: [has("paid")], after: ["asked"] },
        { id: "asked", assertions: has("?") },
        { id: "thanked", assertions: has("thank"), required: false },
      ],
    },
    ["Which one?", "paid and sent", "sent"],
  );
  expect(result).toMatchObject({
    status: "passed",
    checkpoints: [
      // The same turn will do.
      { id: "sent", required: true, reached_at: 2, after: ["paid"] },
      { id: "paid", required: true, reached_at: 2 },
      { id: "asked", required: true, reached_at: 1 },
      { id: "thanked", required: false, reached_at: null, reason: "turn 3: no thank in sent" },
    ],
  });
});

test("a checkpoint does not count before those that it comes after", async () => {
  const result = await run(
    {
      checkpoints: [
        { id: "paid", assertions: has("paid") },
        { id: "sent", assertions: has("sent"), after: ["paid"] },
      ],
    },
    ["sent", "paid", "bye"],
  );
  expect(result).toMatchObject({
    status: "failed",
    blame: "agent",
    error: 'the checkpoint "sent" was not reached: turn 3: no sent in bye',
    checkpoints: [{ reached_at: 2 }, { reached_at: null, reason: "turn 3: no sent in bye" }],
  });
  expect(result.turns.map((turn) => turn.status)).toEqual(["passed", "passed", "passed"]);
});

test("what waits for a checkpoint that is not reached says so", async () => {
  const result = await run(
    {
      checkpoints: [
        { id: "b", assertions: has("b"), after: ["a"] },
        { id: "a", assertions: has("a") },
      ],
    },
    ["b"],
  );
  expect(result.error).toBe('the checkpoint "a" was not reached: turn 1: no a in b');
  expect(result.checkpoints).toMatchObject([
    { id: "b", reason: 'it comes after "a", which was not reached' },
    { id: "a", reason: "turn 1: no a in b" },
  ]);
});

test("a checkpoint that could not be judged is an error, unless it is reached later", async () => {
  const testCase = { checkpoints: [{ id: "a", assertions: { type: "moody", value: "a" } }] };
  expect(await run(testCase, ["break", "a"])).toMatchObject({
    status: "passed",
    checkpoints: [{ reached_at: 2 }],
  });
  expect(await run(testCase, ["b", "break"])).toMatchObject({
    status: "error",
    blame: "author",
    error: 'the checkpoint "a" was not reached: turn 2: the assertion "moody" broke: out of order',
  });
});

test("checkpoints are not asked for when the conversation broke off", async () => {
  const testCase = { checkpoints: [{ id: "a", assertions: has("a") }] };
  const result = await runCase(
    { id: "c", turns: [{ input: "1" }, { input: "2" }], ...testCase },
    {
      agent({ turn }) {
        if (turn === 2) throw new Error("boom");
        return "ok";
      },
      plugins: [checks],
    },
  );
  expect(result).toMatchObject({ status: "failed", error: expect.stringContaining("boom") });
  expect(result.checkpoints).toMatchObject([{ id: "a", reached_at: null }]);
  // The agent waits and nobody answers: skipped, not failed for what could still have come.
  expect(await run(testCase, ["Which one?"])).toMatchObject({ status: "skipped" });
  expect(await run({ ...testCase, on_missing_input: "end" }, ["Which one?"])).toMatchObject({
    status: "failed",
  });
});

test("invariants hold after every turn", async () => {
  const invariants = [has("ok"), { type: "has", value: "secret", negate: true }];
  expect(await run({ invariants }, ["ok", "ok"])).toMatchObject({
    status: "passed",
    invariants: [
      { label: "has ok", status: "passed", checked: 2, turns: [] },
      { label: "not: has secret", status: "passed", checked: 2, turns: [] },
    ],
  });
  const result = await run({ invariants }, ["ok", "no", "ok secret", "no"]);
  expect(result).toMatchObject({
    status: "failed",
    blame: "agent",
    error: "turn 2: invariant: no ok in no",
    invariants: [
      {
        label: "has ok",
        status: "failed",
        checked: 4,
        turns: [2, 4],
        assertion: { type: "has", value: "ok", reason: "no ok in no" },
      },
      { label: "not: has secret", status: "failed", checked: 4, turns: [3] },
    ],
  });
  expect(result.turns.map((turn) => turn.status)).toEqual(["passed", "failed", "failed", "failed"]);
  expect(result.turns[1]!.assertion_errors).toEqual(["invariant: no ok in no"]);
});

test("a broken invariant is a failure like any other: it can stop the talk, and breaks are errors", async () => {
  const stopped = await run({ invariants: has("ok"), on_turn_failure: "stop" }, ["no", "ok"]);
  expect(stopped.turns.map((turn) => turn.status)).toEqual(["failed", "not_sent"]);
  const broken = await run({ invariants: { type: "moody", value: "b" } }, ["b", "break"]);
  expect(broken).toMatchObject({
    status: "error",
    blame: "author",
    invariants: [{ status: "error", checked: 2, turns: [2] }],
  });
  const both = await run({ invariants: { type: "moody", value: "b" } }, ["break", "no"]);
  expect(both).toMatchObject({
    status: "failed",
    invariants: [{ status: "failed", turns: [1, 2] }],
  });
});

test("a case that has only checkpoints that are not required says nothing about its agent", async () => {
  const optional = { id: "a", assertions: has("a"), required: false };
  expect(await run({ checkpoints: [optional] }, ["b"])).toMatchObject({ status: "passed" });
});
