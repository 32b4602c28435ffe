import { defineAssertion, errorMessage, jsonTypeOf } from "@turnwise/core";
import { z } from "zod";
import { everySubject } from "./text.js";

/** The output is JSON: structured, or a text that is strict JSON from its first character to its last. */
export const isJson = defineAssertion({
  type: "is_json",
  schema: z.strictObject({}),
  subjects: everySubject,
  label: () => "is JSON",
  check({ subject }) {
    if (typeof subject !== "string")
      return { passed: true, message: `it is structured output (${jsonTypeOf(subject)})` };
    try {
      const value: unknown = JSON.parse(subject);
      return { passed: true, message: `it is JSON (${jsonTypeOf(value)})`, actual: subject };
    } catch (error) {
      return {
        passed: false,
        message: `expected strict JSON and nothing else, got ${errorMessage(error)}`,
        actual: subject,
      };
    }
  },
});
