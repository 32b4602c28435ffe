import type { ParseFailure, ParsedCases } from "./text-file.js";
import { parseLocated } from "./located.js";

/** Parses the cases of a YAML text (1.2, core schema: `yes` is text, and dates are). */
export async function parseYamlCases(text: string): Promise<ParsedCases | ParseFailure> {
  const document = await parseLocated(text);
  if (document.errors.length > 0)
    return { problems: document.errors.map((error) => ({ code: "invalid_yaml", ...error })) };
  // Nothing but comments is no case, not one case that is null.
  if (document.value === null) return { value: [], lineOf: async () => undefined };
  return { value: document.value, lineOf: async (path) => document.lineOf(path) };
}
