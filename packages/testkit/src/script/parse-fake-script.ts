import { AuthorError } from "@turnwise/core";
import type { FakeScript } from "./schema.js";
import { check } from "./check.js";
import { scriptSchema } from "./schema.js";

/**
 * Checks a script that came from a file or from elsewhere. Its patterns are compiled when a model starts.
 * @throws AuthorError naming every place that is wrong, what was expected there, and what came.
 */
export function parseFakeScript(value: unknown): FakeScript {
  const checked = check(scriptSchema, value);
  if ("value" in checked) return checked.value;
  throw new AuthorError(`the script is not valid\n${checked.problems.join("\n")}`);
}
