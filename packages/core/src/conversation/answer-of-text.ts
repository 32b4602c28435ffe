import type { AnswerForm, PendingRequest } from "../contract/agent.js";

const yes = new Set([
  "y",
  "yes",
  "ok",
  "okay",
  "approve",
  "approved",
  "allow",
  "accept",
  "confirm",
  "true",
]);
const no = new Set([
  "n",
  "no",
  "reject",
  "rejected",
  "deny",
  "denied",
  "decline",
  "cancel",
  "false",
]);

/**
 * The answer that a plain message is to a request, for adapters whose protocol takes typed answers only: yes or no to an
 * approval or confirmation, the text of an option (or its 1-based number) to a choice. Undefined if it is none; throw an
 * `AuthorError` then, rather than guess.
 */
export function answerOfText(text: string, request: PendingRequest): AnswerForm | undefined {
  const said = text
    .trim()
    .toLowerCase()
    .replace(/[.!]+$/, "");
  const option =
    request.options?.find((one) => one.trim().toLowerCase() === said) ??
    (/^\d+$/.test(said) ? request.options?.[Number(said) - 1] : undefined);
  if (option !== undefined) return { choice: option };
  if (request.kind !== "approval" && request.kind !== "confirmation") return undefined;
  if (yes.has(said)) return { approve: true };
  return no.has(said) ? { approve: false } : undefined;
}
