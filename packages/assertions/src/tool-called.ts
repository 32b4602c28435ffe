import { defineAssertion, isSubset, nearest } from "@turnwise/core";
import type { ToolCall } from "@turnwise/core";
import { z } from "zod";
import { diffOf } from "./diff.js";
import { isCallOf } from "./tool-name.js";
import { shown } from "./text.js";

const call = z.strictObject({
  name: z.string().min(1),
  arguments: z.unknown().optional().describe("What the arguments must contain."),
});

/** A tool was called, by its full name or by the part after server and module prefixes. */
export const toolCalled = defineAssertion({
  type: "tool_called",
  schema: z.strictObject({
    value: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1), call])
      .describe("A name, a list (any of these), or {name, arguments}."),
    arguments: z.unknown().optional().describe("What the arguments must contain."),
    times: z.int().nonnegative().optional().describe("How many calls exactly."),
  }),
  aliases: { name: "value", tool: "value", args: "arguments" },
  subjects: ["response", "tools"],
  prepare(spec, { problem }) {
    const nested =
      typeof spec.value === "string" || Array.isArray(spec.value)
        ? undefined
        : spec.value.arguments;
    if (nested !== undefined && spec.arguments !== undefined)
      problem({
        code: "conflict",
        path: ["arguments"],
        message: '"arguments" is given twice, here and inside "value"',
      });
    const args = nested ?? spec.arguments;
    return {
      names: namesOf(spec.value),
      times: spec.times,
      ...(args === undefined ? {} : { args }),
    };
  },
  label(spec) {
    const names = namesOf(spec.value).map((name) => JSON.stringify(name));
    return `tool_called ${names.join(" or ")}${spec.times === undefined ? "" : ` ${timesText(spec.times)}`}`;
  },
  async check({ toolCalls }, { names, times, args }) {
    const named = toolCalls.filter((made) => names.some((name) => isCallOf(made, name)));
    const matching =
      args === undefined ? named : named.filter((made) => isSubset(args, made.arguments));
    const passed = times === undefined ? matching.length > 0 : matching.length === times;
    return {
      passed,
      message: messageOf({ passed, names, times, args, named, matching, toolCalls }),
      expected: {
        name: names.length === 1 ? names[0] : names,
        ...(args === undefined ? {} : { arguments: args }),
      },
      actual: toolCalls.map((made) => ({ name: made.name, arguments: made.arguments })),
      ...(!passed && args !== undefined && matching.length === 0 && named.length > 0
        ? { details: await diffOf(args, named.at(-1)!.arguments, { subset: true }) }
        : {}),
    };
  },
});

function timesText(times: number): string {
  return times === 1 ? "once" : `${times} times`;
}

function namesOf(value: string | string[] | { name: string }): string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value : [value.name];
}

function messageOf(facts: {
  passed: boolean;
  names: readonly string[];
  times: number | undefined;
  args?: unknown;
  named: readonly ToolCall[];
  matching: readonly ToolCall[];
  toolCalls: readonly ToolCall[];
}): string {
  const { passed, names, times, args, named, matching, toolCalls } = facts;
  const what = names.map((name) => `"${name}"`).join(" or ");
  if (passed)
    return times === 0
      ? `${what} was not called`
      : `${what} was called${times === undefined ? "" : ` ${timesText(times)}`}`;
  const wanted = `expected ${times === undefined || times === 1 ? "a call" : `${times} calls`} of ${what}${args === undefined ? "" : ` with ${shown(args)}`}`;
  if (toolCalls.length === 0) return `${wanted}, but no tool was called`;
  if (args !== undefined && named.length > 0 && matching.length === 0)
    return `${wanted}, got ${named.map((made) => shown(made.arguments)).join(", ")}`;
  if (times !== undefined && matching.length > 0) return `${wanted}, got ${matching.length}`;
  const called = [...new Set(toolCalls.map((made) => made.name))];
  const near = nearest(names[0] ?? "", called);
  return `${wanted}, got ${called.map((name) => `"${name}"`).join(", ")}${near === undefined ? "" : ` (nearest: "${near}")`}`;
}
