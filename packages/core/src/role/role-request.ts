import type { AgentRequest } from "../contract/agent.js";

const requests = new WeakSet<AgentRequest>();

/** Marks a request as one to an agent in a role. */
export function roleRequest(request: AgentRequest): AgentRequest {
  requests.add(request);
  return request;
}

/**
 * True for a request to an agent in a role. The metadata alone do not tell: they come from test cases, which must not be
 * able to turn the agent under test into a judge.
 */
export function isRoleRequest(request: AgentRequest): boolean {
  return requests.has(request);
}
