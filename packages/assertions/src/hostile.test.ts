import type { AgentReply } from "@turnwise/core";
import { runCase, runSuite } from "@turnwise/core";
import { describe, expect, test } from "vitest";
import assertions from "./index.js";

const plugins = [assertions];

/** As long as a reply may be. */
const longest = 10_000_000;

/** Some of a tenth of that: what takes linear time takes long enough. */
const long = longest / 10;

const texts: Record<string, string> = {
  "ten million letters": "a".repeat(longest),
  "ten million quotes and backslashes": '\\"'.repeat(longest / 2),
  "a million brackets that open": "[".repeat(long),
  "braces that never close": '{"a":'.repeat(long / 5),
  lines: "line\n".repeat(long / 5),
  "emoji cut in half": "\uD83D".repeat(long),
  "a long list": `[${"1,".repeat(long / 2 - 2)}1]`,
};

/** Every assertion that looks at text, with values that make it look at all of it. */
const textAssertions = [
  { type: "contains", value: "zzz" },
  { type: "contains", value: "ZZZ", ignore_case: true },
  { type: "not_contains", value: "zzz" },
  { type: "contains_any", value: ["zzz", "yyy"] },
  { type: "contains_all", value: ["zzz", "yyy"] },
  { type: "equals", value: "zzz" },
  { type: "equals", value: { a: 1 } },
  { type: "equals", value: `${"a".repeat(longest - 1)}b` },
  { type: "starts_with", value: "zzz" },
  { type: "ends_with", value: "zzz" },
  { type: "length", max: 1 },
  { type: "regex", value: "(x+x+)+y" },
  { type: "regex", value: "^(a+)+$", negate: true },
  { type: "is_json" },
  { type: "json_schema", value: { type: "string" } },
  { type: "json_schema", value: { type: "array", items: { type: "string" } } },
  { type: "json_path", path: "$..a[?@.b]", exists: false },
  { type: "json_path", path: "$.a", value: 1 },
  { type: "type", value: "number" },
];

describe.each(Object.entries(texts))("%s", (_name, text) => {
  test("every text assertion decides, and its row stays small", async () => {
    const result = await runCase(
      { id: "a", input: "hi", assert: textAssertions, timeout: "10m" },
      { agent: () => text, plugins },
    );
    const rows = result.turns[0]!.assertions!;
    expect(rows).toHaveLength(textAssertions.length);
    // None of them is about any of these texts.
    const passed = rows.filter((row) => row.passed).map((row) => row.type);
    expect([...new Set(passed)].toSorted()).toEqual(
      ["is_json", "json_path", "not_contains", "regex"].filter((type) => passed.includes(type)),
    );
    expect(passed).toContain("not_contains");
    for (const [index, row] of rows.entries()) {
      expect(row).not.toMatchObject({ status: "error" });
      const own = JSON.stringify(textAssertions[index]).length;
      expect(JSON.stringify(row).length - own).toBeLessThan(100_000);
    }
  });
});

test("a deep document is looked through", async () => {
  const depth = 190;
  const deep = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  const result = await runCase(
    {
      id: "a",
      input: "hi",
      assert: [
        { type: "json_path", path: "$..a", length: depth },
        { type: "json_path", path: "$..*..*", exists: true },
        {
          type: "json_schema",
          value: {
            $ref: "#/$defs/n",
            $defs: {
              n: {
                anyOf: [
                  { type: "integer" },
                  { required: ["a"], properties: { a: { $ref: "#/$defs/n" } } },
                ],
              },
            },
          },
        },
        { type: "equals", value: JSON.parse(deep) },
      ],
    },
    { agent: (): AgentReply => ({ content: "", data: JSON.parse(deep) }), plugins },
  );
  expect(result.error).toBeUndefined();
  expect(result.status).toBe("passed");
});

test("a path that stands for more places than anybody can look at is an error, not the end", async () => {
  const depth = 190;
  const deep = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  const result = await runCase(
    { id: "a", input: "hi", assert: { type: "json_path", path: "$..*..*..*..*..*" } },
    { agent: () => deep, plugins },
  );
  expect(result).toMatchObject({ status: "error", blame: "author" });
  expect(result.error).toContain("the path goes through more than 2000000 places");
});

test("a path that finds nothing in many places is bounded, too", async () => {
  const wide = JSON.stringify(Array.from({ length: 20_000 }, () => ({})));
  const deep = `${'{"a":'.repeat(190)}${wide}${"}".repeat(190)}`;
  const result = await runCase(
    { id: "a", input: "hi", assert: { type: "json_path", path: "$..*..x", exists: false } },
    { agent: () => deep, plugins },
  );
  expect(result).toMatchObject({ status: "error", blame: "author" });
});

test("a pattern that backtracks for ever ends its own assertion, and nothing else", async () => {
  const trap = { type: "regex", engine: "js", value: "^(a+)+$" };
  const cases = [
    { id: "trap", input: "hi", assert: trap },
    { id: "trap, negated", input: "hi", assert: { ...trap, negate: true } },
    // After a few times nobody waits for it any more.
    ...Array.from({ length: 20 }, (_, index) => ({
      id: `again ${index}`,
      input: "hi",
      assert: trap,
    })),
    { id: "linear", input: "hi", assert: { ...trap, engine: "re2", negate: true } },
    { id: "js", input: "hi", assert: { type: "regex", engine: "js", value: "a(?=b)" } },
  ];
  const results = new Map<string, { status: string; error?: string | undefined }>();
  await runSuite({
    cases,
    agent: () => `${"a".repeat(50)}b`,
    plugins,
    limits: { parallel: 50, timeout: "60s" },
    onEvent(event) {
      if (event.type === "case-end")
        results.set(event.id, { status: event.result.status, error: event.result.error });
    },
  });
  const error = expect.stringContaining("the pattern took longer than 5s on 51 characters");
  expect(results.get("trap")).toEqual({ status: "error", error });
  expect(results.get("trap, negated")).toEqual({ status: "error", error });
  expect(results.get("again 19")!.error).toContain("is not tried again");
  expect(results.get("linear")).toEqual({ status: "passed", error: undefined });
  expect(results.get("js")).toEqual({ status: "passed", error: undefined });
});

test("cancelling a run stops a pattern that is being matched", async () => {
  const controller = new AbortController();
  const running = runCase(
    { id: "a", input: "hi", assert: { type: "regex", engine: "js", value: "^(aa?)+$" } },
    {
      agent: () => `${"a".repeat(50)}b`,
      plugins,
      signal: controller.signal,
      onEvent: (event) =>
        event.type === "agent-call-end" && setTimeout(() => controller.abort(), 1),
    },
  );
  expect(await running).toMatchObject({ status: "skipped", skip_reason: "cancelled" });
});
