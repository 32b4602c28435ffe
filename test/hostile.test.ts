import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { CaseResult } from "@turnwise/core";
import { temporaryProject } from "./support/cli.js";

const cases = ["a", "b", "c"]
  .map((id) => JSON.stringify({ id, input: id, assert: { type: "contains", value: id } }))
  .join("\n");

function project(agent: string) {
  return temporaryProject({ "agents/it.ts": agent, "cases.jsonl": cases });
}

const rows = (text: string): string[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as CaseResult).id);

test("an output never overwrites what the run reads, under whatever name", async () => {
  const there = project("export default ({ input }) => input;");
  there.write("turnwise.config.json", "{}");
  symlinkSync(join(there.root, "cases.jsonl"), join(there.root, "link.jsonl"));
  for (const output of ["cases.jsonl", "./cases.jsonl", "link.jsonl"]) {
    const { code, stderr } = await there.run("test", "-i", "cases.jsonl", "-o", output);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `error the results in ${output.replace("./", "")} would overwrite a case file of this run (conflict)\n    Name another file for the results.\n\n1 problem, nothing was run.\n`,
    });
    expect((await there.run("test", "-i", "cases.jsonl", "--dry-run", "-o", output)).code).toBe(2);
    expect(there.read("cases.jsonl")).toBe(cases);
  }
  there.write("turnwise.config.json", '{"reporters": [{"name": "jsonl", "path": "cases.jsonl"}]}');
  expect((await there.run("test", "-i", "cases.jsonl")).code).toBe(2);
  expect(there.read("cases.jsonl")).toBe(cases);
  there.write("turnwise.config.json", "{}");
  const twice = await there.run("test", "-i", "cases.jsonl", "-o", "o.jsonl", "-o", "./o.jsonl");
  expect(twice).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("two reporters would write"),
  });
});

test.each([
  [
    "process.exit(0)",
    "export default ({ input }) => { if (input === 'b') process.exit(0); return input; };",
  ],
  ["process.exit while it loads", "process.exit(0); export default () => 'hi';"],
])("an agent that calls %s cannot make a run green", async (_, agent) => {
  const { code, stderr } = await project(agent).run("test", "-i", "cases.jsonl", "-n", "it");
  expect(code).toBe(3);
  expect(stderr).toContain("The run is not complete.");
});

test.each([
  ["an unhandled rejection", "void Promise.reject(new Error('left behind'));"],
  ["an error in a timer", "setTimeout(() => { throw new Error('left behind'); });"],
])("%s is shown, ends nothing, and is not green", async (_, stray) => {
  const there = project(
    `export default async ({ input }) => { if (input === "a") { ${stray} await new Promise((done) => setTimeout(done, 20)); } return input; };`,
  );
  const { code, stdout, stderr } = await there.run("test", "-i", "cases.jsonl", "-o", "out.jsonl");
  expect(code).toBe(3);
  expect(stderr).toContain("left behind");
  expect(stdout).toContain("Passed:  3");
  expect(rows(there.read("out.jsonl"))).toEqual(["a", "b", "c"]);
});

test("an unawaited resolveTool is no stray", async () => {
  const there = project(
    "export default ({ input, resolveTool }) => { void resolveTool('x', {}); return input; };",
  );
  expect(await there.run("test", "-i", "cases.jsonl")).toMatchObject({ code: 0, stderr: "" });
});

test("Ctrl-C: what is running is cancelled, what is finished is written, exit 130", async () => {
  const there = project(
    `export default ({ input }) => {
       if (input !== "b") return input;
       process.kill(process.pid, "SIGINT");
       return new Promise(() => {});
     };`,
  );
  const { code, stdout } = await there.run("test", "-i", "cases.jsonl", "-o", "out.jsonl");
  expect(code).toBe(130);
  expect(stdout).toContain("Interrupted");
  expect(rows(there.read("out.jsonl"))).toEqual(["a", "b"]);
  expect(there.read("out.jsonl")).toContain('"skip_reason":"cancelled"');
});

test("a reply that is nested without end hurts its own case only, also when there are secrets", async () => {
  const there = project(
    `export default ({ input }) => input === "b"
       ? { content: input, toolCalls: [{ name: "t", arguments: "[".repeat(10000) + "]".repeat(10000) }] }
       : input;`,
  );
  there.write(".env", "API_KEY=0123456789abcdef\n");
  const { code, stderr } = await there.run("test", "-i", "cases.jsonl", "-o", "out.jsonl");
  expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  expect(rows(there.read("out.jsonl"))).toEqual(["a", "b", "c"]);
});

test("what steers a terminal comes through neither from replies nor from ids", async () => {
  const there = project('export default () => "a\\u001b[2Jb\\u0007c\\u202ed";');
  there.write("bad.jsonl", '{"id": "\\u001b[31mred\\u001b[2J", "input": "x", "zz": 1}');
  const bad = await there.run("test", "-i", "bad.jsonl");
  const good = await there.run("test", "-i", "cases.jsonl", "-v");
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  expect(`${bad.stderr}${good.stdout}`).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u202E]/);
  expect(good.stdout).toContain("abcd");
});
