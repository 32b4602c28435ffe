import { z } from "zod";
import type { Pattern } from "../pattern.js";
import type { DetectionOptions } from "./detect.js";
import { errorMessage } from "../errors.js";
import { compilePattern } from "../pattern.js";
import { awaitingReasons } from "./detection.js";

const patterns = z.array(z.string().min(1));

/** Settings of the detection, as config and cases give them. */
export const detectionSchema = z
  .strictObject({
    ask_tools: z
      .array(z.string().min(1))
      .optional()
      .describe("More names of tools that ask the user."),
    patterns: z
      .strictObject({
        awaiting: patterns.optional().describe("Texts that match wait."),
        completed: patterns.optional().describe("Texts that match do not."),
      })
      .optional()
      .describe("Patterns in RE2 syntax. They win over the built-in rules for texts."),
    detect: z
      .string()
      .min(1)
      .optional()
      .describe("An agent to ask about texts instead of the built-in rules: agents:<id>."),
    off: z
      .array(z.enum(awaitingReasons.filter((reason) => reason !== "completed")))
      .optional()
      .describe("Signals that are not looked at, by the reasons they give."),
  })
  .describe("How to find out whether the agent waits.");
/** Settings of the detection, as config and cases give them. */
export type DetectionSettings = z.infer<typeof detectionSchema>;

/**
 * Settings that are ready to be used. A pattern that does not compile is reported with its path in the settings, or
 * throws where nobody wants to hear of it.
 */
export async function compileDetection(
  { ask_tools, patterns: given, off }: DetectionSettings,
  report?: (path: readonly (string | number)[], message: string) => void,
): Promise<DetectionOptions> {
  const compiled = async (kind: "awaiting" | "completed"): Promise<readonly Pattern[]> => {
    const found: Pattern[] = [];
    for (const [index, source] of (given?.[kind] ?? []).entries()) {
      try {
        found.push(await compilePattern(source));
      } catch (error) {
        if (report === undefined) throw error;
        report(["patterns", kind, index], errorMessage(error));
      }
    }
    return found;
  };
  return {
    ...(ask_tools === undefined ? {} : { askTools: ask_tools }),
    ...(off === undefined ? {} : { off }),
    ...(given === undefined
      ? {}
      : {
          patterns: {
            awaiting: await compiled("awaiting"),
            completed: await compiled("completed"),
          },
        }),
  };
}
