import type { JsonValue } from "../json.js";
import { AuthorError } from "../errors.js";

/**
 * Runs a script of the project.
 * @throws AuthorError always, in this version: scripts are not supported yet.
 */
export async function runScript(reference: string, _data: JsonValue): Promise<JsonValue> {
  throw new AuthorError(`cannot run ${reference}: scripts are not supported yet`);
}
