import { expect, test } from "vitest";
import { temporaryProject } from "./support/cli.js";

/*
 * Everything that can be wrong with what people write, a file for each kind of mistake, and the whole of what they read
 * then. Nothing may run, and nothing may pass unnoticed.
 */

const agents = {
  "agents/desk.js": "export default () => { throw new Error('the agent must not be asked'); };",
};

interface Entry {
  readonly files: Readonly<Record<string, string | Buffer>>;
  /** Default: `test` of every case file. */
  readonly args?: readonly string[];
}

/** One case on the second line of a JSONL file: the first is a good one. */
const line = (text: string | Buffer): Entry => ({
  files: {
    "cases.jsonl": Buffer.concat([
      Buffer.from('{"id": "good", "input": "hi", "assert": {"value": "x"}}\n'),
      Buffer.from(text),
      Buffer.from("\n"),
    ]),
  },
});
const of = (fields: object): Entry => line(JSON.stringify({ id: "a", ...fields }));
const asserting = (assertion: unknown): Entry => of({ input: "hi", assert: assertion });
const yaml = (text: string): Entry => ({ files: { "cases.yaml": text } });
const json = (text: string): Entry => ({ files: { "cases.json": text } });
const config = (text: string): Entry => ({
  files: { "turnwise.config.json": text, "cases.jsonl": '{"id": "a", "input": "hi"}' },
});
const deep = (depth: number): string =>
  `{"id": "a", "input": "hi", "options": {"metadata": {"x": ${"[".repeat(depth)}${"]".repeat(depth)}}}}`;

const bad: Record<string, Entry> = {
  "a key that does not exist": of({ inptu: "hi" }),
  "a key of a turn that does not exist": of({ turns: [{ input: "hi", asert: [] }] }),
  "no id": line('{"input": "hi", "assert": {"value": "x"}}'),
  "an id that is a number": line('{"id": 7, "input": "hi"}'),
  "an empty id": line('{"id": "", "input": "hi"}'),
  "an id with a line break": line('{"id": "a\\nb", "input": "hi"}'),
  "an id with NUL": line('{"id": "a\\u0000", "input": "hi"}'),
  "an id that is taken": line('{"id": "good", "input": "hi"}'),
  "a case that is a list": line('[{"id": "a", "input": "hi"}]'),
  "a case that is a text": line('"hi"'),
  "a case that is null": line("null"),
  "an input that is a number": of({ input: 5 }),
  "a history that ends with the agent": of({
    input: [
      { role: "user", content: "hi" },
      { role: "assistant", content: "hello" },
    ],
  }),
  "a role that does not exist": of({ input: [{ role: "customer", content: "hi" }] }),
  "an input beside turns": of({ input: "hi", turns: [{ input: "hi" }] }),
  "assertions beside turns": of({ assert: { value: "x" }, turns: [{ input: "hi" }] }),
  "no turns": of({ turns: [] }),
  "a turn without input": of({ turns: [{ assert: { value: "x" } }] }),
  "a single turn with two turns": of({
    type: "single_turn",
    turns: [{ input: "a" }, { input: "b" }],
  }),
  "assert as a text": asserting("contains"),
  "assert as a number": asserting(5),
  "assert as a list of texts": asserting(["x"]),
  "assert and assertions": of({ input: "hi", assert: { value: "x" }, assertions: { value: "x" } }),
  "an assertion type that does not exist": asserting({ type: "containz", value: "x" }),
  "an assertion without a type, and not an equals": asserting({ contains: "x" }),
  "an assertion without its value": asserting({ type: "contains" }),
  "an alias beside the field that it stands for": asserting({
    type: "regex",
    pattern: "a",
    value: "b",
  }),
  "an alias of another type": asserting({ type: "contains", pattern: "a" }),
  "negate as a text": asserting({ type: "contains", value: "x", negate: "yes" }),
  "an assertion on what it cannot look at": asserting({ type: "latency", max: "2s", on: "state" }),
  "an assertion nested where none belongs": asserting({
    type: "contains",
    value: "x",
    assertions: [{ value: "y" }],
  }),
  "mistakes inside of nested assertions": asserting({
    type: "all",
    assert: [{ type: "any", assert: [{ type: "regex", value: "(" }] }, { type: "not" }],
  }),
  "a pattern that does not compile": asserting({ type: "regex", value: "a(" }),
  "a pattern with look-around": asserting({ type: "regex", value: "a(?=b)" }),
  "a path that is malformed": asserting({ type: "json_path", path: "$.a[" }),
  "a path with a function": asserting({ type: "json_path", path: "$.a[?length(@) > 1]" }),
  "a schema with a typo": asserting({ type: "json_schema", value: { typ: "object" } }),
  "limits the wrong way round": asserting({ type: "length", min: 3, max: 2 }),
  "a tool result without a tool": asserting({ type: "tool_result", value: { result: 1 } }),
  "an assertion of a later version": asserting({ type: "agent", use: "agents:judge", value: "x" }),
  "a duration in words": of({ input: "hi", timeout: "soon" }),
  "a negative duration": of({ input: "hi", timeout: -5 }),
  "a duration of nothing": of({ input: "hi", turn_timeout: "0s" }),
  "a duration of a month": of({ input: "hi", timeout: "720h" }),
  "a duration with a unit that does not exist": of({ turns: [{ input: "hi", timeout: "3 min" }] }),
  "retries below zero": of({ input: "hi", retries: -1 }),
  "half a trial": of({ input: "hi", repeat: 0.5 }),
  "metadata with two values for a key": of({
    turns: [{ input: "hi" }],
    simulator: {
      use: "agents:desk",
      metadata: { tone: "calm" },
      options: { metadata: { tone: "angry" } },
    },
  }),
  "max_turns below the turns": of({ turns: [{ input: "a" }, { input: "b" }], max_turns: 1 }),
  "checkpoints in a circle": of({
    input: "hi",
    checkpoints: [
      { id: "a", assertions: { value: "x" }, after: ["b"] },
      { id: "b", assertions: { value: "x" }, after: ["a"] },
    ],
  }),
  "a checkpoint after one that does not exist": of({
    input: "hi",
    checkpoints: [{ id: "paid", assertions: { value: "x" }, after: ["confirmd"] }],
  }),
  "two checkpoints with one id": of({
    input: "hi",
    checkpoints: [
      { id: "paid", assertions: { value: "x" } },
      { id: "paid", assertions: { value: "y" } },
    ],
  }),
  "a checkpoint without assertions": of({
    input: "hi",
    checkpoints: [{ id: "a", assertions: [] }],
  }),
  "a mistake inside of a checkpoint": of({
    input: "hi",
    checkpoints: [{ id: "a", assertions: { type: "contains" } }],
  }),
  "a mistake inside of the invariants": of({ input: "hi", invariants: [{ type: "contain" }] }),
  "an agent that does not exist": of({ agent: "desc", input: "hi" }),
  "a reference that is misspelt": of({ agent: "agent:desk", input: "hi" }),
  "a script where an agent belongs": of({ agent: "scripts:desk", input: "hi" }),
  "parameters of a target": of({
    agent: "agents:desk?tone=calm",
    input: "hi",
    assert: { value: "x" },
  }),
  "an attachment that does not exist": of({
    input: "hi",
    attachments: [{ type: "image", source: "file://none.png" }],
  }),
  "a picture from the agent in the history": of({
    input: [
      { role: "assistant", content: [{ type: "image", source: "https://shop.test/a.png" }] },
      { role: "user", content: "hi" },
    ],
  }),
  "an option that does not exist": of({ input: "hi", options: { conector: "x" } }),
  "a switch that is no switch": of({ input: "hi", options: { skip: { history: "yes" } } }),
  "a simulator that is no agent": of({ simulator: "agents:dsk" }),
  "answers of a simulator that say two things": of({
    input: "hi",
    simulator: { answers: [{ when: "(", say: "x", answer: { approve: true } }] },
  }),
  "a hook that is no script": of({ input: "hi", before: ["agents:desk", "scripts:nothing"] }),
  "somebody at the terminal in a single turn": of({
    input: "hi",
    type: "single_turn",
    interactive: { enabled: true },
  }),
  "text behind the JSON": line('{"id": "a", "input": "hi"} // a comment'),
  "a trailing comma": line('{"id": "a", "input": "hi",}'),
  "single quotes": line("{'id': 'a', 'input': 'hi'}"),
  "a line that ends too early": line('{"id": "a", "input": "hi'),
  "a case over several lines": {
    files: { "cases.jsonl": '{\n  "id": "a",\n  "input": "hi"\n}\n' },
  },
  "a key twice": line('{"id": "a", "input": "hi", "turns": [{"input": "a", "input": "b"}]}'),
  "a key twice in JSON": json(
    '[\n  {"id": "a", "input": "hi"},\n  {\n    "id": "b",\n    "id": "c",\n    "input": "hi"\n  }\n]',
  ),
  "a key twice in YAML": yaml("- id: a\n  input: hi\n  assert: {value: x}\n  input: ho\n"),
  "__proto__ as a field": line('{"id": "a", "input": "hi", "__proto__": {"skip": true}}'),
  "constructor as an assertion type": asserting({ type: "constructor" }),
  "half a character": line('{"id": "a", "input": "hi \\ud83d"}'),
  "half a character in a key": line(
    '{"id": "a", "input": "hi", "options": {"metadata": {"\\udc00": 1}}}',
  ),
  "bytes that are not UTF-8": line(Buffer.from([0x7b, 0xff, 0xfe, 0x7d])),
  "a file in UTF-16": {
    files: { "cases.jsonl": Buffer.from('{"id": "a", "input": "hi"}', "utf16le") },
  },
  "a file in UTF-16, as JSON": {
    files: { "cases.json": Buffer.from('[{"id": "a", "input": "hi"}]', "utf16le") },
  },
  "NUL between the tokens": line('{"id": "a",\u0000 "input": "hi"}'),
  "ten thousand levels": line(deep(10_000)),
  "ten thousand levels in JSON": json(`[${deep(10_000)}]`),
  "a line of 50 MB": line(`{"id": "a", "input": "${"x".repeat(50_000_000)}"}`),
  "YAML: yes is a text": yaml(
    "- id: a\n  input: hi\n  stop_when_complete: yes\n  assert: {value: x}\n",
  ),
  "YAML: an id that looks like a number": yaml("- id: 007\n  input: hi\n"),
  "YAML: an octal number is one": yaml("- id: a\n  input: hi\n  retries: 0o17x\n"),
  "YAML: a text that looks like a date is a text": yaml(
    "- id: a\n  input: hi\n  timeout: 2026-01-31\n",
  ),
  "YAML: nothing behind the colon": yaml("- id: a\n  input:\n"),
  "YAML: a colon in a text": yaml("- id: a\n  input: order: 7\n"),
  "YAML: a tab": yaml("- id: a\n\tinput: hi\n"),
  "YAML: a tag of its own": yaml("- id: a\n  input: !secret hi\n"),
  "YAML: merge keys are keys": yaml("- &base {id: a, input: hi}\n- {<<: *base, id: b}\n"),
  "YAML: a bomb of anchors": yaml(
    [
      "x: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]",
      ...Array.from(
        { length: 8 },
        (_, index) => `x${index}: &a${index + 1} [${`*a${index}, `.repeat(10).slice(0, -2)}]`,
      ),
      "",
    ].join("\n"),
  ),
  "YAML: an anchor that is not there": yaml("- id: a\n  input: *hello\n"),
  "JSON that ends too early": json('[{"id": "a", "input": "hi"}'),
  "an empty file": { files: { "cases.jsonl": "" } },
  "nothing but comments": { files: { "cases.jsonl": "// later\n\n" } },
  "an empty list": json("[]"),
  "a file that is not there": { files: {}, args: ["test", "-i", "cases.jsonl"] },
  "a pattern that matches nothing": { files: {}, args: ["test", "-i", "tests/*.jsonl"] },
  "a folder": { files: { "cases/a.jsonl": "{}" }, args: ["test", "-i", "cases"] },
  "a file of another kind": {
    files: { "cases.csv": "id,input" },
    args: ["test", "-i", "cases.csv"],
  },
  "a module that throws": { files: { "cases.mjs": "throw new Error('not today');\n" } },
  "a module without cases": { files: { "cases.mjs": "export default 5;\n" } },
  "a function in a case": {
    files: {
      "cases.mjs": "export default [{ id: 'a', input: 'hi', assert: { value: () => 1 } }];\n",
    },
  },
  "a config with a key that does not exist": config('{"agent": {}}'),
  "a config that is not JSON": config('{"defaults": {'),
  "a config with a key twice": config('{"defaults": {}, "defaults": {"parallel": 2}}'),
  "a config with a variable that is not set": config(
    '{"connectors": {"a": {"apiKey": "${DESK_KEY}"}}}',
  ),
  "a config with an agent of an unknown type": config('{"agents": {"a": {"type": "htpp"}}}'),
  "a config with a plugin that is not there": config('{"plugins": ["./plugin.js"]}'),
  "a filter that selects nothing": {
    files: line("").files,
    args: ["test", "-i", "cases.jsonl", "--grep", "^nothing$"],
  },
  "a filter that does not compile": {
    files: line("").files,
    args: ["test", "-i", "cases.jsonl", "--grep", "("],
  },
  "no input": { files: {}, args: ["test"] },
  "an output of an unknown kind": {
    files: line("").files,
    args: ["test", "-i", "cases.jsonl", "-o", "results.docx"],
  },
  "an output over the input": {
    files: line("").files,
    args: ["test", "-i", "cases.jsonl", "-o", "cases.jsonl"],
  },
  "a duration on the command line": {
    files: line("").files,
    args: ["test", "-i", "cases.jsonl", "--timeout", "soon"],
  },
};

/** The same warnings that are problems with --strict. */
const suspicious: Record<string, Entry> = {
  "a case that checks nothing": of({ input: "hi" }),
  "checkpoints that are not required are no check": of({
    input: "hi",
    checkpoints: [{ id: "a", assertions: { value: "x" }, required: false }],
  }),
  "expected beside assertions": of({ input: "hi", assert: { value: "x" }, expected: "y" }),
  "a pattern with its slashes": asserting({ type: "regex", value: "/ok/i" }),
  "a JSON type that does not exist": asserting({ type: "type", value: "Object" }),
  "only some of the cases": of({ only: true, input: "hi", assert: { value: "x" } }),
};

/** What looks like a mistake and is none. */
const fine: Record<string, Entry> = {
  "a byte order mark": {
    files: { "cases.jsonl": '\uFEFF{"id": "a", "input": "hi", "assert": {"value": "x"}}' },
  },
  "line ends of Windows": {
    files: { "cases.jsonl": '{"id": "a", "input": "hi", "assert": {"value": "x"}}\r\n\r\n' },
  },
  "U+2028 inside of a text": line('{"id": "a", "input": "one\u2028two", "assert": {"value": "x"}}'),
  "NUL as an escape in an input": line('{"id": "a", "input": "\\u0000", "assert": {"value": "x"}}'),
  "__proto__ in free data": line(
    '{"id": "a", "input": "hi", "options": {"metadata": {"__proto__": 1}}, "assert": {"value": {"__proto__": 1}}}',
  ),
  "a whole character from two escapes": line(
    '{"id": "a", "input": "\\ud83d\\ude00", "assert": {"value": "x"}}',
  ),
  "the same key in different objects": line(
    '{"id": "a", "turns": [{"input": "a", "assert": {"value": "x"}}, {"input": "b", "assert": {"value": "\\"a\\": 1, \\"a\\": 2"}}]}',
  ),
  "a hundred levels": line(deep(100).replace('"input"', '"assert": {"value": "x"}, "input"')),
  "comments and blank lines": {
    files: {
      "cases.jsonl": '// one\n\n  // two\n{"id": "a", "input": "hi", "assert": {"value": "x"}}',
    },
  },
  "YAML: a date and yes in texts": yaml("- id: a\n  input: yes\n  assert: {value: 2026-01-31}\n"),
  "an alias with the same value": asserting({ type: "regex", pattern: "a", value: "a" }),
};

/** Runs them a few at a time: each is a process of its own. */
async function outputsOf(
  entries: Readonly<Record<string, Entry>>,
  argsFor: (files: readonly string[]) => readonly string[],
): Promise<Map<string, { code: number | null; stdout: string; stderr: string }>> {
  const outputs = new Map<string, { code: number | null; stdout: string; stderr: string }>();
  const waiting = Object.entries(entries).map(([name, entry]) => ({
    name,
    entry,
    project: temporaryProject({ ...agents, ...entry.files }),
  }));
  const worker = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { name, entry, project } = next;
      const cases = Object.keys(entry.files).filter((file) => file.startsWith("cases"));
      const { code, stdout, stderr } = await project.run(...(entry.args ?? argsFor(cases)));
      // The root may be written as a path or as an address.
      outputs.set(name, { code, stdout, stderr: stderr.replaceAll(project.root, "ROOT") });
    }
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  return outputs;
}

const input = (files: readonly string[]): string[] => files.flatMap((file) => ["-i", file]);

test("every mistake is named, with its place and what to do, and nothing runs", async () => {
  expect(Object.keys(bad).length).toBeGreaterThan(60);
  const outputs = await outputsOf(bad, (files) => ["test", ...input(files)]);
  for (const name of Object.keys(bad)) {
    const { code, stdout, stderr } = outputs.get(name)!;
    expect(stderr).toMatchSnapshot(name);
    expect({ name, code, stdout }).toEqual({ name, code: 2, stdout: "" });
    expect({ name, bug: stderr.includes("bug in Turnwise"), long: stderr.length > 3_000 }).toEqual({
      name,
      bug: false,
      long: false,
    });
  }
});

test("what is suspicious is a warning, and a problem with --strict", async () => {
  const warned = await outputsOf(suspicious, (files) => ["validate", ...input(files)]);
  const refused = await outputsOf(suspicious, (files) => ["validate", "--strict", ...input(files)]);
  for (const name of Object.keys(suspicious)) {
    expect(warned.get(name)!.stderr).toMatchSnapshot(name);
    expect({ name, code: warned.get(name)!.code }).toEqual({ name, code: 0 });
    expect({ name, code: refused.get(name)!.code }).toEqual({ name, code: 2 });
    expect(refused.get(name)!.stderr).toBe(
      warned
        .get(name)!
        .stderr.replace(/^warning/, "error")
        .replace(/\n\n$/, "\n\n1 problem.\n"),
    );
  }
});

test("what only looks like a mistake is taken", async () => {
  const outputs = await outputsOf(fine, (files) => ["validate", "--strict", ...input(files)]);
  for (const name of Object.keys(fine)) {
    const { code, stderr } = outputs.get(name)!;
    expect({ name, code, stderr }).toEqual({ name, code: 0, stderr: "" });
  }
});
