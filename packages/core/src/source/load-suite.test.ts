import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Project, TestCase } from "../index.js";
import { SuiteChangedError, formatProblem, loadProject, loadSuite, parseCases } from "../index.js";

let cwd: string;
let project: Project;
beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), "turnwise-suite-"));
  writeFileSync(
    join(cwd, "turnwise.config.mjs"),
    "export default { agents: { echo: ({ input }) => input } };",
  );
  project = await loadProject({ root: cwd, env: {} });
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

function file(name: string, content: string | Buffer): string {
  writeFileSync(join(cwd, name), content);
  return name;
}

async function load(...inputs: string[]) {
  const loaded = await loadSuite(inputs, { project, cwd });
  if (loaded.suite === undefined)
    return {
      problems: loaded.problems.map(formatProblem),
      codes: loaded.problems.map((p) => p.code),
    };
  const cases: TestCase[] = [];
  for await (const testCase of loaded.suite) cases.push(testCase);
  return { ids: cases.map((testCase) => testCase.id), suite: loaded.suite, cases };
}

test("JSONL: blank lines, comments, a byte order mark, CRLF, no last line break", async () => {
  const name = file(
    "a.jsonl",
    '\uFEFF{"id": "a", "input": "hi"}\r\n\r\n  // a comment\r\n{"id": "b", "input": "x\u2028y"}\n{"id": "c", "input": "z"}',
  );
  const { ids, cases, suite } = await load(name);
  expect(ids).toEqual(["a", "b", "c"]);
  expect(cases?.[1]?.turns[0]?.input).toBe("x\u2028y");
  expect(suite).toMatchObject({ count: 3, inputs: [{ kind: "file", name: "a.jsonl", cases: 3 }] });
});

test("a line longer than the chunks of a stream comes whole", async () => {
  const long = "ä".repeat(200_000);
  const { cases } = await load(file("a.jsonl", JSON.stringify({ id: "a", input: long })));
  expect(cases?.[0]?.turns[0]?.input).toBe(long);
});

test("JSON: one case or an array of them", async () => {
  file("one.json", '{"id": "a", "input": "hi"}');
  file("many.json", '[{"id": "b", "input": "hi"}, {"id": "c", "input": "hi"}]');
  expect((await load("one.json", "many.json")).ids).toEqual(["a", "b", "c"]);
});

test("a suite can be read more than once", async () => {
  const { suite } = await load(file("a.jsonl", '{"id": "a", "input": "hi"}'));
  const again: string[] = [];
  for await (const testCase of suite!) again.push(testCase.id);
  expect(again).toEqual(["a"]);
});

test("a text that is no file is a message", async () => {
  for (const text of ["Hello, how are you?", "Why?", "What is [this]?", "Is a*b right?"])
    expect((await load(text)).cases?.[0]?.turns).toEqual([{ input: text, assertions: [] }]);
});

test("only the marked cases run, if there are any", async () => {
  const name = file(
    "a.jsonl",
    '{"id": "a", "input": "x"}\n{"id": "b", "input": "x", "only": true}\n',
  );
  const { ids, suite } = await load(name);
  expect(ids).toEqual(["b"]);
  expect(suite?.count).toBe(1);
});

test("all problems of all files at once, each with its line", async () => {
  file("a.jsonl", '{"id": "a", "input": "hi"}\n{"id": "b", "inptu": "hi"}\n{"id": \n');
  file("b.json", '[\n  {"id": "a", "input": "hi"},\n  {"id": "c",\n   "timeout": "soon"}\n]');
  expect((await load("a.jsonl", "b.json", "missing.jsonl")).problems).toEqual([
    "missing.jsonl  there is no such file",
    'a.jsonl:2  [b] inptu: there is no such field; did you mean "input"?',
    "a.jsonl:3  not valid JSON: Unexpected end at column 7\n    Each line of a .jsonl file is one whole JSON object.",
    'b.json:2  [a] id: the id "a" is taken already, by a.jsonl:1\n    Ids must be unique in a run: results are told apart by them.',
    'b.json:4  [c] timeout: invalid duration: expected a duration such as "30s", "5m", "1h" or a number of milliseconds, got "soon"',
  ]);
});

test("both places of a duplicate are named, in JSON too", async () => {
  file("a.json", '[\n{"id": "a", "input": "x"},\n{"id": "a", "input": "x"}\n]');
  expect((await load("a.json")).problems?.[0]).toContain(
    'a.json:3  [a] id: the id "a" is taken already, by a.json:2',
  );
});

test.each([
  ['{\n"id": "a",\n"input": }', 3],
  ['{\n"id": "a",\n"input": undefined\n}', 3],
  ["{\n\"id\": 'a'\n}", 2],
  ['{\n"id": "a"\n"input": "x"\n}', 3],
  ['{\n"id": "a",\n', 3],
  ['{"id": x}', 1],
])("the line at which %j breaks", async (text, line) => {
  const { problems } = await load(file("a.json", text));
  expect(problems?.[0]).toMatch(new RegExp(`^a\\.json:${line}  not valid JSON`));
});

test.each<[string, string | Buffer, string]>([
  ["an empty file", "", "no_cases"],
  ["only comments", "// nothing\n\n", "no_cases"],
  ["an empty JSON file", " \n", "no_cases"],
  ["an empty array", "[]", "no_cases"],
  ["UTF-16", Buffer.from('\uFEFF{"id": "a", "input": "hi"}', "utf16le"), "invalid_encoding"],
  ["Latin-1", Buffer.from('{"id": "a", "input": "caf\u00E9"}', "latin1"), "invalid_encoding"],
])("%s is refused", async (name, content, code) => {
  const extension = name.includes("JSON") || name.includes("array") ? "json" : "jsonl";
  expect((await load(file(`a.${extension}`, content))).codes).toContain(code);
});

test("a replacement character that stands there as such is fine", async () => {
  const { cases } = await load(file("a.jsonl", '{"id": "a", "input": "\uFFFD"}'));
  expect(cases?.[0]?.turns[0]?.input).toBe("\uFFFD");
});

test.each([
  ["missing.jsonl", "missing_file"],
  ["missing.yaml", "missing_file"],
  [".", "missing_file"],
  ["", "invalid_value"],
  ["tests/**/*.jsonl", "not_supported"],
  ["tests/*", "not_supported"],
  ["-", "not_supported"],
  ["agents:generator?count=3", "not_supported"],
])("the input %j is refused as %s", async (input, code) => {
  expect((await load(input)).codes).toEqual([code]);
});

test("kinds of files to come are refused by name", async () => {
  file("a.yaml", "id: a");
  file("a.ts", "export default []");
  file("a.csv", "id");
  expect((await load("a.yaml", "a.ts", "a.csv")).problems).toEqual([
    "a.yaml  YAML files are not supported yet; use .jsonl or .json",
    "a.ts  TypeScript modules are not supported yet; use .jsonl or .json",
    'a.csv  a file of the type ".csv" is not a case file; use .jsonl or .json',
  ]);
});

test("a case that checks nothing is a warning", async () => {
  const { suite } = await load(file("a.jsonl", '{"id": "a", "input": "hi"}'));
  expect(suite?.warnings).toMatchObject([{ code: "no_assertions", file: "a.jsonl", line: 1 }]);
});

test("a file that was saved between the passes stops the run", async () => {
  const name = file("a.jsonl", '{"id": "a", "input": "hi"}\n');
  const { suite } = await load(name);
  appendFileSync(join(cwd, name), '{"id": "b", "input": "hi"}\n');
  const read = async (): Promise<void> => {
    for await (const _ of suite!);
  };
  await expect(read()).rejects.toSatisfy((error) => SuiteChangedError.isInstance(error));
});

test("a million problems are counted, not kept", async () => {
  const name = file("a.jsonl", "{}\n".repeat(5_000));
  const { problems } = await load(name);
  expect(problems).toHaveLength(1_001);
  expect(problems?.at(-1)).toBe("and 4000 more");
});

test("parsing in one pass gives each case or its problem", async () => {
  const name = file("a.jsonl", '{"id": "a", "input": "hi"}\nnope\n{"id": "b", "input": "hi"}\n');
  const seen: string[] = [];
  for await (const item of parseCases([name], { cwd }))
    seen.push("testCase" in item ? item.testCase.id : item.problem.code);
  expect(seen).toEqual(["a", "invalid_json", "b"]);
});
