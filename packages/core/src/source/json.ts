import type { ParseFailure, ParsedCases } from "./text-file.js";
import { parseJson } from "./located.js";

/** Parses the cases of a JSON text. */
export async function parseJsonCases(text: string): Promise<ParsedCases | ParseFailure> {
  const parsed = parseJson(text);
  if (!("error" in parsed)) return { ...parsed, json: true };
  const { error, line } = parsed;
  return {
    problems: [{ code: "invalid_json", message: error, ...(line === undefined ? {} : { line }) }],
  };
}
