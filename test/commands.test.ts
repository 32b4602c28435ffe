import { expect, test } from "vitest";
import { stable, temporaryProject } from "./support/cli.js";

const has = (value: string) => ({ type: "contains", value });
const one = { id: "one", name: "First", tags: ["smoke", "en"], input: "hi", assert: has("hi") };
const two = {
  id: "two",
  tags: ["slow"],
  turns: [{ input: "a", assertions: has("a") }, { input: "b" }],
};

function project(files: Readonly<Record<string, string>> = {}) {
  return temporaryProject({
    "agents/echo.ts": "export default ({ input }) => `you said ${input}`;",
    "tests/a.jsonl": [one, two].map((item) => JSON.stringify(item)).join("\n"),
    "tests/deep/b.yaml": "- id: three\n  input: hi\n  skip: later\n",
    "tests/c.ts": "export default [{ id: 'four', input: 'hi', expected: 'you said hi' }];",
    ...files,
  });
}

test("list: a line a case, tabs between, whatever the file type", async () => {
  const { code, stdout, stderr } = await project().run(
    "list",
    "-i",
    "tests/**/*.{jsonl,yaml}",
    "-i",
    "tests/c.ts",
  );
  expect({ code, stdout, stderr }).toMatchInlineSnapshot(`
    {
      "code": 0,
      "stderr": "4 cases
    ",
      "stdout": "one	1 turn	First	#smoke #en
    two	2 turns		#slow
    three	1 turn			skipped: later
    four	1 turn
    ",
    }
  `);
});

test("validate: says how much is valid; problems and warnings as before a run", async () => {
  const there = project();
  const patterns = ["-i", "tests/**/*.jsonl", "-i", "tests/**/*.yaml", "-i", "tests/c.ts"];
  expect(await there.run("validate", ...patterns)).toEqual({
    code: 0,
    stdout: "4 cases are valid, in 3 inputs.\n",
    stderr: "",
  });
  there.write("tests/d.jsonl", '{"id": "one", "input": "hi"}');
  const bad = await there.run("validate", ...patterns);
  expect(bad.code).toBe(2);
  expect(bad.stderr).toContain(
    'error tests/d.jsonl:1  [one] id: the id "one" is taken already, by tests/a.jsonl:1',
  );
});

test("--strict: warnings are problems before a run, and after it", async () => {
  const there = project({ "tests/a.jsonl": '{"id": "a", "input": "hi"}' });
  expect((await there.run("validate", "-i", "tests/a.jsonl")).code).toBe(0);
  const strict = await there.run("test", "-i", "tests/a.jsonl", "--strict");
  expect(strict).toMatchObject({ code: 2, stdout: "" });
  expect(strict.stderr).toContain("error tests/a.jsonl:1  [a] this case checks nothing");
  const skipped = await there.run("test", "-i", "tests/deep/b.yaml", "--strict");
  expect(skipped.code).toBe(2);
  expect(skipped.stdout).toContain("every case was skipped");
  expect((await there.run("test", "-i", "tests/deep/b.yaml")).code).toBe(0);
});

test("--grep and --tag select; nothing selected is not green", async () => {
  const there = project();
  const ids = async (...args: string[]) =>
    (await there.run("list", "-i", "tests/a.jsonl", ...args)).stdout
      .split("\n")
      .map((line) => line.split("\t")[0])
      .filter((id) => id !== "");
  expect(await ids("--grep", "^t")).toEqual(["two"]);
  expect(await ids("--grep", "(?i)first")).toEqual(["one"]);
  expect(await ids("--tag", "slow")).toEqual(["two"]);
  expect(await ids("--tag", "slow", "--tag", "en")).toEqual(["one", "two"]);
  expect(await ids("--tag", "slow", "--grep", "one")).toEqual([]);
  const none = await there.run("test", "-i", "tests/a.jsonl", "--grep", "nomatch");
  expect(none.code).toBe(2);
  expect(none.stderr).toContain("none of the 2 cases is selected by the filter");
  expect((await there.run("test", "-i", "tests/a.jsonl", "--grep", "(")).stderr).toContain(
    "--grep: invalid pattern /(/",
  );
  const { stdout } = await there.run("test", "-i", "tests/a.jsonl", "--tag", "smoke");
  expect(stdout).toContain("Total:   1 test");
});

test("--dry-run writes cases that run unchanged", async () => {
  const there = project();
  const dry = await there.run("test", "-i", "tests/**/*.jsonl", "-i", "tests/c.ts", "--dry-run");
  expect(dry).toMatchObject({ code: 0, stderr: "" });
  const file = await there.run(
    "test",
    "-i",
    "tests/**/*.jsonl",
    "-i",
    "tests/c.ts",
    "--dry-run",
    "-o",
    "out/all.jsonl",
  );
  expect(file).toEqual({
    code: 0,
    stdout: "",
    stderr: "3 cases written to out/all.jsonl; nothing was run.\n",
  });
  expect(there.read("out/all.jsonl")).toBe(dry.stdout);
  expect(there.read("out/all.jsonl")).toMatchInlineSnapshot(`
    "{"id":"one","name":"First","input":"hi","assertions":[{"type":"contains","value":"hi"}],"tags":["smoke","en"]}
    {"id":"two","tags":["slow"],"turns":[{"input":"a","assertions":[{"type":"contains","value":"a"}]},{"input":"b","assertions":[]}]}
    {"id":"four","input":"hi","assertions":[{"type":"equals","value":"you said hi"}]}
    "
  `);
  const again = await there.run("test", "-i", "out/all.jsonl", "--dry-run");
  expect(again.stdout).toBe(dry.stdout);
  expect(await there.run("test", "-i", "out/all.jsonl")).toMatchObject({ code: 0, stderr: "" });
  expect((await there.run("test", "-i", "tests/a.jsonl", "--dry-run", "-o", "x.xml")).code).toBe(2);
});

test("-i - reads JSONL from a pipe", async () => {
  const there = project();
  const { code, stdout, stderr } = await there.pipe(
    `${JSON.stringify(one)}\n`,
    "test",
    "-i",
    "-",
    "--quiet",
  );
  expect({ code, stdout: stable(stdout), stderr }).toMatchInlineSnapshot(`
    {
      "code": 0,
      "stderr": "",
      "stdout": "───────────────────────────────────────────────────────────────
      Summary
    ───────────────────────────────────────────────────────────────
      Total:   1 test
      Passed:  1
      Failed:  0
      Skipped: 0

      Total turns: 1
      Avg turns/test: 1.0
      Total time: TIME
    ",
    }
  `);
  expect((await there.pipe("", "test", "-i", "-")).stderr).toContain(
    "error standard input  there is no test case in it",
  );
});

test("--quiet shows what did not pass", async () => {
  const there = project();
  there.write(
    "tests/d.jsonl",
    `${JSON.stringify(one)}\n{"id": "bad", "input": "hi", "expected": "no"}`,
  );
  const { stdout } = await there.run("test", "-i", "tests/d.jsonl", "--quiet");
  expect(stable(stdout)).toMatchInlineSnapshot(`
    "► [bad]
      ├─ Turn 1: "hi" → FAILED (TIME)
      │          Agent: "you said hi"
      │          ✗ equals "no"
      │            expected "no", got "you said hi"
      │
      └─ Result: FAILED (blame: agent)
         Run again: npx turnwise test -i tests/d.jsonl --grep '^bad$'

    ───────────────────────────────────────────────────────────────
      Summary
    ───────────────────────────────────────────────────────────────
      Total:   2 tests
      Passed:  1
      Failed:  1
      Skipped: 0

      Total turns: 2
      Avg turns/test: 1.0
      Total time: TIME

      Not passed:
      ✗ [bad] turn 1: expected "no", got "you said hi"
    "
  `);
});

test("a pattern that matches nothing is refused; node_modules is left out", async () => {
  const there = project({ "node_modules/x/tests/a.jsonl": "nope" });
  const none = await there.run("validate", "-i", "nowhere/**/*.jsonl");
  expect(none).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("no file matches this pattern"),
  });
  expect((await there.run("validate", "-i", "**/a.jsonl")).code).toBe(0);
});

test("only: the marked cases run, and no others", async () => {
  const there = project();
  there.write(
    "tests/a.jsonl",
    [{ ...one, only: true }, two].map((item) => JSON.stringify(item)).join("\n"),
  );
  const { stdout } = await there.run("test", "-i", "tests/a.jsonl");
  expect(stdout).toContain("Total:   1 test");
});

test("all types of files in one run", async () => {
  const there = project();
  there.write("tests/e.json", JSON.stringify([{ id: "five", input: "x", assert: has("x") }]));
  const { code, stdout } = await there.run("test", "-i", "tests/**/*.*");
  expect(code).toBe(0);
  expect(stable(stdout).split("\n").slice(3, 20).join("\n")).toMatchInlineSnapshot(`
    "ℹ Agent: echo
    ℹ Input: tests/a.jsonl (2 test cases)
    ℹ Input: tests/c.ts (1 test case)
    ℹ Input: tests/deep/b.yaml (1 test case)
    ℹ Input: tests/e.json (1 test case)

    ───────────────────────────────────────────────────────────────
      Running Tests
    ───────────────────────────────────────────────────────────────

    ✓ [one] First (1 turn, TIME)
    ✓ [two] (2 turns, TIME)
    ✓ [four] (1 turn, TIME)

    ► [three]
      └─ Result: SKIPPED (later)
    "
  `);
});
