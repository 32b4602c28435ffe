import type { Cause } from "./verdict.js";
import { TurnwiseError, errorMessage, errorPlace, isNetworkError } from "../errors.js";
import { interruptionOf } from "./deadline.js";

/** What it means for a case that its agent threw, by the marks on what was thrown. */
export function causeOfAgentError(
  error: unknown,
  root: string,
): Exclude<Cause, { kind: "skipped" }> {
  const interruption = interruptionOf(error);
  if (interruption?.kind === "cancelled") return { kind: "cancelled" };
  if (interruption !== undefined)
    return { kind: "failed", blame: "agent", error: interruption.message };
  const place = errorPlace(error, root);
  const message = `${errorMessage(error)}${place === undefined ? "" : ` (${place})`}`;
  if (TurnwiseError.isInstance(error)) {
    if (error.blame !== "agent") return { kind: "error", blame: error.blame, error: message };
    return { kind: "failed", blame: "agent", error: `agent error: ${message}` };
  }
  // An agent that calls a server says nothing about itself when that server is not there.
  if (isNetworkError(error)) return { kind: "error", blame: "infrastructure", error: message };
  const name = error instanceof Error && error.name !== "Error" ? `${error.name}: ` : "";
  return { kind: "failed", blame: "agent", error: `agent error: ${name}${message}` };
}
