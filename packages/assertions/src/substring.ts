import type { AssertionContext, AssertionVerdict } from "@turnwise/core";
import { z } from "zod";
import { asText, comparable, shown, textValue } from "./text.js";

/** Text to look for. */
const wantedText = textValue.refine(
  (value) => value !== "",
  "expected some text: the empty text occurs everywhere",
);

/** The field of assertions that look for text. */
const ignoreCase = z.boolean().optional().describe("Upper and lower case are the same.");

/** The fields of an assertion that looks for one text. */
export const textSchema = z.strictObject({
  value: wantedText.describe("The text to look for."),
  ignore_case: ignoreCase,
});
/** An assertion that looks for one text. */
export type TextSpec = z.infer<typeof textSchema>;

/** The fields of an assertion that looks for several texts. */
export const textsSchema = z.strictObject({
  value: z.array(wantedText).min(1).describe("The texts to look for."),
  ignore_case: ignoreCase,
});

/** Those of several texts that occur in the output, and those that do not. */
export function split(
  subject: unknown,
  { value, ignore_case }: z.infer<typeof textsSchema>,
): { readonly found: string[]; readonly missing: string[] } {
  const text = comparable(asText(subject), ignore_case);
  const found: string[] = [];
  const missing: string[] = [];
  for (const one of value) {
    const wanted = String(one);
    (text.includes(comparable(wanted, ignore_case)) ? found : missing).push(wanted);
  }
  return { found, missing };
}

/** Checks how the output and one text relate, in the words of the assertion that asks. */
export function checkText(
  { on, subject }: AssertionContext,
  { value, ignore_case }: TextSpec,
  how: {
    readonly holds: (text: string, wanted: string) => boolean;
    /** `to contain`: goes after "expected the reply". */
    readonly expected: string;
    /** `contains`: goes in front of the text. */
    readonly is: string;
  },
): AssertionVerdict {
  const wanted = String(value);
  const text = asText(subject);
  const passed = how.holds(comparable(text, ignore_case), comparable(wanted, ignore_case));
  return {
    passed,
    message: passed
      ? `${how.is} ${shown(wanted)}`
      : `expected the ${on === "response" ? "reply" : on} ${how.expected} ${shown(wanted)}, got ${shown(text)}`,
    expected: value,
    actual: subject,
  };
}
