import type { RoleRequest } from "../contract/assertion.js";
import { AuthorError } from "../errors.js";

/**
 * Asks an agent in a role for a schema-checked answer.
 * @throws AuthorError always, in this version: roles are not supported yet.
 */
export async function callRole<T>(request: RoleRequest<T>): Promise<T> {
  throw new AuthorError(
    `cannot ask ${request.use} as ${request.role}: agents in roles are not supported yet`,
  );
}
