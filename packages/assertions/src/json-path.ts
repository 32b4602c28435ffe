import { deepEqual, defineAssertion } from "@turnwise/core";
import type { AssertionDetails, Pattern } from "@turnwise/core";
import { z } from "zod";
import { diffOf } from "./diff.js";
import { find } from "./find.js";
import { firstFailure } from "./first-failure.js";
import { formatPath } from "./path/path.js";
import type { Query } from "./path/query.js";
import { readQuery } from "./path/query.js";
import { readPattern } from "./pattern.js";
import { characters, everySubject, shown } from "./text.js";

const schema = z.strictObject({
  path: z.string().describe('A path in JSONPath: $.order.items[0]. "$." may be left out.'),
  value: z.unknown().optional().describe("What must stand there. A list: one of these."),
  exists: z.boolean().optional().describe("Whether anything must stand there."),
  matches: z.string().optional().describe("A pattern in RE2 syntax."),
  gt: z.number().optional(),
  gte: z.number().optional(),
  lt: z.number().optional(),
  lte: z.number().optional(),
  length: z
    .int()
    .nonnegative()
    .optional()
    .describe(
      "Length of the text or list; of a path that can name several places: how many there are.",
    ),
});
type Spec = z.infer<typeof schema>;

interface Prepared {
  readonly spec: Spec;
  readonly query: Query;
  readonly pattern?: Pattern;
}

const signs = { gt: ">", gte: ">=", lt: "<", lte: "<=" };
const limits = ["gt", "gte", "lt", "lte"] as const;

/** Something stands at a path of the structured output, or else of the newest state. */
export const jsonPath = defineAssertion({
  type: "json_path",
  schema,
  subjects: everySubject,
  async prepare(spec, { problem }): Promise<Prepared | undefined> {
    const compared = ["value", "matches", ...limits, "length"].filter((field) => field in spec);
    if (spec.exists === false && compared.length > 0)
      problem({
        code: "conflict",
        path: ["exists"],
        message: `"exists": false contradicts ${compared.map((field) => `"${field}"`).join(", ")}`,
      });
    const query = await readQuery(spec.path, problem);
    if (query === undefined || spec.matches === undefined) return query && { spec, query };
    const pattern = await readPattern(spec.matches, "matches", problem);
    return pattern && { spec, query, pattern };
  },
  label(spec) {
    const path = formatPath(spec.path);
    const tests = [
      "value" in spec ? `= ${shown(spec.value, 60)}` : "",
      spec.matches === undefined ? "" : `matches /${spec.matches}/`,
      ...limits.map((key) => (spec[key] === undefined ? "" : `${signs[key]} ${spec[key]}`)),
      spec.length === undefined ? "" : `has length ${spec.length}`,
    ].filter((test) => test !== "");
    if (tests.length > 0) return `${path} ${tests.join(" and ")}`;
    return `${path} ${spec.exists === false ? "does not exist" : "exists"}`;
  },
  async check(context, prepared) {
    const { spec, query } = prepared!;
    const path = query.text;
    const wanted = "value" in spec ? { expected: spec.value } : {};
    const lookedUp = await find(context, query);
    // No place is a number of places, too.
    const countsNone =
      !query.single &&
      (spec.length !== undefined || Array.isArray(spec.value)) &&
      spec.exists !== true;
    const found =
      !lookedUp.found && lookedUp.somewhere && countsNone
        ? { found: true as const, values: [], where: "reply" }
        : lookedUp;
    if (!found.found) {
      const passed = spec.exists === false;
      return {
        passed,
        message: passed
          ? `nothing stands at ${path}`
          : `expected something at ${path}, but ${found.reason}`,
        ...wanted,
        details: { path },
      };
    }
    const { values, where } = found;
    // One place, or one that was found: people mean the value, not a list of it.
    const actual = values.length === 1 ? values[0] : values;
    const failure = failureOf(prepared!, values);
    const place =
      values.length !== 1 ? `${values.length} places, in the ${where}` : `in the ${where}`;
    const diff =
      failure === undefined ||
      !("value" in spec) ||
      (values.length > 1 && !Array.isArray(spec.value))
        ? {}
        : await diffOf(spec.value, actual);
    return {
      passed: failure === undefined,
      message:
        failure === undefined
          ? `${path} is ${shown(actual)} (${place})`
          : `${path} (${place}) ${failure}`,
      ...wanted,
      actual,
      details: { path, where, ...diff } satisfies AssertionDetails,
    };
  },
});

function failureOf(
  { spec, query, pattern }: Prepared,
  values: readonly unknown[],
): string | undefined {
  if (spec.exists === false)
    return `was not to exist, but is ${shown(values.length === 1 ? values[0] : values)}`;
  if ("value" in spec) {
    const failure = wrongValue(values, { single: query.single, wanted: spec.value });
    if (failure !== undefined) return failure;
  }
  const limited = pattern !== undefined || limits.some((key) => spec[key] !== undefined);
  if (limited && values.length === 0) return "was to be looked at, but there is nothing there";
  if (pattern !== undefined) {
    const failure = firstFailure(values, (value) =>
      isScalar(value) && pattern.test(String(value))
        ? undefined
        : `was to match /${pattern.source}/, got ${shown(value)}`,
    );
    if (failure !== undefined) return failure;
  }
  for (const key of limits) {
    const limit = spec[key];
    if (limit === undefined) continue;
    const failure = firstFailure(values, (value) =>
      typeof value === "number" && compares(value, key, limit)
        ? undefined
        : `was to be a number ${signs[key]} ${limit}, got ${shown(value)}`,
    );
    if (failure !== undefined) return failure;
  }
  if (spec.length === undefined) return undefined;
  if (!query.single)
    return values.length === spec.length
      ? undefined
      : `was to stand for ${spec.length} ${spec.length === 1 ? "place" : "places"}, got ${values.length}`;
  const [value] = values;
  const length =
    typeof value === "string" ? characters(value) : Array.isArray(value) ? value.length : undefined;
  if (length === spec.length) return undefined;
  return `was to have the length ${spec.length}, got ${length === undefined ? `${shown(value)}, which has none` : `${length} in ${shown(value)}`}`;
}

/**
 * What a path that can name several places stands for is a list, however many were found: a list is compared with all
 * of it, anything else with each.
 */
function wrongValue(
  values: readonly unknown[],
  { single, wanted }: { readonly single: boolean; readonly wanted: unknown },
): string | undefined {
  if (single || !Array.isArray(wanted)) {
    if (values.length === 0) return `was to be ${shown(wanted)}, but there is nothing there`;
    return firstFailure(values, (value) =>
      matchesValue(value, wanted)
        ? undefined
        : `was to be ${Array.isArray(wanted) && !Array.isArray(value) ? "one of " : ""}${shown(wanted)}, got ${shown(value)}`,
    );
  }
  const [first] = values;
  const alone = values.length === 1 && Array.isArray(first) && deepEqual(first, wanted);
  return alone || deepEqual(values, wanted)
    ? undefined
    : `was to be ${shown(wanted)}, got ${shown(values)}`;
}

/** What a pattern can be looked for in. The text of null is no text. */
function isScalar(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
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
