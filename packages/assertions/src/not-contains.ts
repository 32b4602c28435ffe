import { defineAssertion } from "@turnwise/core";
import { checkText, textSchema } from "./substring.js";
import { everySubject } from "./text.js";

/** The text does not occur in the output. */
export const notContains = defineAssertion({
  type: "not_contains",
  schema: textSchema,
  subjects: everySubject,
  label: (spec) => `does not contain ${JSON.stringify(String(spec.value))}`,
  check: (context, spec) =>
    checkText(context, spec, {
      holds: (text, wanted) => !text.includes(wanted),
      expected: "not to contain",
      is: "there is no",
    }),
});
