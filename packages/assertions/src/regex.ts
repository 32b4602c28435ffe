import { defineAssertion } from "@turnwise/core";
import type { Pattern } from "@turnwise/core";
import { z } from "zod";
import { asText, everySubject, shown } from "./text.js";
import { readPattern } from "./pattern.js";

const schema = z.strictObject({
  value: z.string().describe("A regular expression in RE2 syntax; flags inline, such as (?i)."),
  engine: z
    .enum(["re2", "js"])
    .optional()
    .describe('"re2" (default) takes linear time. "js" is not supported yet.'),
});

/** A regular expression matches somewhere in the output. */
export const regex = defineAssertion({
  type: "regex",
  schema,
  aliases: { pattern: "value" },
  subjects: everySubject,
  async prepare(spec, { problem }): Promise<Pattern | undefined> {
    if (spec.engine === "js") {
      problem({
        code: "not_supported",
        path: ["engine"],
        message: 'the engine "js" is not supported yet',
      });
      return undefined;
    }
    if (/^\/.+\/[a-z]*$/.test(spec.value))
      problem({
        severity: "warning",
        path: ["value"],
        message: `the slashes are part of the pattern ${spec.value}`,
        hint: "Write the pattern without them, and flags as (?i) in front.",
      });
    return readPattern(spec.value, "value", problem);
  },
  label: (spec) => `matches /${spec.value}/`,
  check({ subject }, pattern) {
    const text = asText(subject);
    const found = pattern!.find(text);
    return {
      passed: found !== undefined,
      message:
        found === undefined
          ? `expected a match of /${pattern!.source}/, got ${shown(text)}`
          : `matches ${shown(text.slice(found.start, found.end))}`,
      expected: pattern!.source,
      actual: subject,
    };
  },
});
