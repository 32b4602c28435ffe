import { mkdtempSync, readFileSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CaseResult, Human, HumanMove } from "@turnwise/core";
import { defineAssertion, definePlugin, parseCases, runCase, z } from "@turnwise/core";
import { expect, test } from "vitest";
import { CaseSaver } from "./case-saver.js";
import { suggestions } from "./saved-case.js";

const agent = ({ turn }: { turn: number }) =>
  turn === 2
    ? {
        content: "",
        pending: [{ id: `r${Math.random()}`, kind: "approval" as const, prompt: "Pay?" }],
      }
    : "Which day?";
const contains = defineAssertion({
  type: "contains",
  schema: z.strictObject({ value: z.string() }),
  label: () => "contains",
  check: () => ({ passed: true, message: "" }),
});
const plugins = [definePlugin({ name: "p", assertions: [contains] })];
const human = (...moves: HumanMove[]): Human => ({
  ask: async () => moves.shift() ?? { kind: "end" },
});

async function saved(
  raw: Readonly<Record<string, unknown>>,
  file: string | undefined,
  ...moves: HumanMove[]
): Promise<{ root: string; text: string; message: string | undefined }> {
  const root = mkdtempSync(join(tmpdir(), "turnwise-saver-"));
  const suite = async function* () {
    for await (const read of parseCases(["hi"]))
      if ("testCase" in read) yield { ...read.testCase, ...raw };
  };
  const saver = new CaseSaver({
    cwd: root,
    suite: { [Symbol.asyncIterator]: suite },
    suggest: false,
  });
  let result: CaseResult | undefined;
  for await (const testCase of suite())
    result = await runCase(testCase, { agent, human: human(...moves), plugins });
  expect(saver.want({ id: result!.id, sessionId: result!.session_id! }, file)).toMatchObject({
    ready: true,
  });
  const message = await saver.take(result!);
  const [name = ""] = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((one) =>
    one.includes("."),
  );
  return { root, text: readFileSync(join(root, name), "utf8"), message };
}

const raw = {
  id: "shop/../1",
  name: "A shop",
  type: "multi_turn",
  turns: [{ input: "tea", assertions: [{ type: "contains", value: "Which" }] }],
  interactive: { enabled: true, timeout: 1_000 },
  simulator: { answers: [{ when: "colour", say: "red" }] },
  on_missing_input: "fail",
  max_turns: 7,
  tags: ["smoke"],
  final_assertions: [{ type: "contains", value: "day" }],
};
const moves: HumanMove[] = [
  { kind: "say", input: "milk" },
  { kind: "answer", answer: { approve: true } },
];

test("what was typed becomes a case that runs without anybody", async () => {
  const { text, message } = await saved(raw, undefined, ...moves);
  expect(message).toBe(
    "Saved: shop-..-1-typed.yaml (run it with: npx turnwise test -i shop-..-1-typed.yaml)\n",
  );
  expect(text).toMatchInlineSnapshot(`
    "- id: shop-..-1-typed
      name: A shop
      turns:
        - input: tea
          assertions:
            - type: contains
              value: Which
        - input: milk
        - answer:
            approve: true
      tags:
        - smoke
      final_assertions:
        - type: contains
          value: day
      on_missing_input: end
    "
  `);
});

test.each(["deep/er/case.jsonl", "case.json"])("%s can be read again", async (file) => {
  const { root } = await saved(raw, file, ...moves);
  for await (const read of parseCases([join(root, file)]))
    expect(read).toMatchObject({ testCase: { id: "case", turns: [{}, { input: "milk" }, {}] } });
});

test("files that are there, or of another kind, are refused", async () => {
  const root = mkdtempSync(join(tmpdir(), "turnwise-saver-"));
  const suite = { async *[Symbol.asyncIterator]() {} };
  const saver = new CaseSaver({ cwd: root, suite, suggest: false });
  expect(saver.want({ id: "a", sessionId: "1" }, "case.md")).toEqual({
    ready: false,
    message: "a case is written to a file that ends in .yaml, .yml, .json, .jsonl",
  });
  // Two cases do not end up in one file.
  expect(saver.want({ id: "a", sessionId: "1" }, undefined).message).toContain("a-typed.yaml");
  expect(saver.want({ id: "b", sessionId: "2" }, undefined).message).toContain("b-typed.yaml");
  expect(saver.want({ id: "A", sessionId: "3" }, "a-typed.yaml")).toMatchObject({ ready: false });
});

test("suggestions: tools, waiting, and facts that come from somewhere", () => {
  const turn = {
    turn: 2,
    status: "passed" as const,
    input: "for 4 people on 12-04",
    output: "Table 7 on 12-04 for 4, code AB-77, call 555-0100.",
    awaiting_input: true,
    awaiting_kind: "confirmation" as const,
    awaiting_reason: "content_is_question" as const,
    tool_calls: [
      { id: "1", name: "book", args: { people: 4 }, result: { code: "AB-77" } },
      { id: "2", name: "ping", args: {} },
    ],
  };
  expect(suggestions(turn, [])).toEqual([
    { type: "tool_called", name: "book", arguments: { people: 4 } },
    { type: "tool_called", name: "ping" },
    { type: "awaiting", value: true },
    { type: "contains", value: "12-04" },
    { type: "contains", value: "AB-77" },
  ]);
});
