import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Project, TestCase } from "../index.js";
import {
  SuiteChangedError,
  formatProblem,
  loadProject,
  loadSuite,
  parseCases,
  runSuite,
} from "../index.js";

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
      problems: loaded.problems.filter((p) => p.severity === "error").map(formatProblem),
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
  ["tests/**/*.jsonl", "missing_file"],
  ["tests/*", "missing_file"],
  ["agents:generator?count=3", "unknown_agent"],
  ["agent:generator", "invalid_reference"],
])("the input %j is refused as %s", async (input, code) => {
  expect((await load(input)).codes).toEqual([code]);
});

test("YAML: cases with lines, 1.2 core schema, comments", async () => {
  const name = file(
    "a.yaml",
    "# the cases\n- id: yes\n  input: 2027-05-12\n- id: b\n  input: >-\n    folded\n    text\n  name: on\n",
  );
  const { cases, problems } = await load(name);
  expect(problems).toBeUndefined();
  expect(cases?.map(({ id, turns }) => [id, turns[0]?.input])).toEqual([
    ["yes", "2027-05-12"],
    ["b", "folded text"],
  ]);
  expect((await load(file("one.yml", "id: a\ninput: hi\n"))).ids).toEqual(["a"]);
});

test.each<[string, string, string]>([
  [
    "a number as id, with its line",
    "- id: a\n  input: hi\n- id: 007\n  input: hi\n",
    "a.yaml:3  id: expected a string, got 7",
  ],
  ["a key twice", "id: a\ninput: hi\nid: b\n", "a.yaml:3  the key"],
  ["broken", "id: [a\ninput: hi\n", "a.yaml:2  "],
  [
    "a tag that nobody knows",
    "id: !!js/function 'x'\ninput: hi\n",
    "a.yaml:1  not valid YAML: Unresolved tag",
  ],
  [
    "two documents",
    "id: a\ninput: hi\n---\nid: b\n",
    "a.yaml:3  not valid YAML: Source contains multiple documents at column 1",
  ],
  ["nothing but comments", "# soon\n", "a.yaml  there is no test case in it"],
  [
    "anchors that multiply",
    `a: &a [${"x,".repeat(9)}x]\n${["b", "c", "d", "e"].map((key, index) => `${key}: &${key} [${`*${"abcd"[index]},`.repeat(9)}*${"abcd"[index]}]`).join("\n")}\n`,
    "a.yaml  Excessive alias count",
  ],
])("YAML with %s is refused", async (_, text, problem) => {
  const { problems } = await load(file("a.yaml", text));
  expect(problems?.join("\n")).toContain(problem);
});

test.each<[string, string, string]>([
  [
    "an array",
    "a.ts",
    "export default [{ id: 'a', input: 'hi' as string }, { id: 'b', input: 'x' }];",
  ],
  [
    "a function",
    "b.mjs",
    "export default () => [{ id: 'a', input: 'hi' }, { id: 'b', input: 'x' }];",
  ],
  [
    "an async function",
    "c.js",
    "export default async () => new Set([{ id: 'a', input: 'hi' }, { id: 'b', input: 'x' }]);",
  ],
  [
    "a generator",
    "d.ts",
    "export default function* () { yield { id: 'a', input: 'hi' }; yield { id: 'b', input: 'x' }; }",
  ],
  [
    "an async generator",
    "e.ts",
    "export default async function* () { yield { id: 'a', input: 'hi' }; yield { id: 'b', input: 'x' }; }",
  ],
])("a module with %s", async (_, name, text) => {
  expect((await load(file(name, text))).ids).toEqual(["a", "b"]);
});

test("a function is called once: both passes see the same cases", async () => {
  const name = file(
    "a.mjs",
    "let n = 0; export default () => [{ id: `call${++n}`, input: 'hi' }];",
  );
  const { suite, ids } = await load(name);
  expect(ids).toEqual(["call1"]);
  for await (const testCase of suite!) expect(testCase.id).toBe("call1");
});

test.each<[string, string, string]>([
  ["throws", "throw new Error('no luck');", "a.mjs  cannot load a.mjs: no luck"],
  ["has no default export", "export const cases = [];", "a.mjs  it has no default export"],
  [
    "exports a number",
    "export default 5;",
    "a.mjs  expected an array or iterable of cases as its default export, got number",
  ],
  ["exports text", "export default 'hi';", "got string"],
  ["exports nothing", "export default [];", "a.mjs  there is no test case in it"],
  [
    "has a bad case",
    "export default [{ id: 'a', inptu: 1 }];",
    "a.mjs  [a] inptu: there is no such field",
  ],
  [
    "has an id twice",
    "export default [{ id: 'a', input: '' }, { id: 'a', input: '' }];",
    "is taken already, by case 1 of a.mjs",
  ],
])("a module that %s is refused", async (_, text, problem) => {
  expect((await load(file("a.mjs", text))).problems?.join("\n")).toContain(problem);
});

test("- reads JSONL from a pipe, once, and holds it", async () => {
  async function* pipe(): AsyncGenerator<Buffer> {
    yield Buffer.from('{"id": "a", "inp');
    yield Buffer.from('ut": "hi"}\n{"id": "b", "input": "hi"}');
  }
  const { suite } = await loadSuite(["-"], { project, cwd, stdin: pipe() });
  for (let time = 0; time < 2; time++) {
    const ids: string[] = [];
    for await (const testCase of suite!) ids.push(testCase.id);
    expect(ids).toEqual(["a", "b"]);
  }
  const { problems } = await loadSuite(["-"], {
    project,
    cwd,
    stdin: (async function* () {
      yield Buffer.from("\nnope");
    })(),
  });
  expect(problems?.map(formatProblem)).toEqual([
    expect.stringMatching(/^standard input:2 {2}not valid JSON: Unexpected token/),
  ]);
});

test("a filter selects what runs; all is checked", async () => {
  file("a.jsonl", '{"id": "a", "input": "x"}\n{"id": "b", "input": "x"}\n');
  const only = (wanted: string) => ({ project, cwd, filter: ({ id }: TestCase) => id === wanted });
  const { suite } = await loadSuite(["a.jsonl"], only("b"));
  const ids: string[] = [];
  for await (const testCase of suite!) ids.push(testCase.id);
  expect([suite!.count, ids]).toEqual([1, ["b"]]);
  const none = await loadSuite(["a.jsonl"], only("z"));
  expect(none.problems?.[0]).toMatchObject({
    code: "no_cases",
    message: "none of the 2 cases is selected by the filter",
  });
  file("b.jsonl", '{"id": "c", "inptu": "x"}');
  expect((await loadSuite(["a.jsonl", "b.jsonl"], only("a"))).problems).toMatchObject([
    { severity: "error" },
    { severity: "warning" },
  ]);
});

test("a file of another type is refused", async () => {
  expect((await load(file("a.csv", "id"))).problems).toEqual([
    'a.csv  a file of the type ".csv" is not a case file; expected .jsonl, .json, .yaml, .yml, .ts, .mts, .js, .mjs',
  ]);
});

test("attachments are looked up beside the file, then in the project root", async () => {
  mkdirSync(join(cwd, "cases"));
  file("cases/beside.png", "png");
  file("root.pdf", "pdf");
  const name = file(
    "cases/a.jsonl",
    JSON.stringify({
      id: "a",
      input: "look",
      attachments: [
        { type: "image", source: "file://./beside.png" },
        { type: "file", source: "file://root.pdf", name: "Invoice" },
        { type: "image", source: "https://example.org/x.png" },
      ],
    }),
  );
  const seen: unknown[] = [];
  const { suite } = await loadSuite([name], { project, cwd });
  await runSuite({
    suite: suite!,
    project,
    agent: ({ attachments }) => {
      seen.push(...attachments);
      return "ok";
    },
  });
  expect(seen).toEqual([
    {
      type: "image",
      source: "data:image/png;base64,cG5n",
      mediaType: "image/png",
      name: "beside.png",
    },
    {
      type: "file",
      source: "data:application/pdf;base64,cGRm",
      mediaType: "application/pdf",
      name: "Invoice",
    },
    { type: "image", source: "https://example.org/x.png" },
  ]);
  const bad = file(
    "cases/b.jsonl",
    JSON.stringify({
      id: "b",
      turns: [
        {
          input: "look",
          attachments: [
            { type: "image", source: "file://gone.png" },
            { type: "image", source: "./beside.png" },
          ],
        },
      ],
    }),
  );
  expect((await load(bad)).problems?.map((text) => text.replaceAll(cwd, "ROOT"))).toEqual([
    "cases/b.jsonl:1  [b] turns[0].attachments[0].source: there is no such file: file://gone.png\n    Looked in ROOT/cases and ROOT.",
    'cases/b.jsonl:1  [b] turns[0].attachments[1].source: expected an address with file://, https:// or data:, got "./beside.png"\n    A file beside the cases is "file://./beside.png".',
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

test("what is suspicious is told beside what is wrong, and a broken case has taken its id", async () => {
  const name = file(
    "mixed.jsonl",
    [
      '{"id": "a", "input": "hi"}',
      '{"id": "b", "input": "hi", "asert": 1}',
      '{"id": "b", "input": "hi"}',
      '{"id": "c"}',
    ].join("\n"),
  );
  const { problems } = await loadSuite([name], {
    project: await loadProject({ root: cwd }),
    cwd,
    agent: null,
  });
  expect(problems?.map(({ severity, code, line }) => `${severity} ${code} ${line}`)).toEqual([
    "error unknown_key 2",
    "error duplicate_id 3",
    "warning no_assertions 1",
    "warning no_assertions 3",
    "warning missing_field 4",
  ]);
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

test("several messages have ids of their own", async () => {
  expect((await load("Hello", "Bye")).ids).toEqual(["message", "message-2"]);
});

test.each(["tests/sup.jsnl", "nowhere/else", "cases.jsnl", "sup.csv"])(
  "%s is a path with a slip in it, not a message",
  async (input) => {
    expect((await load(input)).codes).toEqual(["missing_file"]);
  },
);

test.each(["Hello", "Hi.", "https://example.org/x", "What is a/b?"])(
  "%s is a message",
  async (input) => {
    expect((await load(input)).ids).toEqual(["message"]);
  },
);

test("problems of assertions and references are shown beside those of the case itself", async () => {
  const name = file(
    "a.jsonl",
    '{"agent": "ehco", "asert": 1, "turns": [{"inptu": "hi", "assert": {"type": "contians"}}]}\n',
  );
  expect((await load(name)).codes).toEqual([
    "missing_field",
    "unknown_key",
    "unknown_key",
    "unknown_agent",
    "unknown_assertion",
  ]);
});

test("one object over many lines is one problem, with what to do", async () => {
  const { problems } = await load(file("a.jsonl", '{\n  "id": "a",\n  "input": "hi"\n}\n'));
  expect(problems).toEqual([expect.stringContaining("a file with one array or object is .json")]);
});

test("nesting without end is a problem of the case", async () => {
  const deep = "[".repeat(10_000) + "]".repeat(10_000);
  const { problems } = await load(
    file(
      "a.jsonl",
      `{"id": "a", "input": "x", "assert": {"value": ${deep}}}\n{"id": "b", "input": "x", "assert": ${deep}}\n`,
    ),
  );
  expect(problems).toEqual([
    "a.jsonl:1  [a] expected at most 200 levels of nesting in a case, got more",
    "a.jsonl:2  [b] expected at most 200 levels of nesting in a case, got more",
  ]);
});

test("a role that does not exist is one problem", async () => {
  const { problems } = await load(
    file("a.jsonl", '{"id": "a", "input": [{"role": "human", "content": "hi"}]}'),
  );
  expect(problems).toEqual([
    'a.jsonl:1  [a] input[0].role: expected one of "system", "user", "assistant", "tool", got "human"',
  ]);
});

test("fields of a message belong to its role", async () => {
  const history = [
    { role: "user", content: "hi", tool_calls: [] },
    { role: "assistant", content: [{ type: "image", source: "https://example.org/a.png" }] },
  ];
  const { problems } = await load(
    file("a.json", JSON.stringify({ id: "a", input: history, turns: [{ input: "x" }] })),
  );
  expect(problems).toEqual([
    'a.json:1  [a] input[0].tool_calls: "tool_calls" belongs to a message of the role "assistant", not "user"',
    'a.json:1  [a] input[1].content[0]: only messages of the role "user" can hold an image\n    Leave it out, or put it into a message of the user.',
  ]);
});

test("places of attachments and parts are those of the file", async () => {
  const name = file(
    "at.json",
    `[
  {
    "id": "a",
    "attachments": [
      {"type": "image", "source": "https://example.org/x.png"},
      {"type": "image", "source": "file://gone.png"}],
    "turns": [
      {"input": "x", "attachments": [
        {"type": "image", "source": "file://gone-too.png"}]}]
  },
  {
    "id": "b",
    "input": [
      {"role": "user", "content": "hi"},
      {"role": "assistant", "content": "hello"},
      {"role": "user", "content": [
        {"type": "image", "source": "file://gone.png"}]}]
  }
]`,
  );
  const { problems } = await load(name);
  expect(problems?.map((text) => text.split(":").slice(0, 2).join(":"))).toEqual([
    "at.json:6  [a] attachments[1].source",
    "at.json:9  [a] turns[0].attachments[0].source",
    "at.json:17  [b] input[2].content[0].source",
  ]);
});

test("cases of a module without an id are told by their position", async () => {
  const name = file(
    "m.mjs",
    "export default [{ id: 'a', input: 'x' }, 5, { input: 'y' }, { id: 'a', input: 'z' }];",
  );
  expect((await load(name)).problems).toEqual([
    'm.mjs  [1]: expected a test case (an object with an "id"), got number',
    "m.mjs  [2].id: required field is missing",
    expect.stringContaining("is taken already, by case 1 of m.mjs"),
  ]);
});

test("a file that cannot be read does not hide what is wrong with the others", async () => {
  symlinkSync("/proc/self/mem", join(cwd, "mem.jsonl"));
  file("bad.jsonl", '{"id": "a", "inptu": 1}');
  expect((await load("mem.jsonl", "bad.jsonl")).problems).toEqual([
    expect.stringMatching(/^mem\.jsonl {2}it cannot be read: EIO/),
    expect.stringContaining("bad.jsonl:1  [a] inptu"),
  ]);
});
