import { AgentError } from "@turnwise/core";

/** A session id as agents issue it. */
export type SessionId = string | number;

/** Session ids that agents issue themselves, in place of ours. */
export class SessionIds {
  private readonly issuedTo = new Map<string, SessionId>();
  private readonly ownerOf = new Map<SessionId, string>();

  /** The id that the agent knows the conversation by. It is going on from now. */
  of(sessionId: string): SessionId {
    const issued = this.issuedTo.get(sessionId);
    if (issued !== undefined) return issued;
    this.ownerOf.set(sessionId, sessionId);
    return sessionId;
  }

  /**
   * The agent names the conversation in its reply.
   * @throws AgentError if it has given the same id to another conversation that is still going on: they share a memory.
   */
  issued(sessionId: string, issued: SessionId): void {
    if (issued === this.of(sessionId)) return;
    const owner = this.ownerOf.get(issued);
    if (owner !== undefined && owner !== sessionId)
      throw new AgentError(
        `the agent gave the session id ${JSON.stringify(issued)} to two conversations at once: they would share one memory`,
      );
    this.end(sessionId);
    this.issuedTo.set(sessionId, issued);
    this.ownerOf.set(issued, sessionId);
  }

  /** The conversation is over. */
  end(sessionId: string): void {
    const issued = this.issuedTo.get(sessionId);
    this.ownerOf.delete(sessionId);
    if (issued === undefined) return;
    this.issuedTo.delete(sessionId);
    this.ownerOf.delete(issued);
  }
}
