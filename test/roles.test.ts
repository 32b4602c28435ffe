import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CaseResult } from "@turnwise/core";
import type { FakeModel, FakeReplyRequest } from "@turnwise/testkit";
import { startFakeModel } from "@turnwise/testkit";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { repository, runCli, stable, temporaryProject } from "./support/cli.js";

/** The expense example in a folder of its own, where tests may write. */
function example(): string {
  const root = mkdtempSync(join(tmpdir(), "turnwise-roles-e2e-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  cpSync(join(repository, "examples/expense"), root, {
    recursive: true,
    filter: (path) => !path.includes("node_modules"),
  });
  return root;
}

interface Report {
  readonly summary: { readonly usage: Readonly<Record<string, { readonly calls: number }>> };
  readonly results: readonly CaseResult[];
}
const reportIn = (root: string): Report =>
  JSON.parse(readFileSync(join(root, "out.json"), "utf8")) as Report;

/** Calls by role. */
const callsOf = ({ summary: { usage } }: Report): Record<string, number> =>
  Object.fromEntries(Object.entries(usage).map(([role, { calls }]) => [role, calls]));

/** A model that plays every role of the expense example, as far as its prompt tells it to. */
class Actor {
  readonly calls: Record<string, number> = {};
  model!: FakeModel;

  async start(): Promise<void> {
    this.model = await startFakeModel({
      script: (request) => ({ content: this.reply(request) }),
    });
  }

  private reply({ messages }: FakeReplyRequest): string {
    const system = messages.find(({ role }) => role === "system")?.text ?? "";
    const last = messages.at(-1)?.text ?? "";
    const as = (role: string, answer: object): string => {
      this.calls[role] = (this.calls[role] ?? 0) + 1;
      return `Thinking about it...\n\`\`\`json\n${JSON.stringify(answer, null, 1)}\n\`\`\``;
    };
    if (system.startsWith("You play a person")) {
      const done = last.includes("submitted. Reference");
      const input = /type of expense|is the amount/.test(last)
        ? "A client lunch, $84"
        : /When/.test(last)
          ? "Yesterday noon"
          : "Confirm";
      return as("simulator", {
        reasoning: done ? "Expense submitted" : "I was asked",
        input: done ? "" : input,
        goal_achieved: done,
      });
    }
    if (system.startsWith("You judge"))
      return as("validator", {
        reason: "as wanted",
        passed: last.includes("submitted"),
        score: 0.95,
      });
    return as("generator", {
      cases: ["taxi", "hotel"].map((what) => ({
        id: what,
        input: `A ${what}, $70`,
        final_assertions: [
          { type: "json_path", path: "$.expense.amount", value: 70 },
          { type: "agent", criteria: "It was submitted" },
        ],
      })),
    });
  }
}

let actor: Actor;
beforeEach(async () => {
  actor = new Actor();
  await actor.start();
});
afterEach(() => actor.model.close());

const ways = [
  ["plain programs in the roles", []],
  ["models in the roles", ["--config", "turnwise.model.config.ts"]],
] as const;

describe.each(ways)("%s", (way, flags) => {
  const modelled = way.startsWith("models");
  const go = (root: string, ...args: string[]) =>
    runCli(["test", ...flags, ...args, "-o", "out.json"], {
      cwd: root,
      env: { MODEL_URL: actor.model.baseURL },
    });

  test("a dynamic flow of four turns reaches its goal", async () => {
    const root = example();
    const { code, stdout } = await go(root, "-i", "tests/expense.jsonl", "-v", "--grep", "T003");
    expect(stdout).toContain(
      "► [T003] Dynamic Expense Flow (simulator: workers.test.user-sim, 4 turns)",
    );
    expect(stdout).toContain('Turn 1: [Initial] "I have an expense to report" → PASSED');
    expect(stdout).toContain('Turn 4: [Simulated] "Confirm" → PASSED');
    expect(stdout).toContain("Goal achieved: Expense submitted");
    expect(stdout).toContain("Final Assertions: PASSED");
    expect(stdout).toContain("Model calls: simulator 4");
    expect(code).toBe(0);
    expect(reportIn(root).results[0]!.turns.map(({ input_source }) => input_source)).toEqual([
      "static",
      "simulator",
      "simulator",
      "simulator",
    ]);
    expect(actor.calls).toEqual(modelled ? callsOf(reportIn(root)) : {});
  });

  test("written turns first, with everything that a simulated case can say", async () => {
    const root = example();
    const testCase = {
      id: "full",
      name: "Hybrid",
      type: "multi_turn",
      options: { skip: { history: true }, metadata: { scenario: "lunch" } },
      turns: [
        { input: "I want to report something", assertions: [{ type: "contains", value: "type" }] },
        { input: "A client lunch, $84" },
      ],
      simulator: {
        use: "agents:workers.test.user-simulator",
        options: {
          metadata: {
            persona: "New here",
            goal: "Report the lunch",
            max_turns: 10,
            day: "Yesterday noon",
          },
        },
      },
      interactive: { enabled: false, timeout: "5m" },
      on_missing_input: "skip",
      final_assertions: [
        { type: "json_path", path: "$.expense.status", value: "submitted" },
        {
          type: "agent",
          use: "agents:workers.test.validator",
          options: {
            metadata: {
              criteria: 'It says that the expense was "submitted"',
              expected_intent: "report an expense",
              tone: "professional",
            },
          },
        },
        {
          type: "script",
          use: "scripts:tests.validate-expense",
          options: { metadata: { min_amount: 10, max_amount: 1_000 } },
        },
      ],
    };
    const { code } = await runCli(["test", ...flags, "-i", "-", "-o", "out.json"], {
      cwd: root,
      stdin: JSON.stringify(testCase),
      env: { MODEL_URL: actor.model.baseURL },
    });
    const [result] = reportIn(root).results;
    expect(result).toMatchObject({ status: "passed", total_turns: 4, goal: { achieved: true } });
    expect(callsOf(reportIn(root))).toEqual({ simulator: 3, validator: 1 });
    expect(actor.calls).toEqual(modelled ? { simulator: 3, validator: 1 } : {});
    // The prompt of the project is in use, with the metadata in its places.
    const asked = JSON.stringify(actor.model.requests[0]?.body);
    expect(asked === undefined || asked.includes("You play a person who reports an expense")).toBe(
      true,
    );
    expect(asked === undefined || asked.includes("Who you are: New here")).toBe(true);
    expect(code).toBe(0);
  });

  test("fully dynamic in one command", async () => {
    const root = example();
    const user = "agents:workers.test.user-simulator";
    const generator = ["-i", "agents:workers.test.generator?count=2&focus=edge-cases"];
    const args = [...generator, "-n", "assistants.expense", "--simulator", user];
    const { code, stdout } = await go(root, ...args);
    expect(stdout).toContain("Passed:  2");
    expect(callsOf(reportIn(root))).toEqual({ generator: 1, simulator: 4, validator: 2 });
    expect(actor.calls).toEqual(modelled ? { generator: 1, simulator: 4, validator: 2 } : {});
    expect(code).toBe(0);
  });

  test("generated cases kept in a file run later, unchanged", async () => {
    const root = example();
    const generate = ["-i", "agents:workers.test.generator?count=2", "--dry-run"];
    const written = await runCli(["test", ...flags, ...generate, "-o", "tests/generated.jsonl"], {
      cwd: root,
      env: { MODEL_URL: actor.model.baseURL },
    });
    expect(written).toMatchObject({
      code: 0,
      stderr: "2 cases written to tests/generated.jsonl; nothing was run.\n",
    });
    const again = ["-i", "tests/generated.jsonl", "--simulator", "agents:workers.test.user-sim"];
    const { code, stdout } = await go(root, ...again);
    expect(stdout).toContain("Passed:  2");
    expect(code).toBe(0);
    expect(callsOf(reportIn(root))).toEqual({ simulator: 4, validator: 2 });
  });
});

test("generated openings without a user are skipped, and that nothing was tested is said", async () => {
  const generator = "agents:workers.test.generator?count=3&focus=edge-cases";
  const { code, stdout } = await runCli(["test", "-i", generator, "-n", "assistants.expense"], {
    cwd: example(),
  });
  expect(stdout).toContain("Passed:  0\n  Failed:  0\n  Skipped: 3");
  expect(stdout).toContain("Model calls: generator 1");
  expect(stdout).toContain("Warning: every case was skipped: nothing was tested");
  expect(code).toBe(0);
});

test("the README shows what the demo prints", async () => {
  const readme = readFileSync(join(repository, "README.md"), "utf8");
  const [, shown] = /```\n(► \[T001\][\s\S]*?)```/.exec(readme) ?? [];
  const { stdout } = await runCli(["test", "-i", "tests/expense.jsonl", "-v"], { cwd: example() });
  const plain = (text: string): string => text.replaceAll(/\(\d+(\.\d+)?m?s\)/g, "(0ms)").trim();
  expect(shown).toBeDefined();
  expect(plain(stdout)).toContain(plain(shown!));
});

test("cases made by scripts, and all roles in one file", async () => {
  const root = example();
  const inputs = [
    "scripts:tests.generate",
    "scripts:tests.expense.generate?scenario=approval-flow",
    "tests/roles.yaml",
  ];
  const { code, stdout } = await runCli(["test", ...inputs.flatMap((input) => ["-i", input])], {
    cwd: root,
  });
  expect(stdout).toContain("ℹ Input: scripts:tests.generate (3 test cases)");
  expect(stdout).toContain("Passed:  9");
  expect(stdout).toContain("Model calls: simulator 8, validator 2, generator 2");
  expect(code).toBe(0);
});

const files = {
  "agents/desk.ts": "export default ({ input }) => `you said ${input}`;",
  "agents/maker.ts": `export default () => ({ cases: [
    { id: "a", input: "hi", assertions: { type: "contains", value: "hi" } },
    { id: "b", input: "hi", before: "scripts:hooks.log" },
  ] });`,
  "scripts/hooks.ts": `import { appendFileSync } from "node:fs";
const log = (text) => appendFileSync("hooks.log", text + "\\n");
export const first = () => log("first");
export const last = ({ summary }) => log("last: " + summary.passed + " passed");
export const each = ({ case: { id }, result }) => log(id + (result === undefined ? " begins" : ": " + result.status));
export const own = ({ case: { id }, result }) => log("  " + id + (result === undefined ? " in" : " out"));
export const fails = () => { throw new Error("no database"); };
export const never = () => new Promise(() => {});
`,
};
const config = (hooks: object): string => JSON.stringify({ defaults: { agent: "desk" }, hooks });

test("a generated case that may not run is left out and said; --strict makes it a problem", async () => {
  const there = temporaryProject({ ...files, "turnwise.config.json": config({}) });
  const lenient = await there.run("test", "-i", "agents:maker", "-n", "desk");
  expect(lenient.code).toBe(0);
  expect(lenient.stderr).toContain('the case "b" was left out: "before" runs a hook');
  const strict = await there.run("test", "-i", "agents:maker", "-n", "desk", "--strict");
  expect(strict.code).toBe(2);
});

test("hooks around the run, every case and one case, in order", async () => {
  const there = temporaryProject({
    ...files,
    "turnwise.config.json": config({
      before: "scripts:hooks.first",
      after: ["scripts:hooks.last"],
      before_each: "scripts:hooks.each",
      after_each: "scripts:hooks.each",
    }),
    "cases.jsonl": [
      '{"id": "one", "input": "a", "before": "scripts:hooks.own", "after": "scripts:hooks.own", "assert": {"value": "you said a"}}',
      '{"id": "two", "input": "a", "assert": {"value": "you said b"}, "retries": 1}',
    ].join("\n"),
  });
  const { code } = await there.run("test", "-i", "cases.jsonl");
  expect(code).toBe(1);
  expect(there.read("hooks.log").split("\n")).toEqual([
    "first",
    "one begins",
    "  one in",
    "  one out",
    "one: passed",
    "two begins",
    "two: failed",
    "two begins",
    "two: failed",
    "last: 1 passed",
    "",
  ]);
});

test.each([
  [
    "before",
    2,
    "error nothing was run: the hook scripts:hooks.fails failed: no database (scripts/hooks.ts:7)\n",
    "",
  ],
  [
    "after",
    3,
    "the hook scripts:hooks.fails failed: no database (scripts/hooks.ts:7)\n",
    "Passed:  1",
  ],
  ["before_each", 3, "", "the hook scripts:hooks.fails failed: no database (scripts/hooks.ts:7)"],
  ["after_each", 3, "", "the hook scripts:hooks.fails failed: no database (scripts/hooks.ts:7)"],
])("a hook %s that fails: exit %i", async (moment, exit, errors, output) => {
  const there = temporaryProject({
    ...files,
    "turnwise.config.json": config({ [moment]: "scripts:hooks.fails" }),
    "cases.jsonl": '{"id": "one", "input": "a", "assert": {"value": "you said a"}}',
  });
  const { code, stdout, stderr } = await there.run("test", "-i", "cases.jsonl");
  expect(code).toBe(exit);
  expect(stderr).toBe(errors);
  expect(stdout).toContain(output);
});

test("a simulator that is not there, and one that breaks", async () => {
  const there = temporaryProject({
    ...files,
    "turnwise.config.json": config({}),
    "agents/user.ts": "export default () => { throw new Error('out of order'); };",
    "cases.jsonl":
      '{"id": "one", "input": "a", "simulator": "agents:usr", "final_assertions": {"type": "contains", "value": "a"}}',
  });
  const missing = await there.run("test", "-i", "cases.jsonl");
  expect(missing.code).toBe(2);
  expect(missing.stderr).toContain('there is no agent "usr"; did you mean "user"?');
  there.write("cases.jsonl", there.read("cases.jsonl").replace("usr", "user"));
  const broken = await there.run("test", "-i", "cases.jsonl");
  expect(broken.code).toBe(3);
  expect(stable(broken.stdout)).toContain(`  ├─ Turn 2: SKIPPED
  │          Reason: simulator error: the simulator agents:user: out of order (agents/user.ts:1)
  │
  └─ Result: ERROR (blame: simulator)`);
});

test.each([
  ["a rejection that nobody waits for", "void Promise.reject(new Error('lost'));"],
  ["a timer", "setTimeout(() => { throw new Error('lost'); }, 1);"],
])("%s of an agent that answers at once is no green run", async (_, statement) => {
  const there = temporaryProject({
    "agents/fast.ts": `export default () => { ${statement} return "hi"; };`,
  });
  const { code, stderr } = await there.run("test", "-i", "hi", "-n", "fast");
  expect(stderr).toContain("Error: lost");
  expect(code).toBe(3);
});
