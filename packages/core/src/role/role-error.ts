import type { Role } from "../contract/role.js";
import { TurnwiseError } from "../errors.js";

/** An agent in a role that failed, or gave no answer that could be used. It says nothing about the agent under test. */
export class RoleError extends TurnwiseError {
  readonly role: Role;

  constructor(role: Role, message: string, cause?: unknown) {
    super(message, { code: "role_failed", blame: role, cause });
    this.role = role;
  }
}
