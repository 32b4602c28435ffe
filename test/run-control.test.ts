import { expect, test, vi } from "vitest";
import { stable, temporaryProject } from "./support/cli.js";
import { isRunning } from "./support/is-running.js";

/*
 * Trials, retries, early ends and machine-readable output, as a user has them: through the built program.
 */

const lines = (text: string): Record<string, unknown>[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const cases = (count: number, fields: object = {}): string =>
  Array.from({ length: count }, (_, index) =>
    JSON.stringify({ id: `c${index}`, input: "hi", assert: { value: "ok" }, ...fields }),
  ).join("\n");

const project = (agent: string, caseFile: string) =>
  temporaryProject({ "agents/desk.mjs": agent, "cases.jsonl": caseFile });

test("Ctrl-C among 200 running cases: finished ones are on file once, running ones are cancelled", async () => {
  const there = project(
    `let asked = 0;
     export default ({ signal }) => {
       asked++;
       if (asked <= 60) return "ok";
       if (asked === 260) process.kill(process.pid, "SIGINT");
       // Some hear the signal, some do not.
       return new Promise((resolve, reject) => {
         if (asked % 2 === 0) signal.addEventListener("abort", () => reject(signal.reason));
       });
     };`,
    cases(500),
  );
  const { code, stdout, stderr } = await there.run(
    "test",
    "-i",
    "cases.jsonl",
    "--parallel",
    "200",
    "-o",
    "out.jsonl",
    "-o",
    "out.json",
  );
  expect({ code, stderr }).toEqual({ code: 130, stderr: "" });
  const rows = lines(there.read("out.jsonl"));
  expect(rows).toHaveLength(260);
  expect(new Set(rows.map((row) => row["id"])).size).toBe(260);
  expect(rows.filter((row) => row["status"] === "passed")).toHaveLength(60);
  const cancelled = rows.filter((row) => row["status"] === "skipped");
  expect(cancelled).toHaveLength(200);
  for (const row of cancelled) expect(row["skip_reason"]).toBe("cancelled");
  const document = JSON.parse(there.read("out.json")) as {
    results: unknown[];
    summary: Record<string, unknown>;
  };
  expect(document.results).toHaveLength(260);
  expect(document.summary).toMatchObject({
    interrupted: true,
    total: 260,
    passed: 60,
    skipped: 200,
    not_run: 240,
  });
  expect(stdout).toContain("Not run: 240");
  expect(stdout).toContain("Interrupted");
});

test("Ctrl-C twice ends at once, with what is on file so far", async () => {
  const there = project(
    `export default {
       respond: ({ testId }) => {
         if (testId === "c0") return "ok";
         process.kill(process.pid, "SIGINT");
         return new Promise(() => {});
       },
       close: (session) => {
         if (++closed === 1) return;
         process.kill(process.pid, "SIGINT");
         return new Promise(() => {});
       },
     };
     let closed = 0;`,
    cases(3),
  );
  const { code, stdout } = await there.run("test", "-i", "cases.jsonl", "-o", "out.jsonl");
  expect(code).toBe(130);
  expect(stdout).not.toContain("Summary");
  expect(lines(there.read("out.jsonl")).map((row) => row["id"])).toEqual(["c0"]);
});

test("a case that passes on its second attempt is flaky, and says why", async () => {
  const there = project(
    `let asked = 0;
     export default () => { if (++asked === 1) throw new Error("warming up"); return "ok"; };`,
    cases(2),
  );
  const { code, stdout } = await there.run("test", "-i", "cases.jsonl", "--retries", "2");
  expect(code).toBe(0);
  expect(stable(stdout)).toContain(
    "✓ [c0] (1 turn, TIME) flaky: attempt 2 passed; the first: agent error: warming up (agents/desk.mjs:2)\n✓ [c1] (1 turn, TIME)\n",
  );
  expect(stdout).toContain("Flaky:   1\n");
});

test("trials: a row for each, the rate of each case, the exit code of the worst", async () => {
  const there = project(
    `let asked = 0;
     export default ({ testId }) => (testId === "c0" && ++asked === 2 ? "no" : "ok");`,
    cases(2),
  );
  const { code, stdout } = await there.run(
    "test",
    "-i",
    "cases.jsonl",
    "--runs",
    "4",
    "-o",
    "out.jsonl",
  );
  expect(code).toBe(1);
  expect(stable(stdout).replace(/^[\s\S]*Summary\n/, "")).toMatchInlineSnapshot(`
    "───────────────────────────────────────────────────────────────
      Total:   2 tests
      Passed:  1
      Failed:  1
      Skipped: 0
      Trials:  7 of 8 passed

      Total turns: 8
      Avg turns/test: 1.0
      Total time: TIME

      Trials passed:
      [c0] 3 of 4 (75 %)

      Not passed:
      ✗ [c0] (trial 2 of 4) turn 1: expected "ok", got "no"

    Results: out.jsonl
    "
  `);
  expect(
    lines(there.read("out.jsonl")).map(
      ({ id, trial, trials, status }) => `${id} ${trial}/${trials} ${status}`,
    ),
  ).toEqual([
    "c0 1/4 passed",
    "c0 2/4 failed",
    "c0 3/4 passed",
    "c0 4/4 passed",
    ...[1, 2, 3, 4].map((trial) => `c1 ${trial}/4 passed`),
  ]);
});

test("fail fast: the first failure ends the run, with exit 1 and no talk of an interruption", async () => {
  const there = project(
    'export default ({ testId }) => (testId === "c1" ? "no" : "ok");',
    cases(9),
  );
  const { code, stdout } = await there.run("test", "-i", "cases.jsonl", "--fail-fast");
  expect(code).toBe(1);
  expect(stdout).toContain("Not run: 7");
  expect(stdout).toContain("Stopped at the first failure (--fail-fast)");
  expect(stdout).not.toContain("Interrupted");
});

test("cases that the run itself cancelled are no skipped ones", async () => {
  const there = project(
    `import { InfrastructureError } from "turnwise";
     export default ({ testId, signal }) => {
       if (testId === "c1") throw new InfrastructureError("no route");
       return new Promise((resolve) => signal.addEventListener("abort", () => resolve("late")));
     };`,
    cases(2),
  );
  const args = ["test", "-i", "cases.jsonl", "--fail-fast", "--fail-on-skip", "--parallel", "2"];
  expect((await there.run(...args)).code).toBe(3);
});

test("skipped cases are green, unless they must not be", async () => {
  const there = project(
    'export default () => "ok";',
    `${cases(1)}\n{"id": "later", "input": "hi", "skip": "not yet"}`,
  );
  expect((await there.run("test", "-i", "cases.jsonl")).code).toBe(0);
  expect((await there.run("test", "-i", "cases.jsonl", "--fail-on-skip")).code).toBe(1);
});

test("--json: events on standard output, and nothing else, whatever the agent prints", async () => {
  const there = project(
    `console.log("loading");
     process.stdout.write("more\\n");
     export default ({ input }) => {
       console.log("thinking about", input);
       return { content: "ok", toolCalls: [{ name: "find", arguments: {}, result: 1 }] };
     };`,
    `${cases(1)}\n${cases(1, { id: "no", assert: { value: "no" } })}`,
  );
  there.write("turnwise.config.json", '{"reporters": ["console"]}');
  const { code, stdout, stderr } = await there.run(
    "test",
    "-i",
    "cases.jsonl",
    "--json",
    "-o",
    "out.jsonl",
  );
  expect(code).toBe(1);
  expect(stderr).toContain("loading\nmore\nthinking about hi\n");
  const events = lines(stdout);
  expect(events.map((event) => event["type"])).toEqual([
    "run-start",
    ...[1, 2].flatMap(() => [
      "case-start",
      "turn-start",
      "agent-call-start",
      "agent-call-end",
      "tool-call",
      "turn-end",
      "case-end",
    ]),
    "run-end",
  ]);
  const rows = lines(there.read("out.jsonl"));
  expect(
    events.filter((event) => event["type"] === "case-end").map((event) => event["result"]),
  ).toEqual(rows);
  expect(events.at(-1)!["summary"]).toMatchObject({ total: 2, passed: 1, failed: 1 });
});

test("--json with problems: nothing on standard output", async () => {
  const there = project('export default () => "ok";', '{"id": "a", "inptu": "hi"}');
  const { code, stdout, stderr } = await there.run("test", "-i", "cases.jsonl", "--json");
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain('did you mean "input"?');
});

test("what code of the project prints is not mixed with cases either", async () => {
  const there = temporaryProject({
    "cases.mjs":
      'console.log("made"); export default [{ id: "a", input: "hi", assert: { value: "x" } }];',
  });
  for (const args of [["list"], ["test", "--dry-run"]]) {
    const { stdout, stderr } = await there.run(...args, "-i", "cases.mjs");
    expect(stdout).not.toContain("made");
    expect(stdout.trim().split("\n")).toHaveLength(1);
    expect(stderr).toContain("made");
  }
});

test("-o results.json is one document with the facts of the run, its results and its summary", async () => {
  const there = project('export default () => "ok";', cases(2));
  expect((await there.run("test", "-i", "cases.jsonl", "-o", "out/results.json")).code).toBe(0);
  const document = JSON.parse(there.read("out/results.json")) as Record<string, unknown>;
  expect(document).toMatchObject({
    agent: "desk",
    total: 2,
    inputs: [{ kind: "file", name: "cases.jsonl", cases: 2 }],
    results: [{ id: "c0", status: "passed" }, { id: "c1" }],
    summary: { total: 2, passed: 2 },
  });
});

test("options that contradict each other, and numbers that are none", async () => {
  const there = project('export default () => "ok";', cases(1));
  const said = async (...args: string[]) => {
    const { code, stdout, stderr } = await there.run("test", "-i", "cases.jsonl", ...args);
    return { code, stdout, error: stderr.split("\n")[0] };
  };
  expect(await said("--json", "--quiet")).toEqual({
    code: 2,
    stdout: "",
    error: "error: option '--json' cannot be used with option '--quiet'",
  });
  expect(await said("--retries", "-1")).toMatchObject({
    code: 2,
    error:
      "error: option '--retries <number>' argument '-1' is invalid. Expected a whole number of at least 0.",
  });
  expect(await said("--repeat", "0")).toMatchObject({ code: 2 });
  expect(await said("--max-turns", "many")).toMatchObject({ code: 2 });
});

test("a limit of turns does not shorten a script, and says so", async () => {
  const there = project(
    'export default () => "ok";',
    '{"id": "a", "turns": [{"input": "a", "assert": {"value": "ok"}}, {"input": "b"}]}',
  );
  const args = ["test", "-i", "cases.jsonl", "--max-turns", "1"];
  const { code, stdout, stderr } = await there.run(...args);
  expect(code).toBe(0);
  expect(stdout).toContain("Total turns: 2");
  expect(stderr).toContain(
    "warning cases.jsonl:1  [a] turns: the limit of 1 turns does not shorten this script of 2: it bounds simulators and humans (ignored)",
  );
  expect((await there.run(...args, "--strict")).code).toBe(2);
});

test("checkpoints, invariants and what differs, on the screen", async () => {
  const there = project(
    `export default ({ turn }) => turn === 1
       ? "Hello.\\nYour order is open.\\nBye."
       : { content: "", data: { status: "open", lines: [1, 2] } };`,
    JSON.stringify({
      id: "order",
      turns: [
        { input: "hi", assert: { value: "Hello.\nYour order is closed.\nBye." } },
        {
          input: "and?",
          assert: { type: "json_path", path: "$", value: { lines: [1, 3], status: "open" } },
        },
      ],
      checkpoints: [
        { id: "greeted", assertions: { type: "starts_with", value: "Hello" } },
        { id: "paid", assertions: { type: "contains", value: "paid" }, after: ["greeted"] },
        { id: "thanked", assertions: { type: "contains", value: "thank" }, required: false },
      ],
      invariants: [
        { type: "contains", value: "Hello" },
        { type: "length", max: 100 },
      ],
    }),
  );
  const { code, stdout } = await there.run("test", "-i", "cases.jsonl");
  expect(code).toBe(1);
  expect(stable(stdout)).toMatchInlineSnapshot(`
    "═══════════════════════════════════════════════════════════════
      Turnwise
    ═══════════════════════════════════════════════════════════════
    ℹ Agent: desk
    ℹ Input: cases.jsonl (1 test case)

    ───────────────────────────────────────────────────────────────
      Running Tests
    ───────────────────────────────────────────────────────────────

    ► [order] (2 turns)
      ├─ Turn 1: "hi" → FAILED (TIME)
      │          Agent: "Hello. Your order is open. Bye."
      │          ✗ equals "Hello.\\nYour order is closed.\\nBye."
      │            expected "Hello.\\nYour order is closed.\\nBye.", got "Hello.\\nYour order is open.\\nBye."
      │            expected                                │ actual
      │            Hello.                                  │ Hello.
      │            Your order is closed.                   ≠ Your order is open.
      │            Bye.                                    │ Bye.
      │
      ├─ Turn 2: "and?" → FAILED (TIME)
      │          Agent: "{"status":"open","lines":[1,2]}"
      │          ✗ $ = {"lines":[1,3],"status":"open"}
      │            $ (in the reply) was to be {"lines":[1,3],"status":"open"}, got {"status":"open","lines":[1,2]}
      │            expected                                │ actual
      │            …                                       │ …
      │              "lines": [                            │   "lines": [
      │                1                                   │     1
      │                3                                   ≠     2
      │              ]                                     │   ]
      │              "status": "open"                      │   "status": "open"
      │            …                                       │ …
      │          ✗ invariant: contains "Hello"
      │            expected the reply to contain "Hello", got "{\\"status\\":\\"open\\",\\"lines\\":[1,2]}"
      │
      ├─ Checkpoints: 1 of 3 reached
      │  ✓ greeted (turn 1)
      │  ✗ paid: turn 2: expected the reply to contain "paid", got "{\\"status\\":\\"open\\",\\"lines\\":[1,2]}"
      │  - thanked (not required): turn 2: expected the reply to contain "thank", got "{\\"status\\":\\"open\\",\\"lines\\":[1,2]}"
      │
      ├─ Invariants: FAILED
      │  ✗ contains "Hello" (turn 2)
      │    expected the reply to contain "Hello", got "{\\"status\\":\\"open\\",\\"lines\\":[1,2]}"
      │  ✓ length at most 100 (2 turns)
      │
      └─ Result: FAILED (blame: agent)
         Run again: npx turnwise test -i cases.jsonl --grep '^order$'

    ───────────────────────────────────────────────────────────────
      Summary
    ───────────────────────────────────────────────────────────────
      Total:   1 test
      Passed:  0
      Failed:  1
      Skipped: 0

      Total turns: 2
      Avg turns/test: 2.0
      Total time: TIME

      Not passed:
      ✗ [order] turn 1: expected "Hello.\\nYour order is closed.\\nBye.", got "Hello.\\nYour order is open.\\nBye."
    "
  `);
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "%s ends a run, and the programs that it has started with their children",
  async (signal) => {
    // The program starts a child, says who both are, and hangs. The signal comes when it has.
    const there = temporaryProject({
      "turnwise.config.json":
        '{"agents": {"desk": {"type": "command", "command": ["node", "desk.mjs"]}}}',
      "desk.mjs": `
        import { spawn } from "node:child_process";
        import { writeFileSync } from "node:fs";
        const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
        process.stdin.once("data", () => {
          writeFileSync("pids", process.pid + " " + child.pid);
          process.kill(process.ppid, ${JSON.stringify(signal)});
        });
      `,
      "cases.jsonl": cases(1),
    });
    const { code, stdout } = await there.run("test", "-i", "cases.jsonl");
    expect(code).toBe(130);
    expect(stdout).toContain("cancelled");
    const pids = there.read("pids").split(" ").map(Number);
    await vi.waitFor(() => expect(pids.filter(isRunning)).toEqual([]));
  },
);
