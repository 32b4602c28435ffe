import { UnjudgedError, defineAssertion, jsonTypeOf, nearest } from "@turnwise/core";
import { z } from "zod";
import { find } from "./find.js";
import { formatPath } from "./path/path.js";
import type { Query } from "./path/query.js";
import { readQuery } from "./path/query.js";
import { everySubject, shown } from "./text.js";

const types = ["object", "array", "string", "number", "integer", "boolean", "null"];

/** The JSON type of the output, or of what stands at a path in it. Text is never parsed. */
export const type = defineAssertion({
  type: "type",
  schema: z.strictObject({
    value: z.string().describe(`One of ${types.join(", ")}.`),
    path: z
      .string()
      .optional()
      .describe("A path in JSONPath. All that stands there must be of this type."),
  }),
  subjects: everySubject,
  async prepare(spec, { problem }): Promise<{ wanted: string; query?: Query | undefined }> {
    if (!types.includes(spec.value)) {
      const near = nearest(spec.value, types);
      problem({
        severity: "warning",
        path: ["value"],
        message: `${JSON.stringify(spec.value)} is no JSON type, so this never holds${near === undefined ? "" : `; did you mean "${near}"?`}`,
      });
    }
    if (spec.path === undefined) return { wanted: spec.value };
    return { wanted: spec.value, query: await readQuery(spec.path, problem) };
  },
  label: (spec) =>
    `${spec.path === undefined ? "output" : formatPath(spec.path)} is of the type ${spec.value}`,
  async check(context, { wanted, query }) {
    // Turned round it would always hold.
    if (!types.includes(wanted))
      throw new UnjudgedError({
        reason: `${JSON.stringify(wanted)} is no JSON type`,
        blame: "agent",
      });
    const found =
      query === undefined
        ? ({ found: true, values: [context.subject] } as const)
        : await find(context, query);
    const what = query?.text ?? "the output";
    if (!found.found)
      return {
        passed: false,
        message: `expected ${what} to be of the type ${wanted}, but ${found.reason}`,
        expected: wanted,
      };
    const at = found.values.findIndex((value) => !isOfType(value, wanted));
    const several = found.values.length > 1;
    if (at === -1)
      return {
        passed: true,
        message: `${what} ${several ? `(${found.values.length} values) are` : "is"} of the type ${wanted}`,
        expected: wanted,
        actual: wanted,
      };
    const wrong = found.values[at];
    const actual = jsonTypeOf(wrong);
    return {
      passed: false,
      message: `expected ${several ? "all of " : ""}${what} to be of the type ${wanted}, got ${actual} ${shown(wrong)}`,
      expected: wanted,
      actual,
    };
  },
});

function isOfType(value: unknown, wanted: string): boolean {
  return jsonTypeOf(value) === wanted || (wanted === "integer" && Number.isInteger(value));
}
