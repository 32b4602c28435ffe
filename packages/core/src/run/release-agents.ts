import type { Agent, AgentLike } from "../contract/agent.js";
import type { Project } from "../project/project.js";
import { toAgent } from "../contract/to-agent.js";
import { within } from "../conversation/deadline.js";

/** How long an agent may take to let go of what it holds. */
const releaseTimeout = 10_000;

/** How many runs use an agent now. Several of a harness may share one. */
const runs = new WeakMap<object, number>();

/** A run begins to use an agent. */
export function holdAgent(agent: AgentLike): void {
  runs.set(agent, (runs.get(agent) ?? 0) + 1);
}

/** An agent of the project, which the run that keeps `agents` holds from now on. */
export async function heldAgent(
  id: string,
  {
    project,
    agents,
  }: { readonly project: Pick<Project, "agent">; readonly agents: Map<string, Agent> },
): Promise<Agent> {
  const agent = await project.agent(id);
  if (!agents.has(id)) holdAgent(agent);
  agents.set(id, agent);
  return agent;
}

/**
 * A run is over: of its agents those that no other run uses let go of connections and processes. One that cannot has
 * hurt nobody's verdict.
 */
export async function releaseAgents(agents: Iterable<AgentLike>): Promise<void> {
  const idle: Agent[] = [];
  for (const agent of agents) {
    const left = (runs.get(agent) ?? 1) - 1;
    runs.set(agent, left);
    if (left === 0) idle.push(toAgent(agent, "agent"));
  }
  await Promise.allSettled(
    idle.map((agent) => within("close", releaseTimeout, async () => agent.release?.())),
  );
}
