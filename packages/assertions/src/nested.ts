import type {
  AssertionContext,
  AssertionDetails,
  AssertionRow,
  PrepareContext,
  PreparedAssertion,
} from "@turnwise/core";
import { isObject } from "@turnwise/core";
import { z } from "zod";
import { shown } from "./text.js";

/** Nested assertions are opaque to the schema: their fields belong to their types. Editors know all of them. */
const opaque = z
  .custom<Readonly<Record<string, unknown>>>(
    isObject,
    'expected an assertion such as {"type": "contains", "value": "..."}',
  )
  .meta({ $ref: "#/$defs/assertion" });

/** One nested assertion. */
export const oneSchema = z.strictObject({ assertion: opaque.describe("The assertion.") });
/** Several nested assertions. */
export const severalSchema = z.strictObject({
  assertions: z.array(opaque).min(1).describe("The assertions."),
});

/** Prepares nested assertions. Those with problems are left out: the problems have been reported by then. */
export async function prepareAll(
  { assertions }: z.infer<typeof severalSchema>,
  context: PrepareContext,
): Promise<readonly PreparedAssertion[]> {
  const prepared: PreparedAssertion[] = [];
  for (const [index, raw] of assertions.entries()) {
    const one = await context.assertion(raw, ["assertions", index]);
    if (one !== undefined) prepared.push(one);
  }
  return prepared;
}

/** Checks nested assertions one after the other, until one satisfies `decided`. */
export async function runAll(
  assertions: readonly PreparedAssertion[],
  context: AssertionContext,
  decided: (row: AssertionRow) => boolean = () => false,
): Promise<AssertionRow[]> {
  const rows: AssertionRow[] = [];
  for (const assertion of assertions) {
    const row = await context.run(assertion);
    rows.push(row);
    if (decided(row)) break;
  }
  return rows;
}

/** Rows for the details of the whole. The output stands in its turn already, and would be there once for each. */
export function detailsOf(rows: readonly AssertionRow[]): AssertionDetails {
  return {
    assertions: rows.map((row) => {
      const { actual, ...rest } = row;
      return actual === undefined ? row : rest;
    }),
  };
}

/** What is made only of questions that do not arise is none itself. */
export const inapplicable = { passed: false, applicable: false } as const;

/** Whether a nested assertion could not be judged at all: it neither holds nor fails to. */
export function isUnjudged(row: AssertionRow): boolean {
  return row.blame !== undefined;
}

/** What nested assertions are about, for labels: `contains "a", regex "b"`. */
export function typesOf(assertions: readonly Readonly<Record<string, unknown>>[]): string {
  const all = assertions.map(({ type, value, negate }) => {
    const name = typeof type === "string" ? type : "equals";
    const what = typeof value === "object" || value === undefined ? "" : ` ${shown(value, 40)}`;
    return `${negate === true ? "not " : ""}${name}${what}`;
  });
  return all.length > 4
    ? `${all.slice(0, 3).join(", ")} and ${all.length - 3} more`
    : all.join(", ");
}

/** Why a nested assertion does not hold, in the words of its author if there are any. */
export function reasonOf(row: AssertionRow): string {
  const { message } = row;
  return typeof message === "string" ? message : row.reason;
}
