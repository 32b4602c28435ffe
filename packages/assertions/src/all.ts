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

/** All of the assertions hold. */
export const all = defineAssertion({
  type: "all",
  schema: severalSchema,
  aliases: { assert: "assertions", value: "assertions" },
  prepare: prepareAll,
  label: ({ assertions }) => `all of: ${typesOf(assertions)}`,
  async check(context, assertions) {
    const rows = await runAll(assertions, context);
    const failed = rows.filter((row) => !row.passed && !isUnjudged(row));
    const unjudged = rows.find(isUnjudged);
    // What fails for certain fails, whatever the rest would have said.
    if (failed.length === 0 && unjudged !== undefined) throw new UnjudgedError(unjudged);
    if (failed.length > 0 && failed.every((row) => row.applicable === false))
      return { ...inapplicable, message: failed.map(reasonOf).join("; ") };
    return {
      passed: failed.length === 0,
      message:
        failed.length === 0
          ? `all ${rows.length} hold`
          : `${failed.length} of ${rows.length} ${failed.length === 1 ? "does" : "do"} not hold: ${failed.map(reasonOf).join("; ")}`,
      details: detailsOf(rows),
    };
  },
});
