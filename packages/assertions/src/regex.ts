import { defineAssertion, errorMessage } from "@turnwise/core";
import type { AssertionContext, PrepareContext } from "@turnwise/core";
import { z } from "zod";
import { findJs } from "./js-pattern.js";
import { asText, everySubject, shown } from "./text.js";
import { emptyPattern, readPattern } from "./pattern.js";

const schema = z.strictObject({
  value: z.string().describe("A regular expression in RE2 syntax; flags inline, such as (?i)."),
  engine: z
    .enum(["re2", "js"])
    .optional()
    .describe(
      '"re2" (default) takes linear time. "js" has look-around; it runs in a thread that is stopped after 5 s.',
    ),
  flags: z.string().optional().describe('Flags of a "js" pattern: any of i, m, s, u, v.'),
});
type Spec = z.infer<typeof schema>;
type Match = { readonly start: number; readonly end: number } | undefined;
/** The signal is made when it is looked at. */
type Find = (text: string, context: Pick<AssertionContext, "signal">) => Match | Promise<Match>;

/** A regular expression matches somewhere in the output. */
export const regex = defineAssertion({
  type: "regex",
  schema,
  aliases: { pattern: "value" },
  subjects: everySubject,
  async prepare(spec, { problem }): Promise<{ source: string; find: Find } | undefined> {
    if (/^\/.+\/[a-z]*$/.test(spec.value))
      problem({
        severity: "warning",
        path: ["value"],
        message: `the slashes are part of the pattern ${spec.value}`,
        hint: "Write the pattern without them, and flags as (?i) in front.",
      });
    const find = spec.engine === "js" ? prepareJs(spec, problem) : await prepareRe2(spec, problem);
    return find && { source: spec.value, find };
  },
  label: (spec) => `matches /${spec.value}/${spec.flags ?? ""}`,
  async check(context, prepared) {
    const { source, find } = prepared!;
    const text = asText(context.subject);
    const found = await find(text, context);
    return {
      passed: found !== undefined,
      message:
        found === undefined
          ? `expected a match of /${source}/, got ${shown(text)}`
          : `matches ${shown(text.slice(found.start, found.end))}`,
      expected: source,
      actual: context.subject,
    };
  },
});

async function prepareRe2(
  { value, flags }: Spec,
  problem: PrepareContext["problem"],
): Promise<Find | undefined> {
  if (flags !== undefined)
    problem({
      code: "conflict",
      path: ["flags"],
      message: '"flags" belongs to "engine": "js"',
      hint: "Write flags into the pattern: (?i) in front ignores case.",
    });
  const pattern = await readPattern(value, "value", problem);
  return pattern && ((text) => pattern.find(text));
}

function prepareJs(
  { value, flags = "" }: Spec,
  problem: PrepareContext["problem"],
): Find | undefined {
  if (!/^[imsuv]*$/.test(flags)) {
    problem({
      path: ["flags"],
      message: `expected flags of i, m, s, u, v, got ${JSON.stringify(flags)}`,
    });
    return undefined;
  }
  if (value === "") {
    problem({ code: "invalid_pattern", path: ["value"], message: emptyPattern });
    return undefined;
  }
  try {
    // Compiling takes no long time; matching may.
    const { source } = new RegExp(value, flags);
    return (text, context) => findJs({ source, flags }, text, context.signal);
  } catch (error) {
    problem({ code: "invalid_pattern", path: ["value"], message: errorMessage(error) });
    return undefined;
  }
}
