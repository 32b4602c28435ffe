import { compilePattern, errorMessage } from "@turnwise/core";
import type { Pattern, PrepareContext } from "@turnwise/core";

/** The pattern of a field of an assertion; undefined if it cannot be compiled, which has been reported by then. */
export async function readPattern(
  source: string,
  path: string | readonly (string | number)[],
  problem: PrepareContext["problem"],
): Promise<Pattern | undefined> {
  if (source === "") {
    problem({ code: "invalid_pattern", path: toPath(path), message: emptyPattern });
    return undefined;
  }
  try {
    return await compilePattern(source);
  } catch (error) {
    problem({
      code: "invalid_pattern",
      path: toPath(path),
      message: errorMessage(error),
    });
    return undefined;
  }
}

/** What to say about a pattern that always holds. */
export const emptyPattern = "expected a pattern: the empty one matches everything";

function toPath(path: string | readonly (string | number)[]): readonly (string | number)[] {
  return typeof path === "string" ? [path] : path;
}
