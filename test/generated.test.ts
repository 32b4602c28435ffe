import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { repository, temporaryProject } from "./support/cli.js";

test("generated files are what the code gives", () => {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/generate.mjs", "--check"], {
    cwd: repository,
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

function validator(name: string) {
  const schema = JSON.parse(
    readFileSync(join(repository, `apps/turnwise/schema/${name}.json`), "utf8"),
  ) as object;
  const validate = new Ajv2020({ strict: false }).compile(schema);
  return (value: unknown): boolean => validate(value);
}

const isCase = validator("case");
const isConfig = validator("config");
const isResult = validator("result");

test("the JSON Schema of results is that of what a run writes", async () => {
  const there = temporaryProject({
    "agents/desk.mjs":
      "let n = 0; export default () => (n++ % 2 ? 'ok' : { content: '', data: { a: [1] }, toolCalls: [{ name: 't', arguments: {} }], usage: { totalTokens: 3 } });",
    "cases.jsonl": JSON.stringify({
      id: "a",
      turns: [{ input: "hi", assert: { value: { a: [2] } } }, { input: "ho" }],
      checkpoints: [{ id: "c", assertions: { value: "no" } }],
      invariants: { type: "any", assertions: [{ value: "x" }] },
      final_assertions: { type: "usage", max: 1 },
      repeat: 2,
      retries: 1,
    }),
  });
  expect((await there.run("test", "-i", "cases.jsonl", "-o", "out.jsonl")).code).toBe(1);
  const rows = there.read("out.jsonl").trim().split("\n");
  expect(rows).toHaveLength(2);
  for (const row of rows) expect(isResult(JSON.parse(row))).toBe(true);
  expect(isResult({ id: "a" })).toBe(false);
});

test("the JSON Schema accepts the examples", () => {
  for (const file of ["expense/tests/expense.jsonl", "travel-bot/tests/booking.jsonl"]) {
    const cases = readFileSync(join(repository, "examples", file), "utf8")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("//"))
      .map((line) => JSON.parse(line) as unknown);
    expect(cases.filter((one) => !isCase(one))).toEqual([]);
    expect(isCase(cases)).toBe(true);
  }
  expect(
    isConfig(
      JSON.parse(
        readFileSync(join(repository, "examples/travel-bot/turnwise.config.json"), "utf8"),
      ),
    ),
  ).toBe(true);
});

test.each<[boolean, unknown]>([
  [true, { id: "a", input: "hi" }],
  [true, { id: "a", input: "hi", assert: { value: "no type means equals" } }],
  [true, { id: "a", input: "hi", assert: { type: "regex", pattern: "x" } }],
  [true, { id: "a", input: "hi", assert: [{ type: "tool_called", name: "x", negate: true }] }],
  [true, { id: "a", turns: [{ input: "hi", timeout: "30s" }], timeout: 1500 }],
  [false, { input: "hi" }],
  [false, { id: "a", inptu: "hi" }],
  [false, { id: "a", input: "hi", timeout: "soon" }],
  [false, { id: "a", input: "hi", assert: "contains" }],
  [true, { id: "a", input: "hi", assert: { type: "of-a-plugin", words: ["x"] } }],
  [true, { $schema: "x", id: "a", input: "hi" }],
  [false, { id: "a", input: "hi", assert: { type: "contains" } }],
  [true, { id: "a", input: "hi", assert: { type: "is_json" } }],
  [
    true,
    { id: "a", input: "hi", assert: { type: "any", assert: [{ value: 1 }, { type: "is_json" }] } },
  ],
  [false, { id: "a", input: "hi", assert: { type: "any", assertions: [{ type: "contains" }] } }],
  [false, { id: "a", input: "hi", assert: { type: "not", assertion: [{ value: 1 }] } }],
  [true, { id: "a", input: "hi", checkpoints: [{ id: "c", assertions: { value: 1 } }] }],
  [false, { id: "a", input: "hi", assert: { type: "contains", value: "x", negat: true } }],
  [false, { id: "a", input: "hi", assert: { type: "regex" } }],
  [false, { id: "a", input: "hi", assert: { type: "contains", value: "x", on: "sate" } }],
  [false, { id: "a", turns: [] }],
])("the JSON Schema: %s for %j", (valid, testCase) => {
  expect(isCase(testCase)).toBe(valid);
});

test.each<[boolean, unknown]>([
  [true, {}],
  [
    true,
    { $schema: "x", defaults: { agent: "a", timeout: "5m" }, agents: { a: { type: "http" } } },
  ],
  [false, { defualts: {} }],
  [false, { defaults: { parallel: 0 } }],
  [false, { agents: [] }],
])("the JSON Schema of a config: %s for %j", (valid, config) => {
  expect(isConfig(config)).toBe(valid);
});
