import type { AgentFunction, AgentObject, AgentReply, AgentRequest } from "@turnwise/core";
import { AuthorError } from "@turnwise/core";
import { copy } from "./copy.js";

/** An agent that replies as it was told and remembers what it was asked. */
export interface RecordingAgent extends AgentObject {
  /** Copies of what it was asked, in order. */
  readonly requests: readonly AgentRequest[];
  /** Sessions that were closed, in order. */
  readonly closed: readonly string[];
  /** How often it was released. */
  readonly released: number;
}

/**
 * Makes an agent for tests. A list is given out reply by reply in every session, its last one again and again; a
 * function decides by itself.
 * @throws AuthorError if the list is empty.
 *
 * @example
 * const agent = recordAgent(["Where to?", { content: "Booked.", awaitingInput: false }]);
 */
export function recordAgent(
  replies: readonly (string | AgentReply)[] | AgentFunction,
): RecordingAgent {
  const respond = typeof replies === "function" ? replies : inOrder(replies);
  const requests: AgentRequest[] = [];
  const closed: string[] = [];
  let released = 0;
  return {
    requests,
    closed,
    get released() {
      return released;
    },
    respond(request) {
      requests.push(copy(request));
      return respond(request);
    },
    close(sessionId) {
      closed.push(sessionId);
    },
    release() {
      released++;
    },
  };
}

function inOrder(replies: readonly (string | AgentReply)[]): AgentFunction {
  const last = replies.length - 1;
  if (last < 0) throw new AuthorError("recordAgent got no replies: expected at least one");
  const given = new Map<string, number>();
  return ({ sessionId }) => {
    const index = given.get(sessionId) ?? 0;
    given.set(sessionId, index + 1);
    return replies[Math.min(index, last)]!;
  };
}
