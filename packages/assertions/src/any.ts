import { UnjudgedError, defineAssertion } from "@turnwise/core";
import {
  detailsOf,
  inapplicable,
  isUnjudged,
  prepareAll,
  reasonOf,
  runAll,
  severalSchema,
  typesOf,
} from "./nested.js";

/** At least one of the assertions holds. Those after the first that does are not checked. */
export const any = defineAssertion({
  type: "any",
  schema: severalSchema,
  aliases: { assert: "assertions", value: "assertions" },
  prepare: prepareAll,
  label: ({ assertions }) => `any of: ${typesOf(assertions)}`,
  async check(context, assertions) {
    const rows = await runAll(assertions, context, (row) => row.passed);
    const held = rows.find((row) => row.passed);
    const unjudged = rows.find(isUnjudged);
    if (held === undefined && unjudged !== undefined) throw new UnjudgedError(unjudged);
    if (held === undefined && rows.some((row) => row.applicable === false))
      return { ...inapplicable, message: rows.map(reasonOf).join("; ") };
    return {
      passed: held !== undefined,
      message:
        held === undefined
          ? `none of ${rows.length} holds: ${rows.map(reasonOf).join("; ")}`
          : `${held.label}: ${held.reason}`,
      details: detailsOf(rows),
    };
  },
});
