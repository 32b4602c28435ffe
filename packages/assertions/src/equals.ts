import { deepEqual, defineAssertion } from "@turnwise/core";
import { z } from "zod";
import { diffOf } from "./diff.js";
import { strictDocument } from "./document.js";
import { anyValue, contrast, everySubject, shown } from "./text.js";

/** The output is exactly this. Text is compared as text, anything else with the data or with the JSON that the text is. */
export const equals = defineAssertion({
  type: "equals",
  schema: z.strictObject({ value: anyValue.describe("What the output must be.") }),
  subjects: everySubject,
  label: (spec) => `equals ${shown(spec.value, 60)}`,
  async check(context, spec) {
    const document = typeof spec.value === "string" ? undefined : strictDocument(context);
    const actual = document !== undefined && "value" in document ? document.value : context.subject;
    const passed = deepEqual(actual, spec.value);
    return {
      passed,
      message: passed ? `it is ${shown(spec.value)}` : contrast(spec.value, actual),
      expected: spec.value,
      actual,
      ...(passed ? {} : { details: await diffOf(spec.value, actual) }),
    };
  },
});
