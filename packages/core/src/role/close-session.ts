import type { Agent } from "../contract/agent.js";
import { within } from "../conversation/deadline.js";

/** How long an agent may take to clean up after an answer. */
const closeTimeout = 10_000;

/**
 * Ends the session of a single question: each is a conversation of its own. What the agent cannot clean up changes no
 * verdict.
 */
export async function closeSession(agent: Agent, sessionId: string): Promise<void> {
  if (agent.close === undefined) return;
  try {
    await within("close", closeTimeout, async () => agent.close!(sessionId));
  } catch {
    // It has answered.
  }
}
