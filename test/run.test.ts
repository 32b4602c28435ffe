import { expect, test } from "vitest";
import type { CaseResult } from "@turnwise/core";
import { temporaryProject, stable } from "./support/cli.js";

const agent = `
import type { AgentRequest } from "turnwise";
import { AgentError, InfrastructureError } from "@turnwise/core";
export default async ({ input, messages }: AgentRequest) => {
  switch (input) {
    case "boom": throw new AgentError("boom");
    case "down": throw new InfrastructureError("GET http://desk.test: 503");
    case "hang": return new Promise<never>(() => {});
    case "noise": setInterval(() => {}, 1000); return "left a timer running";
    case "ask": return "Which one do you mean?";
    case "history": return \`messages: \${messages.length}\`;
    default: return { content: \`you said \${input}\` };
  }
};
`;
const has = (value: string) => ({ type: "contains", value });

function project(cases: readonly object[], config: object = {}) {
  return temporaryProject({
    "agents/desk.ts": agent,
    "turnwise.config.json": JSON.stringify({ defaults: { agent: "desk" }, ...config }),
    "cases.jsonl": cases.map((one) => JSON.stringify(one)).join("\n"),
  });
}

function rows(text: string): CaseResult[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as CaseResult);
}

test("all passed: exit 0, a line for each, results in a file", async () => {
  const there = project([
    { id: "one", input: "hi", assert: has("hi") },
    {
      id: "two",
      name: "Two turns",
      turns: [{ input: "a" }, { input: "history", assertions: has("3") }],
    },
  ]);
  const { code, stdout, stderr } = await there.run(
    "test",
    "-i",
    "cases.jsonl",
    "-o",
    "out/results.jsonl",
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stable(stdout)).toMatchInlineSnapshot(`
    "═══════════════════════════════════════════════════════════════
      Turnwise
    ═══════════════════════════════════════════════════════════════
    ℹ Agent: desk
    ℹ Input: cases.jsonl (2 test cases)

    ───────────────────────────────────────────────────────────────
      Running Tests
    ───────────────────────────────────────────────────────────────

    ✓ [one] (1 turn, TIME)
    ✓ [two] Two turns (2 turns, TIME)

    ───────────────────────────────────────────────────────────────
      Summary
    ───────────────────────────────────────────────────────────────
      Total:   2 tests
      Passed:  2
      Failed:  0
      Skipped: 0

      Total turns: 3
      Avg turns/test: 1.5
      Total time: TIME

    Results: out/results.jsonl
    "
  `);
  expect(rows(there.read("out/results.jsonl"))).toMatchObject([
    { id: "one", status: "passed", agent: "desk", file: "cases.jsonl", line: 1, trial: 1 },
    { id: "two", status: "passed", total_turns: 2, line: 2 },
  ]);
});

test.each([
  ["a failed assertion", { input: "hi", assert: has("bye") }, 1, "failed"],
  ["an agent that throws", { input: "boom", assert: has("x") }, 1, "failed"],
  [
    "an agent that is too slow",
    { input: "hang", turn_timeout: "20ms", assert: has("x") },
    1,
    "failed",
  ],
  ["an agent that cannot be reached", { input: "down", assert: has("x") }, 3, "error"],
  [
    "waiting with nobody to answer",
    { turns: [{ input: "ask", assertions: has("Which") }] },
    0,
    "skipped",
  ],
  [
    "waiting, and that is a failure",
    { on_missing_input: "fail", turns: [{ input: "ask", assertions: has("Which") }] },
    1,
    "failed",
  ],
  [
    "waiting, and that is the end",
    { on_missing_input: "end", turns: [{ input: "ask", assertions: has("Which") }] },
    0,
    "passed",
  ],
  ["a skipped case", { input: "hi", skip: "later" }, 0, "skipped"],
])("%s: exit code and status", async (_, testCase, exit, status) => {
  const there = project([{ id: "a", ...testCase }]);
  const { code } = await there.run("test", "-i", "cases.jsonl", "-o", "out.jsonl");
  expect(code).toBe(exit);
  expect(rows(there.read("out.jsonl"))).toMatchObject([{ id: "a", status }]);
});

test("failed comes before error", async () => {
  const there = project([
    { id: "a", input: "down", assert: has("x") },
    { id: "b", input: "boom", assert: has("x") },
  ]);
  expect((await there.run("test", "-i", "cases.jsonl")).code).toBe(1);
});

test("flags win over cases and config", async () => {
  const there = project([
    { id: "a", on_missing_input: "end", timeout: "1h", turns: [{ input: "hang" }] },
  ]);
  const hang = await there.run("test", "-i", "cases.jsonl", "--timeout", "30ms");
  expect(hang.stdout).toContain("timeout after 30ms");
  there.write(
    "cases.jsonl",
    '{"id": "a", "on_missing_input": "end", "turns": [{"input": "ask", "assertions": {"type": "awaiting", "value": true}}]}',
  );
  expect((await there.run("test", "-i", "cases.jsonl", "--on-missing-input", "fail")).code).toBe(1);
  expect((await there.run("test", "-i", "cases.jsonl")).code).toBe(0);
});

test("a message: the whole reply is shown", async () => {
  const { code, stdout } = await project([]).run("test", "-i", "What is your name?");
  expect(code).toBe(0);
  expect(stable(stdout)).toMatchInlineSnapshot(`
    "═══════════════════════════════════════════════════════════════
      Turnwise
    ═══════════════════════════════════════════════════════════════
    ℹ Agent: desk
    ℹ Input: "What is your name?"

    ───────────────────────────────────────────────────────────────
      Running Tests
    ───────────────────────────────────────────────────────────────

    ► [message]
      └─ Turn 1: "What is your name?" → PASSED (TIME)
                 Agent: "you said What is your name?"

    ───────────────────────────────────────────────────────────────
      Summary
    ───────────────────────────────────────────────────────────────
      Total:   1 test
      Passed:  1
      Failed:  0
      Skipped: 0

      Total turns: 1
      Avg turns/test: 1.0
      Total time: TIME
    "
  `);
});

test("a warning for a case that checks nothing, and for a run that tested nothing", async () => {
  const there = project([
    { id: "a", input: "hi" },
    { id: "b", input: "hi", skip: true },
  ]);
  const { code, stderr } = await there.run("test", "-i", "cases.jsonl");
  expect(code).toBe(0);
  expect(stderr).toMatchInlineSnapshot(`
    "warning cases.jsonl:1  [a] this case checks nothing: it passes whatever the agent says (no_assertions)
        Add "assertions" to a turn, or "final_assertions".

    "
  `);
  there.write("cases.jsonl", '{"id": "b", "input": "hi", "skip": true}');
  expect((await there.run("test", "-i", "cases.jsonl")).stdout).toContain(
    "Warning: every case was skipped: nothing was tested",
  );
});

test("an agent that leaves a timer behind does not keep the program", async () => {
  const { code } = await project([{ id: "a", input: "noise", assert: has("timer") }]).run(
    "test",
    "-i",
    "cases.jsonl",
  );
  expect(code).toBe(0);
});

test("200 conversations at 50 in parallel, every row once, each with its own session", async () => {
  const there = project(
    Array.from({ length: 200 }, (_, index) => ({
      id: `c${index}`,
      turns: ["a", "b", "c"].map((letter) => ({
        input: `${letter}${index}`,
        assertions: { type: "equals", value: `you said ${letter}${index}` },
      })),
    })),
  );
  const { code } = await there.run(
    "test",
    "-i",
    "cases.jsonl",
    "--parallel",
    "50",
    "-o",
    "out.jsonl",
  );
  expect(code).toBe(0);
  const results = rows(there.read("out.jsonl"));
  expect(new Set(results.map((result) => result.id)).size).toBe(200);
  expect(new Set(results.map((result) => result.session_id)).size).toBe(200);
});

test("-n tests another agent; .env is there for it", async () => {
  const there = project([{ id: "a", input: "hi", assert: has("from .env") }]);
  there.write(".env", "GREETING=hello from .env\n");
  there.write("agents/env.ts", "export default () => `${process.env.GREETING}`;");
  expect((await there.run("test", "-i", "cases.jsonl", "-n", "env")).code).toBe(0);
  expect((await there.run("test", "-i", "cases.jsonl", "-n", "agents:env")).code).toBe(0);
});

test("--config names a config; its folder is the root", async () => {
  const there = temporaryProject({
    "sub/other.json": '{"defaults": {"agent": "desk"}}',
    "sub/agents/desk.ts": "export default () => 'hello';",
    "cases.jsonl": '{"id": "a", "input": "hi", "expected": "hello"}',
  });
  const { code, stderr } = await there.run(
    "test",
    "-i",
    "cases.jsonl",
    "--config",
    "sub/other.json",
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

test("plugins and reporters of the config", async () => {
  const there = project([{ id: "a", input: "hi", assert: { type: "shouts" } }], {
    plugins: ["./plugin.ts"],
    reporters: [
      { name: "jsonl", path: "all.jsonl" },
      { name: "ids", path: "ids.txt" },
    ],
  });
  there.write(
    "plugin.ts",
    `import { defineAssertion, defineReporter, definePlugin, z } from "turnwise";
     export default definePlugin({
       name: "mine",
       assertions: [defineAssertion({
         type: "shouts", schema: z.strictObject({}), label: () => "shouts",
         check: ({ subject }) => ({ passed: subject === String(subject).toUpperCase(), message: "expected a shout" }),
       })],
       reporters: [defineReporter({ name: "ids", create: ({ stream }) => ({
         async onEvent(event) { if (event.type === "case-end") await stream.write(event.id); },
       }) })],
     });`,
  );
  const { code, stdout, stderr } = await there.run("test", "-i", "cases.jsonl");
  expect(stderr).toBe("");
  expect(code).toBe(1);
  expect(stdout).toContain("✗ shouts");
  expect(rows(there.read("all.jsonl"))).toHaveLength(1);
  expect(there.read("ids.txt")).toBe("a");
});

test("--version and --help load no plugin and name every option", async () => {
  const there = temporaryProject({});
  expect(await there.run("--version")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
  const { code, stdout } = await there.run("test", "--help");
  expect(code).toBe(0);
  expect(stdout).toMatchInlineSnapshot(`
    "Usage: turnwise test [options]

    Run test cases against an agent.

    Options:
      -i, --input <source>         case file (.jsonl, .json, .yaml, .ts, .js), a
                                   pattern such as "tests/**/*.jsonl", - for JSONL
                                   from a pipe, agents:id or scripts:id to generate
                                   cases (with ?count=10&focus=...), or a message to
                                   send; repeatable
      -n, --name <agent>           id of the agent to test (default: the agent of
                                   the case, then of the config)
      -c, --connector <name>       connector (model endpoint of the config) of the
                                   agent to test (default: that of the turn, the
                                   case, the agent, the config)
      --simulator <reference>      agent (agents:id) or script (scripts:id) that
                                   plays the user in cases that have no simulator
      --grep <pattern>             only cases whose id or name matches (a regular
                                   expression in RE2 syntax; (?i) in front ignores
                                   case)
      --tag <tag>                  only cases with this tag; repeatable (any of
                                   them)
      --strict                     warnings are problems: nothing is run, and a run
                                   that ends with one exits with 2
      --config <file>              config file (default: the nearest
                                   turnwise.config.* above the working directory)
      --no-color                   no colours (NO_COLOR does the same)
      -o, --output <file>          write results to a file; the extension picks the
                                   format (.jsonl, .json); repeatable
      -v, --verbose                show every turn of every case
      --quiet                      show only what did not pass, and the summary
      --json                       write every event of the run to standard output
                                   as a line of JSON, and nothing else
      --dry-run                    run nothing: check the cases and write them as
                                   JSONL to -o or the screen
      --parallel <number>          conversations at once (default: 1)
      --runs, --repeat <number>    independent trials of each case; it passes if all
                                   of them do (default: 1)
      --retries <number>           run a trial that failed or broke again, so often
                                   at most; one that passes then is flaky (default:
                                   0)
      --fail-fast                  stop at the first case that fails or breaks;
                                   running ones are cancelled
      --fail-on-skip               exit with 1 if a case was skipped
      --max-turns <number>         turns after which a simulator or human is not
                                   asked for another one
      --timeout <duration>         limit for one conversation (default: 5m)
      --turn-timeout <duration>    limit for one turn (default: 2m)
      --interactive                ask you at the terminal when the agent waits and
                                   nobody else has anything to say; without -i you
                                   begin
      --skip-interactive           never ask: cases with "interactive" are skipped
                                   where they would
      --on-missing-input <policy>  when the agent waits and no turn is left: skip,
                                   fail or end the case (default: skip)
      -h, --help                   display help for command

    Examples:
      $ turnwise test -i tests/expense.jsonl -n assistants.expense
      $ turnwise test -i "tests/**/*.jsonl" --parallel 10 -o results.jsonl
      $ turnwise test -i "Hello, what can you do?" -n assistants.expense

    Exit codes:
        0  every case passed or was skipped
        1  a case failed: the agent did not do what was asked (with --fail-on-skip also: one was skipped)
        2  wrong usage, a problem in a file, or nothing to run
        3  a case could not be judged, for a reason that is not the agent's
      130  interrupted
    "
  `);
});
