import { defineAssertion, jsonTypeOf } from "@turnwise/core";
import { z } from "zod";
import { strictDocument } from "./document.js";
import { everySubject } from "./text.js";

/** The output is JSON: structured, or a text that is strict JSON from its first character to its last. */
export const isJson = defineAssertion({
  type: "is_json",
  schema: z.strictObject({}),
  subjects: everySubject,
  label: () => "is JSON",
  check(context) {
    const document = strictDocument(context);
    const passed = "value" in document;
    return {
      passed,
      message: passed
        ? `it is JSON (${jsonTypeOf(document.value)})`
        : `expected strict JSON and nothing else, got ${document.error}`,
      actual: context.subject,
    };
  },
});
