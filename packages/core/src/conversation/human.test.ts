import { setTimeout } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import type { AgentFunction, Human, HumanMove, HumanView, RunCaseOptions } from "../index.js";
import { defineAssertion, definePlugin, runCase, runSuite, z } from "../index.js";

const has = defineAssertion({
  type: "has",
  schema: z.strictObject({ value: z.string() }),
  label: ({ value }) => `has ${value}`,
  check: ({ turn }, { value }) => ({ passed: turn.content.includes(value), message: "no" }),
});
const plugins = [definePlugin({ name: "p", assertions: [has] })];
const desk: AgentFunction = ({ turn }) =>
  ["What date?", "Morning or evening?"][turn - 1] ?? "Booked.";

function person(...moves: HumanMove[]): { human: Human; views: HumanView[] } {
  const views: HumanView[] = [];
  return {
    views,
    human: {
      async ask(view) {
        views.push({ ...view, turns: [...view.turns] });
        return moves[views.length - 1] ?? { kind: "end" };
      },
    },
  };
}
const say = (input: string): HumanMove => ({ kind: "say", input });
const run = (more: object, options: RunCaseOptions): ReturnType<typeof runCase> =>
  runCase(
    { id: "t", name: "A table", input: "A table", ...more },
    { agent: desk, plugins, ...options },
  );
const on = { interactive: { enabled: true } };

test("a person is asked while the agent waits and nobody else has anything to say", async () => {
  const { human, views } = person(say("evening"));
  const turns = [{ input: "A table" }, { input: "Friday" }];
  const final = { final_assertions: { type: "has", value: "Booked" } };
  const result = await run({ ...on, ...final, input: undefined, turns }, { human });
  expect(result).toMatchObject({ status: "passed", total_turns: 3 });
  expect(result.turns.map(({ input, input_source }) => [input, input_source])).toEqual([
    ["A table", "static"],
    ["Friday", "static"],
    ["evening", "interactive"],
  ]);
  expect(views).toHaveLength(1);
  expect(views[0]).toMatchObject({
    id: "t",
    name: "A table",
    turn: 3,
    turns: [{ content: "What date?" }, { content: "Morning or evening?" }],
    detection: { awaiting: true, hint: "Morning or evening?" },
    timeout: 300_000,
  });
});

test("the whole run may be interactive, but not what says that it is of a single turn", async () => {
  const { human, views } = person(say("Friday"), say("evening"));
  expect(await run({}, { human, interactive: true })).toMatchObject({ total_turns: 3 });
  expect(await run({ type: "single_turn" }, { human, interactive: true })).toMatchObject({
    total_turns: 1,
  });
  expect(await run({}, { human })).toMatchObject({ total_turns: 1 });
  expect(views).toHaveLength(2);
});

test("a person may open the conversation, and go on when a simulated user is at its end", async () => {
  const opens = person(say("Hello"), say("Friday"));
  expect(await run({ input: undefined, ...on }, opens)).toMatchObject({
    turns: [
      { input: "Hello", input_source: "interactive" },
      { input: "Friday" },
      { skip_reason: undefined },
    ].slice(0, 2),
  });
  expect(opens.views[0]).toMatchObject({ turn: 1, turns: [], detection: undefined });
  const after = person(say("evening"));
  const simulator = { answers: [{ when: "date", say: "Friday" }] };
  expect((await run({ ...on, simulator }, after)).turns.map((turn) => turn.input_source)).toEqual([
    "static",
    "simulator",
    "interactive",
  ]);
});

test.each<[HumanMove, object]>([
  [{ kind: "end" }, { status: "failed", final_assertions: [{ status: "failed" }] }],
  [
    { kind: "skip", reason: "no time" },
    { status: "skipped", skip_reason: "skipped by hand: no time", final_assertions: [] },
  ],
  [{ kind: "skip" }, { status: "skipped", skip_reason: "skipped by hand" }],
  [
    { kind: "fail", reason: "rude" },
    { status: "failed", blame: "agent", error: "failed by hand: rude" },
  ],
])("%j", async (move, wanted) => {
  const { human } = person(move);
  const final = { final_assertions: { type: "has", value: "Booked" } };
  expect(await run({ ...on, ...final }, { human })).toMatchObject(wanted);
});

test("what ends before it began has not passed; a verdict by hand is not asked for again", async () => {
  const ended = person({ kind: "end" });
  expect(await run({ input: undefined, ...on }, ended)).toMatchObject({
    status: "skipped",
    skip_reason: "ended before it began",
  });
  const failed = person({ kind: "fail" });
  expect(await run({ ...on, retries: 3 }, failed)).toMatchObject({ status: "failed" });
  expect(failed.views).toHaveLength(1);
});

test("an open request is answered, and an answer that cannot be is an error of the author", async () => {
  const agent: AgentFunction = ({ answer }) =>
    answer === undefined
      ? { content: "", pending: [{ id: "r", kind: "approval", prompt: "Pay 30?" }] }
      : `approved: ${"approve" in answer && answer.approve}`;
  const { human, views } = person({ kind: "answer", answer: { approve: true } });
  const result = await run(on, { human, agent });
  expect(result).toMatchObject({
    status: "passed",
    turns: [{}, { answer: { approve: true }, output: "approved: true" }],
  });
  expect(views[0]!.pending).toMatchObject([{ id: "r", kind: "approval" }]);
  expect(views[0]!.wrongWith({ choice: "x" })).toBeDefined();
  const wrong = person({ kind: "answer", answer: { to: "nobody", approve: true } });
  expect(await run(on, { ...wrong, agent })).toMatchObject({ status: "error", blame: "author" });
});

test("whoever does not answer in time is a missing input", async () => {
  const human: Human = { ask: () => new Promise(() => {}) };
  const result = await run({ interactive: { enabled: true, timeout: "20ms" } }, { human });
  expect(result).toMatchObject({
    status: "skipped",
    skip_reason: "awaiting input",
    warnings: [{ code: "nobody_answered", message: "nobody answered within 20ms" }],
  });
});

test("the time at the prompt counts against no limit", async () => {
  const human: Human = {
    async ask() {
      await setTimeout(350);
      return say("x");
    },
  };
  const limits = { timeout: 300, turnTimeout: 300 };
  expect(await run(on, { human, limits })).toMatchObject({ status: "passed", total_turns: 3 });
});

test("nobody there: on_missing_input decides, and the result says why", async () => {
  expect(await run(on, {})).toMatchObject({
    status: "skipped",
    skip_reason: "awaiting input",
    warnings: [{ code: "nobody_to_ask" }],
  });
  expect(await run({ ...on, on_missing_input: "end" }, {})).toMatchObject({ status: "passed" });
  // Nobody is missing where nobody is asked.
  expect((await run({ ...on, input: "A" }, { agent: () => "Done." })).warnings).toBeUndefined();
});

test("nobody is to be asked: what would ask is skipped", async () => {
  const { human, views } = person();
  const options = { human, interactive: false };
  expect(await run(on, options)).toMatchObject({
    status: "skipped",
    skip_reason: "interactive input disabled",
    turns: [{}, { status: "skipped" }],
  });
  expect(await run({ type: "multi_turn" }, options)).toMatchObject({
    skip_reason: "awaiting input",
  });
  expect(views).toEqual([]);
});

test("one question at a time, while other cases go on", async () => {
  let open = 0;
  let most = 0;
  const asked: string[] = [];
  const human: Human = {
    async ask({ id }) {
      most = Math.max(most, ++open);
      asked.push(id);
      await setTimeout(5);
      open--;
      return { kind: "end" };
    },
  };
  const summary = await runSuite({
    cases: ["a", "b", "c", "d"].map((id) => ({ id, input: "A table", ...on })),
    agent: desk,
    plugins,
    human,
    limits: { parallel: 4 },
  });
  expect(summary).toMatchObject({ passed: 4 });
  expect(most).toBe(1);
  expect(asked).toEqual(["a", "b", "c", "d"]);
});

test("a run that is cancelled takes its question back, also one that waits for its place", async () => {
  const controller = new AbortController();
  const signals: AbortSignal[] = [];
  const human: Human = {
    ask: ({ signal }) => {
      signals.push(signal);
      return new Promise(() => {});
    },
  };
  const running = runSuite({
    cases: ["a", "b"].map((id) => ({ id, input: "A table", ...on })),
    agent: desk,
    plugins,
    human,
    limits: { parallel: 2 },
    signal: controller.signal,
  });
  await vi.waitFor(() => expect(signals).toHaveLength(1));
  controller.abort();
  expect(await running).toMatchObject({ skipped: 2, cancelled: 2, interrupted: true });
  expect(signals[0]!.aborted).toBe(true);
  expect(signals).toHaveLength(1);
});

test("a prompt that breaks is no fault of the agent", async () => {
  const human: Human = { ask: () => Promise.reject(new Error("no screen")) };
  expect(await run(on, { human })).toMatchObject({
    status: "error",
    blame: "author",
    error: "prompt error: no screen",
  });
});

test("a person is not asked for more turns than there may be", async () => {
  const { human } = person(say("a"), say("b"), say("c"));
  const endless = () => "And then?";
  expect(await run({ ...on, max_turns: 2 }, { human, agent: endless })).toMatchObject({
    status: "failed",
    error: "max turns (2) exceeded",
    total_turns: 2,
  });
});

test("who is always asked goes on when the agent is done", async () => {
  const { human } = person(say("a"), say("b"));
  const result = await run(on, { human: { ...human, always: true }, agent: () => "Done." });
  expect(result).toMatchObject({ status: "passed", total_turns: 3 });
});
