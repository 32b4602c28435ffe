import { UnjudgedError, defineAssertion } from "@turnwise/core";
import { detailsOf, inapplicable, isUnjudged, oneSchema, typesOf } from "./nested.js";

/** The assertion does not hold. `negate` says the same of any assertion; this one can stand inside of others. */
export const not = defineAssertion({
  type: "not",
  schema: oneSchema,
  aliases: { assert: "assertion", value: "assertion" },
  prepare: ({ assertion }, context) => context.assertion(assertion, ["assertion"]),
  label: ({ assertion }) => `not ${typesOf([assertion])}`,
  async check(context, assertion) {
    const row = await context.run(assertion!);
    if (isUnjudged(row)) throw new UnjudgedError(row);
    // A question that does not arise has no opposite.
    if (row.applicable === false) return { ...inapplicable, message: row.reason };
    return {
      passed: !row.passed,
      message: row.passed
        ? `${row.label} was not to hold: ${row.reason}`
        : `${row.label} does not hold, as wanted: ${row.reason}`,
      details: detailsOf([row]),
    };
  },
});
