import { defineAssertion } from "@turnwise/core";
import { checkText, textSchema } from "./substring.js";
import { everySubject } from "./text.js";

/** The output begins with the text. */
export const startsWith = defineAssertion({
  type: "starts_with",
  schema: textSchema,
  subjects: everySubject,
  label: (spec) => `starts with ${JSON.stringify(String(spec.value))}`,
  check: (context, spec) =>
    checkText(context, spec, {
      holds: (text, wanted) => text.startsWith(wanted),
      expected: "to start with",
      is: "it starts with",
    }),
});
