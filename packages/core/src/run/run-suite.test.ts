import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { AgentLike, CaseResult, RunEvent } from "../index.js";
import { z } from "zod";
import {
  InvalidCaseError,
  SuiteChangedError,
  defineAdapter,
  definePlugin,
  defineReporter,
  loadProject,
  loadSuite,
  runCase,
  runSuite,
} from "../index.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turnwise-run-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const cases = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `c${index}`, input: `hello ${index}` }));
const echo: AgentLike = ({ input }) => `${String(input)}!`;

const lines = defineReporter({
  name: "lines",
  create: ({ stream }) => ({
    async onEvent(event) {
      if (event.type === "case-end") await stream.write(`${event.result.id}\n`);
    },
  }),
});

/** Collects the results of a run. */
function collector() {
  const results: CaseResult[] = [];
  return {
    results,
    onEvent(event: RunEvent) {
      if (event.type === "case-end") results.push(event.result);
    },
  };
}

test("runs every case and counts", async () => {
  const { results, onEvent } = collector();
  const summary = await runSuite({
    cases: [
      ...cases(3),
      { id: "skipped", input: "hi", skip: true },
      { id: "failed", turns: [{ input: "a" }, { input: "boom" }] },
    ],
    agent: ({ input }) => {
      if (input === "boom") throw new Error("boom");
      return "ok";
    },
    onEvent,
    runId: "r",
  });
  expect(summary).toEqual({
    run_id: "r",
    total: 5,
    passed: 3,
    failed: 1,
    errors: 0,
    skipped: 1,
    cancelled: 0,
    flaky: 0,
    not_run: 0,
    trials: { total: 5, passed: 3, not_run: 0 },
    total_turns: 5,
    duration_ms: expect.any(Number),
    interrupted: false,
    failed_fast: false,
    warnings: [],
    usage: {},
    hook_errors: [],
    reporter_errors: [],
  });
  expect(results.map((result) => result.id)).toEqual(["c0", "c1", "c2", "skipped", "failed"]);
});

test("200 conversations with one stateful agent at 50 in parallel keep apart", async () => {
  const sessions = new Map<string, string[]>();
  let open = 0;
  let most = 0;
  const agent: AgentLike = {
    async respond({ sessionId, input }) {
      most = Math.max(most, ++open);
      const said = sessions.get(sessionId) ?? [];
      sessions.set(sessionId, said);
      said.push(String(input));
      // Let others run in between, in another order each time.
      for (let hops = said.join().length % 7; hops >= 0; hops--)
        await new Promise((resolve) => setImmediate(resolve));
      open--;
      return said.join(" | ");
    },
    close: (sessionId) => void sessions.delete(sessionId),
  };
  const { results, onEvent } = collector();
  await runSuite({
    cases: Array.from({ length: 200 }, (_, index) => ({
      id: `c${index}`,
      turns: ["one", "two", "three", "four"].map((word) => ({ input: `${word} of ${index}` })),
    })),
    agent,
    limits: { parallel: 50 },
    onEvent,
  });
  expect(results).toHaveLength(200);
  for (const result of results) {
    const index = result.id.slice(1);
    expect(result.turns.at(-1)?.output).toBe(
      `one of ${index} | two of ${index} | three of ${index} | four of ${index}`,
    );
  }
  expect(new Set(results.map((result) => result.session_id)).size).toBe(200);
  expect(most).toBe(50);
  expect(sessions.size).toBe(0);
});

test("one that throws and one that hangs hurt only themselves", async () => {
  vi.useFakeTimers();
  try {
    const { results, onEvent } = collector();
    const running = runSuite({
      cases: cases(10),
      agent: ({ testId }) => {
        if (testId === "c3") throw new Error("boom");
        if (testId === "c5") return new Promise<never>(() => {});
        return "ok";
      },
      limits: { parallel: 4, turnTimeout: "1s" },
      onEvent,
    });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await running).toMatchObject({ total: 10, passed: 8, failed: 2 });
    expect(results.find((result) => result.id === "c3")?.error).toContain("agent error: boom");
    expect(results.find((result) => result.id === "c5")?.error).toBe("timeout after 1s");
    expect(results.at(-1)?.id).toBe("c5");
  } finally {
    vi.useRealTimers();
  }
});

test("a case is reported before another takes its place", async () => {
  const order: string[] = [];
  await runSuite({
    cases: cases(4),
    agent: ({ testId }) => {
      order.push(`start ${testId}`);
      return "ok";
    },
    async onEvent(event) {
      if (event.type !== "case-end") return;
      await new Promise((resolve) => setImmediate(resolve));
      order.push(`reported ${event.id}`);
    },
  });
  expect(order).toEqual([0, 1, 2, 3].flatMap((n) => [`start c${n}`, `reported c${n}`]));
});

test("cases are validated before any runs; all problems are in the error", async () => {
  const agent = vi.fn();
  const running = runSuite({
    cases: [
      { id: "a", input: "hi" },
      { id: "b", inptu: 1 },
      { id: "a", input: "hi" },
    ],
    agent,
  });
  await expect(running).rejects.toThrow(
    /inptu: there is no such field[\s\S]*id "a" is taken already/,
  );
  await expect(running).rejects.toSatisfy((error) => InvalidCaseError.isInstance(error));
  expect(agent).not.toHaveBeenCalled();
});

test("no cases is not a green run", async () => {
  await expect(runSuite({ cases: [], agent: echo })).rejects.toThrow("there is no test case in it");
});

test("all skipped is a warning", async () => {
  const summary = await runSuite({ cases: [{ id: "a", input: "hi", skip: true }], agent: echo });
  expect(summary.warnings).toMatchObject([{ code: "all_skipped" }]);
});

test("reporters: files in new folders, in order, several at once", async () => {
  const [one, two] = [join(folder, "deep/er/one.txt"), join(folder, "two.txt")];
  await runSuite({
    cases: cases(3),
    agent: echo,
    reporters: [
      { reporter: lines, path: one },
      { reporter: lines, path: two },
    ],
  });
  expect(readFileSync(one, "utf8")).toBe("c0\nc1\nc2\n");
  expect(readFileSync(two, "utf8")).toBe("c0\nc1\nc2\n");
});

test("a reporter that throws is reported; the others go on", async () => {
  const broken = defineReporter({
    name: "broken",
    create: () => ({
      onEvent(event) {
        if (event.type === "case-end") throw new Error("disk full");
      },
    }),
  });
  const path = join(folder, "out.txt");
  const summary = await runSuite({
    cases: cases(3),
    agent: echo,
    reporters: [{ reporter: broken }, { reporter: lines, path }],
  });
  expect(summary).toMatchObject({
    passed: 3,
    reporter_errors: [{ reporter: "broken", message: "disk full" }],
  });
  expect(readFileSync(path, "utf8")).toBe("c0\nc1\nc2\n");
});

test.each<[string, Parameters<typeof runSuite>[0]["reporters"], string]>([
  ["unknown", [{ reporter: "lnes" }], 'there is no reporter "lnes"'],
  ["with options it does not take", [{ reporter: lines, options: { a: 1 } }], "takes no options"],
  [
    "to a place that cannot be written",
    [{ reporter: lines, path: "/dev/null/x" }],
    "cannot write /dev/null/x",
  ],
])("a reporter that is %s: nothing runs", async (_, reporters, message) => {
  const agent = vi.fn();
  await expect(runSuite({ cases: cases(1), agent, reporters: reporters! })).rejects.toThrow(
    message,
  );
  expect(agent).not.toHaveBeenCalled();
});

test("cancelling: what runs ends as cancelled, what has not begun is counted", async () => {
  const controller = new AbortController();
  const { results, onEvent } = collector();
  const summary = await runSuite({
    cases: cases(10),
    agent: ({ testId }) => {
      if (testId !== "c3") return "ok";
      controller.abort();
      return new Promise<never>(() => {});
    },
    signal: controller.signal,
    onEvent,
  });
  expect(summary).toMatchObject({ passed: 3, skipped: 1, not_run: 6, interrupted: true });
  expect(results.at(-1)).toMatchObject({ id: "c3", skip_reason: "cancelled" });
});

test("a file that changes during the run stops it; rows are kept", async () => {
  writeFileSync(join(folder, "turnwise.config.json"), "{}");
  const file = join(folder, "a.jsonl");
  writeFileSync(
    file,
    cases(3)
      .map((one) => JSON.stringify(one))
      .join("\n"),
  );
  const project = await loadProject({ root: folder, env: {} });
  const { suite } = await loadSuite([file], { project, agent: null });
  const path = join(folder, "out.txt");
  const running = runSuite({
    suite: suite!,
    project,
    agent: ({ testId }) => {
      if (testId === "c1") appendFileSync(file, "\n");
      return "ok";
    },
    reporters: [{ reporter: lines, path }],
  });
  await expect(running).rejects.toSatisfy((error) => SuiteChangedError.isInstance(error));
  expect(readFileSync(path, "utf8")).toBe("c0\nc1\nc2\n");
});

test("a run takes from the suite what that was checked for, and asks for an agent that only the caller has", async () => {
  const file = join(folder, "one.jsonl");
  writeFileSync(file, '{"id": "a", "input": "hi"}\n');
  mkdirSync(join(folder, "agents"));
  writeFileSync(join(folder, "agents/one.ts"), "export default () => { throw new Error(); };");
  writeFileSync(join(folder, "agents/two.ts"), 'export default () => "ok";');
  const project = await loadProject({ root: folder, env: {} });
  const named = await loadSuite([file], { project, agent: "two" });
  expect(await runSuite({ suite: named.suite! })).toMatchObject({ passed: 1 });
  expect(await runSuite({ suite: named.suite!, agent: "one" })).toMatchObject({ failed: 1 });
  const brought = await loadSuite([file], { project, agent: null });
  await expect(runSuite({ suite: brought.suite! })).rejects.toThrow('pass it as "agent"');
  expect(await runSuite({ suite: brought.suite!, agent: () => "ok" })).toMatchObject({ passed: 1 });
});

test("secrets are masked before anything leaves", async () => {
  writeFileSync(join(folder, "turnwise.config.json"), "{}");
  const project = await loadProject({ root: folder, env: { DESK_API_KEY: "sk-0123456789" } });
  const events: RunEvent[] = [];
  await runSuite({
    project,
    cases: [{ id: "a", input: "hi" }],
    agent: () => ({ content: "the key is sk-0123456789", state: { key: "sk-0123456789" } }),
    onEvent: (event) => void events.push(event),
  });
  const text = JSON.stringify(events);
  expect(text).toContain("the key is ***");
  expect(text).not.toContain("sk-0123456789");
});

test("agents of the project are made once and shared by all sessions", async () => {
  writeFileSync(
    join(folder, "turnwise.config.mjs"),
    "let made = 0; export default { agents: { one: { n: ++made, respond() { return `agent ${this.n}`; } } } };",
  );
  const project = await loadProject({ root: folder, env: {} });
  const { results, onEvent } = collector();
  await runSuite({ project, cases: cases(3), onEvent, limits: { parallel: 3 } });
  expect(results.map((result) => [result.agent, result.turns[0]?.output])).toEqual(
    Array.from({ length: 3 }, () => ["one", "agent 1"]),
  );
});

test("a listener that never answers ends at a deadline of its own", async () => {
  vi.useFakeTimers();
  try {
    const running = runSuite({
      cases: cases(2),
      agent: echo,
      onEvent: () => new Promise(() => {}),
    });
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await running).toMatchObject({
      passed: 2,
      reporter_errors: [{ reporter: "onEvent", message: "timeout after 30s" }],
    });
  } finally {
    vi.useRealTimers();
  }
});

test("two reporters cannot write one file", async () => {
  const path = join(folder, "out.txt");
  await expect(
    runSuite({
      cases: cases(1),
      agent: echo,
      reporters: [
        { reporter: lines, path },
        { reporter: lines, path: join(folder, "x/../out.txt") },
      ],
    }),
  ).rejects.toThrow("two reporters would write");
});

test("a suite brings its project along", async () => {
  writeFileSync(
    join(folder, "turnwise.config.mjs"),
    "export default { agents: { a: () => 'hi' } };",
  );
  writeFileSync(join(folder, "a.jsonl"), '{"id": "a", "input": "x"}');
  const project = await loadProject({ root: folder, env: {} });
  const { suite } = await loadSuite(["a.jsonl"], { project, cwd: folder });
  expect(await runSuite({ suite: suite! })).toMatchObject({ passed: 1 });
});

test("a file that is removed during the run stops it in our words", async () => {
  writeFileSync(join(folder, "turnwise.config.json"), "{}");
  const file = join(folder, "a.jsonl");
  writeFileSync(
    file,
    cases(2)
      .map((one) => JSON.stringify(one))
      .join("\n"),
  );
  const project = await loadProject({ root: folder, env: {} });
  const { suite } = await loadSuite([file], { project, agent: null });
  rmSync(file);
  await expect(runSuite({ suite: suite!, agent: echo })).rejects.toThrow(
    "the file was saved, or is gone",
  );
});

test("an adapter that never makes its agent ends at the limit of the case", async () => {
  const slow = definePlugin({
    name: "slow",
    adapters: [
      defineAdapter({
        type: "slow",
        schema: z.strictObject({}),
        create: () => new Promise<never>(() => {}),
      }),
    ],
    agents: { a: { type: "slow" } as never },
  });
  writeFileSync(join(folder, "turnwise.config.json"), "{}");
  const project = await loadProject({ root: folder, env: {}, plugins: [slow] });
  const { results, onEvent } = collector();
  await runSuite({ project, cases: cases(1), agent: "a", limits: { timeout: 20 }, onEvent });
  expect(results).toMatchObject([
    { status: "error", blame: "author", error: "the agent cannot be made: timeout after 20ms" },
  ]);
});

test("warnings of cases that a harness made are in the summary", async () => {
  const summary = await runSuite({
    cases: [
      { id: "a", input: "x", only: true },
      { id: "b", input: "x" },
    ],
    agent: echo,
  });
  expect(summary).toMatchObject({ total: 1, warnings: [{ code: "ignored" }] });
});

test("an agent that several runs share lets go when the last of them is over", async () => {
  const log: string[] = [];
  let slowDone = (): void => undefined;
  const gate = new Promise<void>((resolve) => (slowDone = resolve));
  const agent = {
    async respond({ input }: { input?: unknown }) {
      if (input === "slow") await gate;
      log.push(String(input));
      return "ok";
    },
    release: () => void log.push("released"),
  };
  const slow = runCase({ id: "a", input: "slow" }, { agent });
  await runCase({ id: "b", input: "quick" }, { agent });
  slowDone();
  await slow;
  expect(log).toEqual(["quick", "slow", "released"]);
});
