import { deepEqual, defineAssertion } from "@turnwise/core";
import type { Pattern } from "@turnwise/core";
import { z } from "zod";
import type { Step } from "./path.js";
import { find } from "./find.js";
import { formatPath, readPath } from "./path.js";
import { readPattern } from "./pattern.js";
import { asText, everySubject, shown } from "./text.js";

const schema = z.strictObject({
  path: z.string().describe('Names and indexes: $.order.items[0]. "$." may be left out.'),
  value: z.unknown().optional().describe("What must stand there. A list: one of these."),
  exists: z.boolean().optional().describe("Whether anything must stand there."),
  matches: z.string().optional().describe("A pattern in RE2 syntax."),
  gt: z.number().optional(),
  gte: z.number().optional(),
  lt: z.number().optional(),
  lte: z.number().optional(),
  length: z.int().nonnegative().optional().describe("Length of the text or list."),
});
type Spec = z.infer<typeof schema>;

interface Prepared {
  readonly spec: Spec;
  readonly steps: readonly Step[];
  readonly pattern?: Pattern;
}

/** Something stands at a path of the structured output, or else of the newest state. */
export const jsonPath = defineAssertion({
  type: "json_path",
  schema,
  subjects: everySubject,
  async prepare(spec, { problem }): Promise<Prepared | undefined> {
    const compared = ["value", "matches", "gt", "gte", "lt", "lte", "length"].filter(
      (field) => field in spec,
    );
    if (spec.exists === false && compared.length > 0)
      problem({
        code: "conflict",
        path: ["exists"],
        message: `"exists": false contradicts ${compared.map((field) => `"${field}"`).join(", ")}`,
      });
    const steps = readPath(spec.path, problem);
    if (steps === undefined || spec.matches === undefined) return steps && { spec, steps };
    const pattern = await readPattern(spec.matches, "matches", problem);
    return pattern && { spec, steps, pattern };
  },
  label(spec) {
    const path = formatPath(spec.path);
    const tests = [
      "value" in spec ? `= ${shown(spec.value, 60)}` : "",
      spec.matches === undefined ? "" : `matches /${spec.matches}/`,
      ...(["gt", "gte", "lt", "lte"] as const).map((key) =>
        spec[key] === undefined ? "" : `${signs[key]} ${spec[key]}`,
      ),
      spec.length === undefined ? "" : `has length ${spec.length}`,
    ].filter((test) => test !== "");
    if (tests.length > 0) return `${path} ${tests.join(" and ")}`;
    return `${path} ${spec.exists === false ? "does not exist" : "exists"}`;
  },
  async check(context, prepared) {
    const { spec, steps, pattern } = prepared!;
    const path = formatPath(spec.path);
    const found = await find(context, steps);
    if (!found.found) {
      const passed = spec.exists === false;
      return {
        passed,
        message: passed
          ? `nothing stands at ${path}`
          : `expected something at ${path}, but ${found.reason}`,
        ...("value" in spec ? { expected: spec.value } : {}),
        details: { path },
      };
    }
    const { value, where } = found;
    const failure = failureOf(spec, value, pattern);
    return {
      passed: failure === undefined,
      message:
        failure === undefined
          ? `${path} is ${shown(value)} (in the ${where})`
          : `${path} (in the ${where}) ${failure}`,
      ...("value" in spec ? { expected: spec.value } : {}),
      actual: value,
      details: { path, where },
    };
  },
});

const signs = { gt: ">", gte: ">=", lt: "<", lte: "<=" };

function failureOf(spec: Spec, value: unknown, pattern: Pattern | undefined): string | undefined {
  if (spec.exists === false) return `was not to exist, but is ${shown(value)}`;
  if ("value" in spec && !matchesValue(value, spec.value))
    return `was to be ${Array.isArray(spec.value) && !Array.isArray(value) ? "one of " : ""}${shown(spec.value)}, got ${shown(value)}`;
  if (pattern !== undefined && !pattern.test(asText(value)))
    return `was to match /${pattern.source}/, got ${shown(value)}`;
  for (const key of ["gt", "gte", "lt", "lte"] as const) {
    const limit = spec[key];
    if (limit === undefined) continue;
    if (typeof value !== "number" || !compares(value, key, limit))
      return `was to be a number ${signs[key]} ${limit}, got ${shown(value)}`;
  }
  if (spec.length !== undefined) {
    const length = typeof value === "string" || Array.isArray(value) ? value.length : undefined;
    if (length !== spec.length)
      return `was to have the length ${spec.length}, got ${length === undefined ? shown(value) : `${length} in ${shown(value)}`}`;
  }
  return undefined;
}

function compares(value: number, key: keyof typeof signs, limit: number): boolean {
  switch (key) {
    case "gt":
      return value > limit;
    case "gte":
      return value >= limit;
    case "lt":
      return value < limit;
    case "lte":
      return value <= limit;
  }
}

/** A list against a single value means: one of these. */
function matchesValue(actual: unknown, wanted: unknown): boolean {
  if (deepEqual(actual, wanted)) return true;
  return (
    Array.isArray(wanted) &&
    !Array.isArray(actual) &&
    wanted.some((choice) => deepEqual(actual, choice))
  );
}
