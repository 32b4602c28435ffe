import { compilePattern, errorMessage } from "@turnwise/core";
import type { Pattern, PrepareContext } from "@turnwise/core";

/** The pattern of a field of an assertion; undefined if it cannot be compiled, which has been reported by then. */
export async function readPattern(
  source: string,
  path: string | readonly (string | number)[],
  problem: PrepareContext["problem"],
): Promise<Pattern | undefined> {
  try {
    return await compilePattern(source);
  } catch (error) {
    problem({
      code: "invalid_pattern",
      path: typeof path === "string" ? [path] : path,
      message: errorMessage(error),
    });
    return undefined;
  }
}
