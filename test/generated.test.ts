import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { repository } from "./support/cli.js";

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
