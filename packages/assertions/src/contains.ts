import { defineAssertion } from "@turnwise/core";
import { z } from "zod";
import { asText, comparable, everySubject, shown, textValue } from "./text.js";

const schema = z.strictObject({
  value: textValue
    .refine((value) => value !== "", "expected some text: the empty text occurs everywhere")
    .describe("The text to look for."),
  ignore_case: z.boolean().optional().describe("Upper and lower case are the same."),
});
type Spec = z.infer<typeof schema>;

function occurs(subject: unknown, spec: Spec): boolean {
  const wanted = comparable(String(spec.value), spec.ignore_case);
  return comparable(asText(subject), spec.ignore_case).includes(wanted);
}

/** The text occurs in the output. */
export const contains = defineAssertion({
  type: "contains",
  schema,
  subjects: everySubject,
  label: (spec) => `contains ${JSON.stringify(String(spec.value))}`,
  check({ subject }, spec) {
    const passed = occurs(subject, spec);
    return {
      passed,
      message: passed
        ? `found ${shown(String(spec.value))}`
        : `expected the reply to contain ${shown(String(spec.value))}, got ${shown(asText(subject))}`,
      expected: spec.value,
      actual: subject,
    };
  },
});

/** The text does not occur in the output. */
export const notContains = defineAssertion({
  type: "not_contains",
  schema,
  subjects: everySubject,
  label: (spec) => `does not contain ${JSON.stringify(String(spec.value))}`,
  check({ subject }, spec) {
    const passed = !occurs(subject, spec);
    return {
      passed,
      message: passed
        ? `${shown(String(spec.value))} does not occur`
        : `expected the reply not to contain ${shown(String(spec.value))}, got ${shown(asText(subject))}`,
      expected: spec.value,
      actual: subject,
    };
  },
});
