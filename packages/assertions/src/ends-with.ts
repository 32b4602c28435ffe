import { defineAssertion } from "@turnwise/core";
import { checkText, textSchema } from "./substring.js";
import { everySubject } from "./text.js";

/** The output ends with the text. */
export const endsWith = defineAssertion({
  type: "ends_with",
  schema: textSchema,
  subjects: everySubject,
  label: (spec) => `ends with ${JSON.stringify(String(spec.value))}`,
  check: (context, spec) =>
    checkText(context, spec, {
      holds: (text, wanted) => text.endsWith(wanted),
      expected: "to end with",
      is: "it ends with",
    }),
});
