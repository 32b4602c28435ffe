import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentReply, AgentRequest, AssertionDefinition, LazyPlugin } from "@turnwise/core";
import { AgentError, InvalidCaseError, definePlugin, loadProject, runCase } from "@turnwise/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import assertions from "./index.js";

/*
 * `negate` turns "holds" and "does not hold" round, and nothing else. Every type is here: one that is added without its
 * rows fails the first test.
 */

/** An assertion that breaks when it is checked: nested ones can be made to. */
const broken: AssertionDefinition = {
  type: "broken",
  schema: z.strictObject({}),
  label: () => "broken",
  check() {
    throw new Error("out of order");
  },
};
/** One that the agent gave nothing to look at. */
const blank: AssertionDefinition = {
  ...broken,
  type: "blank",
  check() {
    throw new AgentError("nothing there");
  },
};
/** Judges that let nothing pass but the reply "a". */
const judge = definePlugin({
  name: "judge",
  agents: {
    judge: (({ messages }: AgentRequest) => ({
      passed: messages.at(-1)!.content === "a",
    })) as never,
  },
});
const root = mkdtempSync(join(tmpdir(), "turnwise-negate-"));
mkdirSync(join(root, "scripts"));
writeFileSync(join(root, "scripts/judge.js"), 'export default ({ turn }) => turn.output === "a";');
const projectOf = (...plugins: LazyPlugin[]) => loadProject({ root, plugins: [...plugins, judge] });
const project = projectOf(assertions, definePlugin({ name: "test", assertions: [broken, blank] }));

interface Row {
  /** An assertion, and replies of which it holds and does not hold. */
  readonly assertion: Readonly<Record<string, unknown>>;
  readonly holds: string | AgentReply;
  readonly fails: string | AgentReply;
  /** The same type, unusable: refused when the case is loaded. */
  readonly refused: Readonly<Record<string, unknown>>;
}

const data = (value: unknown): AgentReply => ({ content: "", data: value });
const called = (result: unknown): AgentReply => ({
  content: "",
  toolCalls: [{ name: "find", arguments: {}, result }],
});

const rows: Record<string, Row> = {
  agent: {
    assertion: { use: "agents:judge", criteria: "It is a" },
    holds: "a",
    fails: "b",
    refused: { use: "agents:nobody" },
  },
  script: {
    assertion: { use: "scripts:judge" },
    holds: "a",
    fails: "b",
    refused: { use: "scripts:nobody" },
  },
  contains: { assertion: { value: "a" }, holds: "a", fails: "b", refused: {} },
  not_contains: { assertion: { value: "a" }, holds: "b", fails: "a", refused: {} },
  contains_any: {
    assertion: { value: ["a", "b"] },
    holds: "a",
    fails: "c",
    refused: { value: [] },
  },
  contains_all: {
    assertion: { value: ["a", "b"] },
    holds: "ab",
    fails: "a",
    refused: { value: 1 },
  },
  equals: { assertion: { value: "a" }, holds: "a", fails: "b", refused: {} },
  starts_with: { assertion: { value: "a" }, holds: "ab", fails: "ba", refused: { value: "" } },
  ends_with: { assertion: { value: "a" }, holds: "ba", fails: "ab", refused: { value: "" } },
  length: { assertion: { max: 1 }, holds: "a", fails: "ab", refused: {} },
  latency: {
    assertion: { max: "1h" },
    holds: "a",
    fails: "",
    refused: { max: "soon" },
  },
  usage: {
    assertion: { max: 1 },
    holds: { content: "", usage: { totalTokens: 1 } },
    fails: { content: "", usage: { totalTokens: 2 } },
    refused: {},
  },
  regex: { assertion: { value: "^a$" }, holds: "a", fails: "b", refused: { value: "(" } },
  json_path: {
    assertion: { path: "a", value: 1 },
    holds: data({ a: 1 }),
    fails: data({ a: 2 }),
    refused: { path: "a[" },
  },
  json_schema: {
    assertion: { value: { type: "object" } },
    holds: "{}",
    fails: "[]",
    refused: { value: { type: "objekt" } },
  },
  is_json: { assertion: {}, holds: "{}", fails: "{", refused: { value: 1 } },
  type: { assertion: { value: "string" }, holds: "a", fails: data(1), refused: {} },
  tool_called: { assertion: { name: "find" }, holds: called(1), fails: "a", refused: {} },
  tool_result: {
    assertion: { value: { tool: "find", result: 1 } },
    holds: called(1),
    fails: called(2),
    refused: { value: "find" },
  },
  awaiting: { assertion: { value: true }, holds: "Which one?", fails: "Done.", refused: {} },
  all: {
    assertion: { assertions: [{ value: "a" }] },
    holds: "a",
    fails: "b",
    refused: { assertions: [] },
  },
  any: {
    assertion: { assertions: [{ value: "a" }, { value: "c" }] },
    holds: "a",
    fails: "b",
    refused: { assertions: [{ type: "regex", value: "(" }] },
  },
  not: {
    assertion: { assertion: { value: "a" } },
    holds: "b",
    fails: "a",
    refused: { assertion: { type: "nothing" } },
  },
};

async function statusOf(
  assertion: object,
  reply: string | AgentReply,
): Promise<{ assertion: string; case: string; blame?: string }> {
  // A clock that stands still at first, then jumps, makes `latency` decide either way.
  let ticks = 0;
  const slow = reply === "";
  const result = await runCase(
    { id: "a", input: "hi", assert: assertion },
    { agent: () => reply, project: await project, now: () => (slow ? ticks++ * 3_600_000 * 2 : 0) },
  );
  const [row] = result.turns[0]!.assertions!;
  return {
    assertion: row!.status,
    case: result.status,
    ...(result.blame === undefined ? {} : { blame: result.blame }),
  };
}

const held = { assertion: "passed", case: "passed" };
const failed = { assertion: "failed", case: "failed", blame: "agent" };
const brokenOne = { assertion: "error", case: "error", blame: "author" };

test("every type has its rows", () => {
  expect(Object.keys(rows).toSorted()).toEqual(
    assertions.assertions!.map((definition) => definition.type).toSorted(),
  );
});

describe.each(Object.entries(rows))("%s", (type, { assertion, holds, fails, refused }) => {
  test("negate turns round what holds and what does not", async () => {
    expect(await statusOf({ ...assertion, type }, holds)).toEqual(held);
    expect(await statusOf({ ...assertion, type, negate: false }, holds)).toEqual(held);
    expect(await statusOf({ ...assertion, type, negate: true }, holds)).toEqual(failed);
    expect(await statusOf({ ...assertion, type }, fails)).toEqual(failed);
    expect(await statusOf({ ...assertion, type, negate: true }, fails)).toEqual(held);
  });

  test("one that cannot be used is refused, negated or not", async () => {
    for (const negate of [false, true])
      await expect(statusOf({ ...refused, type, negate }, holds)).rejects.toThrow(InvalidCaseError);
  });
});

test.each(assertions.assertions!.map((definition) => definition.type))(
  "%s: one whose check breaks is an error, negated or not",
  async (type) => {
    const definition = assertions.assertions!.find((one) => one.type === type)!;
    const breaking = definePlugin({
      name: "breaking",
      assertions: [
        {
          ...definition,
          check() {
            throw new TypeError("out of order");
          },
        },
      ],
    });
    const rest = definePlugin({
      name: "rest",
      assertions: assertions.assertions!.filter((one) => one.type === "equals"),
    });
    for (const negate of [false, true]) {
      const result = await runCase(
        { id: "a", input: "hi", assert: { ...rows[type]!.assertion, type, negate } },
        {
          agent: () => "a",
          // Nested ones are of the type equals, which is there only when it does not break itself.
          project: await projectOf(breaking, ...(type === "equals" ? [] : [rest])),
        },
      );
      expect(result).toMatchObject({ status: "error", blame: "author" });
      expect(result.turns[0]!.assertions![0]).toMatchObject({
        status: "error",
        passed: false,
        reason: `the assertion "${type}" broke: out of order`,
        blame: "author",
      });
    }
  },
);

describe("made of others", () => {
  const yes = { value: "a" };
  const no = { value: "b" };
  const breaks = { type: "broken" };
  test.each([
    ["all", [yes, breaks], brokenOne],
    ["all", [breaks, no], failed],
    ["any", [breaks, yes], held],
    ["any", [no, breaks], brokenOne],
    ["any", [breaks, no], brokenOne],
  ])("%s of %j", async (type, nested, outcome) => {
    expect(await statusOf({ type, assertions: nested }, "a")).toEqual(outcome);
    const turned = { passed: failed, failed: held, error: brokenOne }[outcome.assertion];
    expect(await statusOf({ type, assertions: nested, negate: true }, "a")).toEqual(turned);
  });

  test("not of one that breaks is an error, and of one that saw nothing a failure", async () => {
    const blankOne = { type: "blank" };
    for (const negate of [false, true]) {
      expect(await statusOf({ type: "not", assertion: breaks, negate }, "a")).toEqual(brokenOne);
      expect(await statusOf({ type: "not", assertion: blankOne, negate }, "a")).toEqual(failed);
      expect(await statusOf({ ...blankOne, negate }, "a")).toEqual(failed);
      expect(await statusOf({ type: "any", assertions: [no, blankOne], negate }, "a")).toEqual(
        failed,
      );
    }
  });

  test("what was decided inside is on record, and the reason is that of what broke", async () => {
    const result = await runCase(
      {
        id: "a",
        input: "hi",
        assert: [
          { type: "all", assertions: [yes, { ...no, message: "say b" }] },
          { type: "not", assertion: { type: "any", assertions: [breaks] } },
        ],
      },
      { agent: () => "a", project: await project },
    );
    expect(result.turns[0]!.assertions).toMatchObject([
      {
        reason: "1 of 2 does not hold: say b",
        details: {
          assertions: [{ passed: true }, { passed: false, wanted: "b" }],
        },
      },
      { reason: 'the assertion "broken" broke: out of order', blame: "author" },
    ]);
  });
});
