import { defineAssertion } from "@turnwise/core";
import { split, textsSchema } from "./substring.js";
import { asText, everySubject, shown } from "./text.js";

/** At least one of the texts occurs in the output. */
export const containsAny = defineAssertion({
  type: "contains_any",
  schema: textsSchema,
  subjects: everySubject,
  label: (spec) => `contains any of ${shown(spec.value, 80)}`,
  check({ subject }, spec) {
    const { found } = split(subject, spec);
    const passed = found.length > 0;
    return {
      passed,
      message: passed
        ? `found ${shown(found[0])}`
        : `expected the reply to contain one of ${shown(spec.value)}, got ${shown(asText(subject))}`,
      expected: spec.value,
      actual: subject,
      details: { found },
    };
  },
});
