import { defineAssertion } from "@turnwise/core";
import { z } from "zod";
import { checkRange, formatRange, isIn } from "./range.js";
import { asText, characters, everySubject } from "./text.js";

const limit = z.int().nonnegative().optional();

/** The output is so long: text in characters, a list in entries, anything else in characters of its compact JSON. */
export const length = defineAssertion({
  type: "length",
  schema: z.strictObject({
    min: limit.describe("Shortest length that will do."),
    max: limit.describe("Longest length that will do."),
  }),
  subjects: everySubject,
  prepare(spec, { problem }) {
    checkRange(spec, problem);
    return spec;
  },
  label: (spec) => `length ${formatRange(spec)}`,
  check({ subject }, spec) {
    const entries = Array.isArray(subject);
    const actual = entries ? subject.length : characters(asText(subject));
    const passed = isIn(actual, spec);
    const unit = entries ? "entries" : "characters";
    return {
      passed,
      message: passed
        ? `it is ${actual} ${unit} long`
        : `expected ${formatRange(spec)} ${unit}, got ${actual}`,
      expected: spec,
      actual,
    };
  },
});
