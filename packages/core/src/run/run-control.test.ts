import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import type { AgentLike, CaseResult, RunEvent, RunSuiteOptions } from "../index.js";
import {
  AgentError,
  AuthorError,
  InfrastructureError,
  caseResultSchema,
  defineAdapter,
  defineAssertion,
  definePlugin,
  loadProject,
  runCase,
  runSuite,
} from "../index.js";

/*
 * Trials, attempts, and how a run ends before its end.
 */

const breaks = definePlugin({
  name: "breaks",
  assertions: [
    defineAssertion({
      type: "breaks",
      schema: z.strictObject({}),
      label: () => "breaks",
      check() {
        throw new Error("out of order");
      },
    }),
  ],
});

async function run(cases: readonly object[], options: Omit<RunSuiteOptions, "cases">) {
  const events: RunEvent[] = [];
  const results: CaseResult[] = [];
  const summary = await runSuite({
    cases,
    ...options,
    onEvent(event) {
      events.push(event);
      if (event.type === "case-end") results.push(event.result);
    },
  });
  for (const result of results) expect(caseResultSchema.safeParse(result).error).toBeUndefined();
  return { summary, results, events };
}

/** Fails until it has been asked so often by a case. */
function unsteady(failures: number): AgentLike {
  const asked = new Map<string, number>();
  return ({ testId }) => {
    const times = (asked.get(testId) ?? 0) + 1;
    asked.set(testId, times);
    if (times <= failures) throw new AgentError(`not ready (${times})`);
    return "ok";
  };
}

test("a retry starts the conversation again, in a new session, and says that the case is flaky", async () => {
  const sessions: string[] = [];
  const histories: number[] = [];
  const result = await runCase(
    { id: "c", turns: [{ input: "1" }, { input: "2" }], retries: 3 },
    {
      agent({ sessionId, turn, messages }) {
        sessions.push(sessionId);
        histories.push(messages.length);
        if (sessions.length === 2) throw new AgentError("boom");
        return `reply ${turn}`;
      },
    },
  );
  expect(result).toMatchObject({
    status: "passed",
    flaky: true,
    total_turns: 2,
    session_id: sessions[2],
    attempts: [
      {
        attempt: 1,
        session_id: sessions[0],
        status: "failed",
        error: expect.stringContaining("agent error: boom"),
        blame: "agent",
        turns: [
          { turn: 1, status: "passed" },
          { turn: 2, status: "failed" },
        ],
      },
    ],
  });
  expect(result.error).toBeUndefined();
  expect(sessions[0]).toBe(sessions[1]);
  expect(new Set(sessions).size).toBe(2);
  expect(histories).toEqual([1, 3, 1, 3]);
});

test("when every attempt fails the row is that of the last one", async () => {
  const { results, summary, events } = await run([{ id: "c", input: "hi" }], {
    agent: unsteady(9),
    limits: { retries: 2 },
  });
  expect(results).toMatchObject([
    {
      status: "failed",
      error: expect.stringContaining("agent error: not ready (3)"),
      attempts: [
        { error: expect.stringContaining("agent error: not ready (1)") },
        { error: expect.stringContaining("agent error: not ready (2)") },
      ],
    },
  ]);
  expect(results[0]!.flaky).toBeUndefined();
  expect(summary).toMatchObject({ total: 1, failed: 1, flaky: 0, total_turns: 1 });
  const places = events.flatMap((event) =>
    "attempt" in event ? [`${event.type} ${event.attempt}`] : [],
  );
  expect(places.filter((place) => place.startsWith("case-"))).toEqual([
    "case-start 1",
    "case-end 3",
  ]);
  expect(places.filter((place) => place.startsWith("turn-start"))).toEqual([
    "turn-start 1",
    "turn-start 2",
    "turn-start 3",
  ]);
});

test("what the author did wrong is not tried again, what the network did is", async () => {
  let asked = 0;
  const count =
    (error: Error): AgentLike =>
    () => {
      asked++;
      throw error;
    };
  const limits = { retries: 2 };
  const infrastructure = await runCase(
    { id: "c", input: "hi" },
    { agent: count(new InfrastructureError("503 at http://desk.test")), limits },
  );
  expect(infrastructure).toMatchObject({ status: "error", blame: "infrastructure" });
  expect(infrastructure.attempts).toHaveLength(2);
  expect(asked).toBe(3);
  asked = 0;
  const author = await runCase(
    { id: "c", input: "hi" },
    { agent: count(new AuthorError("wrong option")), limits },
  );
  expect(author).toMatchObject({ status: "error", blame: "author" });
  expect(author.attempts).toBeUndefined();
  expect(asked).toBe(1);
  const broken = await runCase(
    { id: "c", input: "hi", assert: { type: "breaks" }, retries: 5 },
    { agent: () => "ok", plugins: [breaks] },
  );
  expect(broken.attempts).toBeUndefined();
  const waiting = await runCase(
    { id: "c", turns: [{ input: "hi" }], on_missing_input: "fail", retries: 5 },
    { agent: () => "Which one?" },
  );
  expect(waiting).toMatchObject({ status: "failed", blame: "author" });
  expect(waiting.attempts).toBeUndefined();
});

test("an agent that could not be made is made again on a retry", async () => {
  let made = 0;
  const adapter = defineAdapter({
    type: "late",
    schema: z.strictObject({}),
    create() {
      if (++made === 1) throw new InfrastructureError("no route to http://desk.test");
      return () => "ok";
    },
  });
  const folder = mkdtempSync(join(tmpdir(), "turnwise-retry-"));
  writeFileSync(join(folder, "turnwise.config.json"), '{"agents": {"desk": {"type": "late"}}}');
  const project = await loadProject({
    root: folder,
    plugins: [definePlugin({ name: "late", adapters: [adapter] })],
  });
  rmSync(folder, { recursive: true });
  const result = await runCase({ id: "c", input: "hi", retries: 1 }, { project });
  expect(result).toMatchObject({
    status: "passed",
    flaky: true,
    attempts: [
      {
        status: "error",
        blame: "infrastructure",
        error: "the agent cannot be made: no route to http://desk.test",
        turns: [],
      },
    ],
  });
});

test("cancelling ends a trial that would be tried again", async () => {
  const controller = new AbortController();
  const result = await runCase(
    { id: "c", input: "hi", retries: 50 },
    {
      agent() {
        controller.abort();
        throw new Error("boom");
      },
      signal: controller.signal,
    },
  );
  expect(result).toMatchObject({ status: "skipped", skip_reason: "cancelled" });
});

test("a trial is not tried again in a run that was ended", async () => {
  const controller = new AbortController();
  let asked = 0;
  const result = await runCase(
    { id: "c", input: "hi", assert: { type: "late" }, retries: 5 },
    {
      agent: () => String(++asked),
      plugins: [
        definePlugin({
          name: "late",
          assertions: [
            defineAssertion({
              type: "late",
              schema: z.strictObject({}),
              label: () => "late",
              check: () => ({ passed: false, message: "no" }),
            }),
          ],
        }),
      ],
      signal: controller.signal,
      onEvent: (event) => event.type === "turn-end" && controller.abort(),
    },
  );
  expect(asked).toBe(1);
  expect(result.attempts).toBeUndefined();
});

test("the command line wins over the case, the case over the config", async () => {
  const attemptsOf = async (testCase: object, limits: object) =>
    (await runCase({ id: "c", input: "hi", ...testCase }, { agent: unsteady(9), limits })).attempts
      ?.length ?? 0;
  expect(await attemptsOf({ retries: 2 }, {})).toBe(2);
  expect(await attemptsOf({ retries: 2 }, { retries: 0 })).toBe(0);
  expect(await attemptsOf({}, { retries: 1 })).toBe(1);
});

test("trials are independent: a row and a session each, and the case counts by the worst", async () => {
  const sessions = new Set<string>();
  const { results, summary, events } = await run(
    [
      { id: "unsteady", input: "hi", repeat: 3 },
      { id: "steady", input: "hi", repeat: 2 },
      { id: "once", input: "hi" },
      { id: "skipped", input: "hi", repeat: 5, skip: "later" },
    ],
    {
      agent({ sessionId, testId }) {
        sessions.add(sessionId);
        if (testId === "unsteady" && sessions.size === 2) throw new Error("boom");
        return "ok";
      },
    },
  );
  expect(
    results.map(({ id, trial, trials, status }) => `${id} ${trial}/${trials ?? 1} ${status}`),
  ).toEqual([
    "unsteady 1/3 passed",
    "unsteady 2/3 failed",
    "unsteady 3/3 passed",
    "steady 1/2 passed",
    "steady 2/2 passed",
    "once 1/1 passed",
    "skipped 1/1 skipped",
  ]);
  expect(sessions.size).toBe(6);
  expect(summary).toMatchObject({
    total: 4,
    passed: 2,
    failed: 1,
    skipped: 1,
    not_run: 0,
    trials: { total: 7, passed: 5, not_run: 0 },
    total_turns: 6,
  });
  const starts = events.flatMap((event) =>
    event.type === "case-start" ? [`${event.id} ${event.trial}`] : [],
  );
  expect(new Set(starts).size).toBe(7);
});

test("a case with one skipped and no failed trial counts as skipped", async () => {
  let asked = 0;
  const { summary } = await run([{ id: "c", turns: [{ input: "hi" }] }], {
    agent: () => (++asked === 2 ? "Which one?" : "ok"),
    limits: { repeat: 3 },
  });
  expect(summary).toMatchObject({
    total: 1,
    skipped: 1,
    trials: { total: 3, passed: 2, not_run: 0 },
  });
});

test("trials run beside each other, and each is retried by itself", async () => {
  let alive = 0;
  let most = 0;
  const asked = new Map<string, number>();
  const { results, summary } = await run([{ id: "c", input: "hi" }], {
    async agent({ sessionId }) {
      most = Math.max(most, ++alive);
      await new Promise(setImmediate);
      alive--;
      asked.set(sessionId, 1);
      if (asked.size % 2 === 1) throw new Error("boom");
      return "ok";
    },
    limits: { repeat: 6, retries: 6, parallel: 3 },
  });
  expect(most).toBe(3);
  expect(summary).toMatchObject({
    total: 1,
    passed: 1,
    flaky: 1,
    trials: { total: 6, passed: 6, not_run: 0 },
  });
  expect(new Set(results.map(({ trial }) => trial))).toEqual(new Set([1, 2, 3, 4, 5, 6]));
});

test("places for more conversations than there are cost nothing", async () => {
  const { summary } = await run([{ id: "c", input: "hi" }], {
    agent: () => "ok",
    limits: { parallel: 1_000_000_000 },
  });
  expect(summary).toMatchObject({ total: 1, passed: 1 });
});

const many = Array.from({ length: 20 }, (_, index) => ({ id: `c${index}`, input: "hi" }));

test("fail fast: nothing is started after the first failure", async () => {
  const { results, summary } = await run(many, {
    agent({ testId }) {
      if (testId === "c2") throw new Error("boom");
      return "ok";
    },
    limits: { failFast: true },
  });
  expect(results.map(({ id, status }) => `${id} ${status}`)).toEqual([
    "c0 passed",
    "c1 passed",
    "c2 failed",
  ]);
  expect(summary).toMatchObject({
    total: 3,
    failed: 1,
    not_run: 17,
    interrupted: false,
    failed_fast: true,
  });
});

test("fail fast: also for errors, and also in parallel, where the running ones are cancelled", async () => {
  const { results, summary } = await run(many, {
    async agent({ testId, signal }) {
      if (testId === "c1") throw new InfrastructureError("no route");
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return "too late";
    },
    limits: { failFast: true, parallel: 4 },
  });
  expect(results.map(({ id, status }) => `${id} ${status}`).toSorted()).toEqual([
    "c0 skipped",
    "c1 error",
    "c2 skipped",
    "c3 skipped",
  ]);
  expect(results.find(({ id }) => id === "c0")).toMatchObject({ skip_reason: "cancelled" });
  expect(summary).toMatchObject({
    total: 4,
    errors: 1,
    skipped: 3,
    not_run: 16,
    interrupted: false,
    failed_fast: true,
    warnings: [],
  });
});

test("fail fast waits for the retries, and counts the trials that were started", async () => {
  const { results, summary } = await run(
    [
      { id: "a", input: "hi" },
      { id: "b", input: "hi" },
    ],
    {
      agent({ testId }) {
        if (testId === "a") throw new Error("boom");
        return "ok";
      },
      limits: { failFast: true, retries: 2, repeat: 3 },
    },
  );
  expect(results).toHaveLength(1);
  expect(results[0]!.attempts).toHaveLength(2);
  expect(summary).toMatchObject({
    total: 1,
    failed: 1,
    not_run: 1,
    trials: { total: 1, passed: 0, not_run: 2 },
  });
});

test("skipped and passed cases are no reason to stop", async () => {
  const { summary } = await run(
    [
      { id: "a", turns: [{ input: "hi" }] },
      { id: "b", input: "hi", skip: true },
      { id: "c", input: "hi" },
    ],
    { agent: () => "Which one?", limits: { failFast: true } },
  );
  expect(summary).toMatchObject({ total: 3, skipped: 2, passed: 1, failed_fast: false });
});

test.each([
  ["retries", -1, 0],
  ["repeat", 0, 1],
  ["maxTurns", 0, 1],
  ["parallel", 1.5, 1],
])("limits.%s: %s is refused", async (name, value, least) => {
  await expect(run(many, { agent: () => "ok", limits: { [name]: value } })).rejects.toThrow(
    `limits.${name}: expected a whole number of at least ${least}, got ${value}`,
  );
});
