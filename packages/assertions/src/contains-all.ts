import { defineAssertion } from "@turnwise/core";
import { split, textsSchema } from "./substring.js";
import { asText, everySubject, shown } from "./text.js";

/** All of the texts occur in the output, in any order. */
export const containsAll = defineAssertion({
  type: "contains_all",
  schema: textsSchema,
  subjects: everySubject,
  label: (spec) => `contains all of ${shown(spec.value, 80)}`,
  check({ subject }, spec) {
    const { found, missing } = split(subject, spec);
    const passed = missing.length === 0;
    return {
      passed,
      message: passed
        ? `found ${shown(found)}`
        : `expected the reply to contain all of ${shown(spec.value)}, but ${shown(missing)} ${missing.length === 1 ? "is" : "are"} missing from ${shown(asText(subject))}`,
      expected: spec.value,
      actual: subject,
      details: { found, missing },
    };
  },
});
