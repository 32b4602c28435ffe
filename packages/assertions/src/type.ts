import { defineAssertion, jsonTypeOf, nearest } from "@turnwise/core";
import { z } from "zod";
import type { Step } from "./path.js";
import { find } from "./find.js";
import { formatPath, readPath } from "./path.js";
import { everySubject, shown } from "./text.js";

const types = ["object", "array", "string", "number", "integer", "boolean", "null"];

/** The JSON type of the output, or of what stands at a path in it. Text is never parsed. */
export const type = defineAssertion({
  type: "type",
  schema: z.strictObject({
    value: z.string().describe(`One of ${types.join(", ")}.`),
    path: z.string().optional().describe("Names and indexes, such as $.order.items."),
  }),
  subjects: everySubject,
  prepare(spec, { problem }): { wanted: string; path?: string; steps: readonly Step[] } {
    if (!types.includes(spec.value)) {
      const near = nearest(spec.value, types);
      problem({
        severity: "warning",
        path: ["value"],
        message: `${JSON.stringify(spec.value)} is no JSON type, so this never holds${near === undefined ? "" : `; did you mean "${near}"?`}`,
      });
    }
    if (spec.path === undefined) return { wanted: spec.value, steps: [] };
    const steps = readPath(spec.path, problem) ?? [];
    return { wanted: spec.value, path: formatPath(spec.path), steps };
  },
  label: (spec) =>
    `${spec.path === undefined ? "output" : formatPath(spec.path)} is of the type ${spec.value}`,
  async check(context, { wanted, path, steps }) {
    const found =
      path === undefined
        ? ({ found: true, value: context.subject } as const)
        : await find(context, steps);
    const what = path ?? "the output";
    if (!found.found)
      return {
        passed: false,
        message: `expected ${what} to be of the type ${wanted}, but ${found.reason}`,
        expected: wanted,
      };
    const actual = jsonTypeOf(found.value);
    const passed = actual === wanted || (wanted === "integer" && Number.isInteger(found.value));
    return {
      passed,
      message: passed
        ? `${what} is of the type ${wanted}`
        : `expected ${what} to be of the type ${wanted}, got ${actual} ${shown(found.value)}`,
      expected: wanted,
      actual,
    };
  },
});
