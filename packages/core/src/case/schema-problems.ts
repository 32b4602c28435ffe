import type { z } from "zod";
import type { Problem, ProblemCode } from "../problem.js";
import { jsonTypeOf } from "../json.js";
import { problemCodes } from "../problem.js";
import { didYouMean } from "../suggest.js";

type Path = readonly (string | number)[];
type RawIssue = Parameters<z.core.$ZodErrorMap>[0];

/** Checks a value and says all that is wrong with it in the words of this project. */
export function check<T>(
  schema: z.ZodType<T>,
  value: unknown,
): { readonly value: T } | { readonly problems: Problem[] } {
  const parsed = schema.safeParse(value, { error: describeIssue, reportInput: true });
  if (parsed.success) return { value: parsed.data };
  return { problems: parsed.error.issues.flatMap((issue) => toProblems(issue, [])) };
}

function toProblems(issue: z.core.$ZodIssue, prefix: Path): Problem[] {
  const path = [...prefix, ...issue.path] as (string | number)[];
  if (issue.code === "invalid_union") {
    const branch = bestBranch(issue.errors);
    if (branch !== undefined) return branch.flatMap((inner) => toProblems(inner, path));
  }
  // Checks by hand see what is not there, too.
  if (issue.code === "custom" && issue.input === undefined)
    return [
      { code: "missing_field", severity: "error", message: missingWith(issue.message), path },
    ];
  // One line for each unknown key (see describeIssue).
  const keys = issue.code === "unrecognized_keys" ? issue.keys : undefined;
  return issue.message.split("\n").map((message, index) => ({
    code: codeOf(issue, message),
    severity: "error" as const,
    message,
    path: keys === undefined ? path : [...path, keys[index]!],
  }));
}

function codeOf(issue: z.core.$ZodIssue, message: string): ProblemCode {
  if (issue.code === "unrecognized_keys") return "unknown_key";
  if (message === missing) return "missing_field";
  // A check by hand may say of what kind its problem is: `params: { code }`.
  const code: unknown = issue.code === "custom" ? issue.params?.["code"] : undefined;
  return typeof code === "string" && Object.hasOwn(problemCodes, code)
    ? (code as ProblemCode)
    : "invalid_value";
}

/**
 * The alternative that was meant: the one that got past its outermost type, with the fewest complaints. Undefined if
 * the value fits the outermost type of none.
 */
function bestBranch(
  branches: readonly (readonly z.core.$ZodIssue[])[],
): readonly z.core.$ZodIssue[] | undefined {
  const entered = branches.filter(
    (issues) =>
      !issues.some(
        (issue) =>
          issue.path.length === 0 &&
          (issue.code === "invalid_type" || issue.code === "invalid_value"),
      ),
  );
  return entered.toSorted((a, b) => complaints(a) - complaints(b))[0];
}

function complaints(issues: readonly z.core.$ZodIssue[]): number {
  let count = 0;
  for (const issue of issues) {
    const branch = issue.code === "invalid_union" ? bestBranch(issue.errors) : undefined;
    if (branch !== undefined) count += complaints(branch);
    else count += issue.code === "unrecognized_keys" ? issue.keys.length : 1;
  }
  return count;
}

const missing = "required field is missing";

function missingWith(expectation: string): string {
  const expected = expectation.replace(/, got undefined$/, "");
  return expected.startsWith("expected") ? `${missing} (${expected})` : missing;
}

/** An issue of zod in the words of this project. */
export function describeIssue(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case "unrecognized_keys": {
      const known = Object.keys(
        (issue.inst as { _zod?: { def?: { shape?: object } } } | undefined)?._zod?.def?.shape ?? {},
      );
      return issue.keys.map((key) => `there is no such field${didYouMean(key, known)}`).join("\n");
    }
    case "invalid_type":
      return issue.input === undefined
        ? missing
        : `expected ${typeName(issue.expected)}, got ${shown(issue.input)}`;
    case "invalid_value":
      return issue.input === undefined
        ? missing
        : `expected ${oneOf(issue.values)}, got ${shown(issue.input)}${
            typeof issue.input === "string" ? didYouMean(issue.input, issue.values.map(String)) : ""
          }`;
    case "invalid_union":
      return issue.input === undefined
        ? missing
        : `${expectedOf(issue)}, got ${shown(issue.input)}`;
    case "too_small":
      if (issue.origin === "string" || issue.origin === "array")
        return `expected at least ${issue.minimum} ${issue.origin === "string" ? "character" : "entry"}, got none`;
      return `expected a number ${issue.inclusive === true ? "of at least" : "above"} ${issue.minimum}, got ${shown(issue.input)}`;
    case "too_big":
      return `expected at most ${issue.maximum}, got ${shown(issue.input)}`;
    default:
      return undefined;
  }
}

function expectedOf(issue: Extract<RawIssue, { code: "invalid_union" }>): string {
  const expected = new Set<string>();
  for (const branch of issue.errors)
    for (const inner of branch) {
      if (inner.path.length > 0) continue;
      if (inner.code === "invalid_type") expected.add(typeName(inner.expected));
      if (inner.code === "invalid_value") expected.add(oneOf(inner.values));
    }
  return expected.size === 0
    ? "not one of the forms allowed here"
    : `expected ${[...expected].join(" or ")}`;
}

function typeName(expected: string): string {
  const names: Record<string, string> = {
    string: "a string",
    number: "a number",
    int: "a whole number",
    boolean: "true or false",
    object: "an object",
    array: "an array",
    record: "an object",
  };
  return names[expected] ?? expected;
}

function oneOf(values: readonly unknown[]): string {
  const shownValues = values.map((value) => JSON.stringify(value) ?? String(value));
  return shownValues.length === 1 ? shownValues[0]! : `one of ${shownValues.join(", ")}`;
}

function shown(value: unknown): string {
  const type = jsonTypeOf(value);
  if (type === "object" || type === "array") return type === "array" ? "an array" : "an object";
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
