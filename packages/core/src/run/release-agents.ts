import type { Agent } from "../contract/agent.js";
import type { CaseRun } from "./run-case.js";
import { isAgentLike, toAgent } from "../contract/to-agent.js";
import { within } from "../conversation/deadline.js";

/** How long an agent may take to let go of what it holds. */
const releaseTimeout = 10_000;

/** The run is over: agents let go of connections and processes. One that cannot has hurt nobody's verdict. */
export async function releaseAgents({
  agent,
  agents,
}: Pick<CaseRun, "agent" | "agents">): Promise<void> {
  const all: Agent[] = [...agents.values()];
  if (isAgentLike(agent)) all.push(toAgent(agent, "agent"));
  await Promise.allSettled(
    all.map((one) => within("close", releaseTimeout, async () => one.release?.())),
  );
}
