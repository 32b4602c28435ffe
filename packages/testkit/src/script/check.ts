import { formatPath, jsonTypeOf, nearest } from "@turnwise/core";
import type { z } from "zod";
import { faultNames } from "./schema.js";

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];
type Path = readonly PropertyKey[];

/** Checks a value: gives it back, or says in a line each what is wrong with it. */
export function check<T>(
  schema: z.ZodType<T>,
  value: unknown,
): { readonly value: T } | { readonly problems: readonly string[] } {
  const parsed = schema.safeParse(value, { error: describe, reportInput: true });
  if (parsed.success) return { value: parsed.data };
  return { problems: parsed.error.issues.flatMap((issue) => toLines(issue, [])) };
}

function toLines(issue: z.core.$ZodIssue, prefix: Path): string[] {
  const path = [...prefix, ...issue.path];
  if (issue.code === "invalid_union") {
    const branch = issue.errors.find((issues) =>
      issues.every((inner) => inner.path.length > 0 || !isTypeIssue(inner)),
    );
    if (branch !== undefined) return branch.flatMap((inner) => toLines(inner, path));
  }
  // Checks by hand say only what they expect.
  const handmade = issue.code === "custom" || issue.code === "invalid_format";
  const came = handmade && !issue.message.includes(", got ") ? `, got ${shown(issue.input)}` : "";
  return `${issue.message}${came}`.split("\n").map((message) => {
    const place = formatPath(path.map((part) => (typeof part === "number" ? part : String(part))));
    return place === "" ? message : `${place}: ${message}`;
  });
}

/** True if the value is not of the kind that the alternative is for. */
function isTypeIssue(issue: z.core.$ZodIssue): boolean {
  return issue.code === "invalid_type" || issue.code === "invalid_value";
}

function describe(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case "unrecognized_keys": {
      const shape: unknown = (issue.inst as { _zod?: { def?: { shape?: object } } } | undefined)
        ?._zod?.def?.shape;
      const known = typeof shape === "object" && shape !== null ? Object.keys(shape) : [];
      return issue.keys
        .map((key) => `there is no field ${JSON.stringify(key)}${meant(key, known)}`)
        .join("\n");
    }
    case "invalid_type":
      return `expected ${typeName(issue.expected)}, got ${shown(issue.input)}`;
    case "invalid_value":
      return `expected ${oneOf(issue.values)}, got ${shown(issue.input)}`;
    case "invalid_union":
      return issue.errors.length === 0
        ? `expected ${oneOf(faultNames)}, got ${shown((issue.input as { type?: unknown }).type)}`
        : `expected ${alternatives(issue.errors)}, got ${shown(issue.input)}`;
    case "too_small":
    case "too_big": {
      if (issue.origin === "string") return `expected text that is not empty, got ""`;
      const limit =
        issue.code === "too_small" ? `at least ${issue.minimum}` : `at most ${issue.maximum}`;
      return `expected ${limit}, got ${shown(issue.input)}`;
    }
    default:
      return undefined;
  }
}

function alternatives(branches: readonly (readonly z.core.$ZodIssue[])[]): string {
  const expected = new Set<string>();
  for (const issue of branches.flat()) {
    if (issue.code === "invalid_type") expected.add(typeName(issue.expected));
    if (issue.code === "invalid_value") expected.add(oneOf(issue.values));
  }
  return [...expected].join(" or ");
}

function meant(key: string, known: readonly string[]): string {
  const found = nearest(key, known);
  return found === undefined ? "" : `; did you mean "${found}"?`;
}

function typeName(expected: string): string {
  const names: Readonly<Record<string, string>> = {
    string: "text",
    number: "a number",
    int: "a whole number",
    object: "an object",
    array: "a list",
  };
  return names[expected] ?? expected;
}

function oneOf(values: readonly unknown[]): string {
  const texts = values.map((value) => JSON.stringify(value) ?? String(value));
  return texts.length === 1 ? texts[0]! : `one of ${texts.join(", ")}`;
}

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "number") return String(value);
  const type = jsonTypeOf(value);
  if (type === "array") return "a list";
  if (type === "object") return "an object";
  const text = JSON.stringify(value) ?? type;
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
