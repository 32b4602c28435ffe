import { defineAssertion } from "@turnwise/core";
import { checkText, textSchema } from "./substring.js";
import { everySubject } from "./text.js";

/** The text occurs in the output. */
export const contains = defineAssertion({
  type: "contains",
  schema: textSchema,
  subjects: everySubject,
  label: (spec) => `contains ${JSON.stringify(String(spec.value))}`,
  check: (context, spec) =>
    checkText(context, spec, {
      holds: (text, wanted) => text.includes(wanted),
      expected: "to contain",
      is: "found",
    }),
});
