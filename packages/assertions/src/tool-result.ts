import { defineAssertion, isObject } from "@turnwise/core";
import type { Pattern, PrepareContext, ToolCall } from "@turnwise/core";
import { z } from "zod";
import { diffOf } from "./diff.js";
import { mismatch, prefix } from "./mismatch.js";
import { readPattern } from "./pattern.js";
import { isCallOf } from "./tool-name.js";
import { shown } from "./text.js";

const resultField = z
  .unknown()
  .optional()
  .describe('What the result must contain; "regex:..." for a text that must match.');
const schema = z.strictObject({
  value: z
    .strictObject({ tool: z.string().min(1), result: resultField })
    .optional()
    .describe("{tool, result}. Without result: it ran without error."),
  tool: z.string().min(1).optional().describe("The tool, instead of value."),
  result: resultField,
});
type Spec = z.infer<typeof schema>;

/** The tool and the result, wherever they are given. */
function wantedOf(spec: Spec): { readonly tool: string; readonly result?: unknown } {
  return spec.value ?? { ...spec, tool: spec.tool ?? "" };
}

interface Prepared {
  readonly tool: string;
  /** Undefined if any result will do. */
  readonly wanted: { readonly result: unknown } | undefined;
  readonly patterns: ReadonlyMap<string, Pattern>;
}

/** A tool was called and its result is, or contains, what is given. One of several calls is enough. */
export const toolResult = defineAssertion({
  type: "tool_result",
  schema,
  aliases: { name: "tool" },
  subjects: ["response", "tools"],
  async prepare(spec, { problem }): Promise<Prepared> {
    if (spec.value === undefined && spec.tool === undefined)
      problem({
        code: "missing_field",
        path: ["tool"],
        message: 'expected {"tool": "...", "result": ...}: "tool" is missing',
      });
    if (spec.value !== undefined && (spec.tool !== undefined || "result" in spec))
      problem({
        code: "conflict",
        path: ["value"],
        message: '"tool" and "result" stand beside "value" and inside of it',
      });
    const wanted = wantedOf(spec);
    const patterns = new Map<string, Pattern>();
    const path = spec.value === undefined ? ["result"] : ["value", "result"];
    await collectPatterns(wanted.result, path, patterns, problem);
    return {
      tool: wanted.tool,
      wanted: "result" in wanted ? { result: wanted.result } : undefined,
      patterns,
    };
  },
  label(spec) {
    const wanted = wantedOf(spec);
    const contains = "result" in wanted ? ` contains ${shown(wanted.result, 60)}` : "";
    return `tool_result ${JSON.stringify(wanted.tool)}${contains}`;
  },
  async check({ toolCalls }, prepared) {
    const { tool, wanted } = prepared;
    const calls = toolCalls.filter((call) => isCallOf(call, tool));
    const wrong = calls.map((call) => mismatchOf(call, prepared));
    const passed = wrong.includes(undefined);
    const notes = wrong.filter((note) => note !== undefined);
    const newest = calls.at(-1);
    const comparable = !passed && wanted !== undefined && newest?.result !== undefined;
    return {
      passed,
      message: passed
        ? `a call of "${tool}" ${wanted === undefined ? "ran without error" : `returned ${shown(wanted.result)}`}`
        : `expected ${wanted === undefined ? `"${tool}" to run without error` : `a result of "${tool}" with ${shown(wanted.result)}`}, ${failureOf(calls, notes, toolCalls)}`,
      ...(wanted === undefined ? {} : { expected: wanted.result }),
      actual: calls.map(({ result, error }) => (error === undefined ? { result } : { error })),
      details: {
        ...(notes.length > 1 && !passed ? { notes } : {}),
        ...(comparable
          ? await diffOf(
              ...matched(
                wanted.result,
                readResult(newest.result, wanted.result),
                prepared.patterns,
              ),
              { subset: true },
            )
          : {}),
      },
    };
  },
});

async function collectPatterns(
  value: unknown,
  path: readonly (string | number)[],
  patterns: Map<string, Pattern>,
  problem: PrepareContext["problem"],
): Promise<void> {
  if (typeof value === "string" && value.startsWith(prefix)) {
    const pattern = await readPattern(value.slice(prefix.length), path, problem);
    if (pattern !== undefined) patterns.set(value, pattern);
  } else if (Array.isArray(value))
    for (const [index, item] of value.entries())
      await collectPatterns(item, [...path, index], patterns, problem);
  else if (isObject(value))
    for (const key of Object.keys(value))
      await collectPatterns(value[key], [...path, key], patterns, problem);
}

function failureOf(
  calls: readonly ToolCall[],
  notes: readonly string[],
  toolCalls: readonly ToolCall[],
): string {
  if (calls.length > 1) return `but none of ${calls.length} calls fits: ${notes.join("; ")}`;
  if (calls.length === 1) return `but ${notes[0]}`;
  if (toolCalls.length === 0) return "but no tool was called";
  return `but only ${[...new Set(toolCalls.map((call) => `"${call.name}"`))].join(", ")} was called`;
}

/** Why a call is not the one that is looked for; undefined if it is. */
function mismatchOf(call: ToolCall, { wanted, patterns }: Prepared): string | undefined {
  if (call.error !== undefined) return `it ended with the error ${shown(call.error)}`;
  if (call.result === undefined) return "no result is on record";
  if (wanted === undefined) return undefined;
  return mismatch(readResult(call.result, wanted.result), wanted.result, patterns);
}

/** Tools often answer with JSON as text. It is read, unless a text is what is wanted. */
function readResult(result: unknown, wanted: unknown): unknown {
  if (typeof result !== "string" || typeof wanted === "string") return result;
  try {
    return JSON.parse(result) as unknown;
  } catch {
    return result;
  }
}

/** Both values, with what matches a pattern instead of the pattern: it is no difference. */
function matched(
  wanted: unknown,
  actual: unknown,
  patterns: ReadonlyMap<string, Pattern>,
): [wanted: unknown, actual: unknown] {
  const fill = (one: unknown, other: unknown): unknown => {
    if (typeof one === "string")
      return typeof other === "string" && patterns.get(one)?.test(other) === true ? other : one;
    if (Array.isArray(one))
      return one.map((item, index) => fill(item, Array.isArray(other) ? other[index] : undefined));
    if (!isObject(one)) return one;
    return Object.fromEntries(
      Object.entries(one).map(([key, item]) => [
        key,
        fill(item, isObject(other) ? other[key] : undefined),
      ]),
    );
  };
  return [fill(wanted, actual), actual];
}
