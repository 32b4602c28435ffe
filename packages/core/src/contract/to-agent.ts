import type { Agent, AgentLike } from "./agent.js";
import { isObject } from "../json.js";

/** True for a function or an object with a `respond` method. */
export function isAgentLike(value: unknown): value is AgentLike {
  return typeof value === "function" || (isObject(value) && typeof value["respond"] === "function");
}

/** Gives an agent its id. Methods keep their `this`. */
export function toAgent(like: AgentLike, id: string): Agent {
  if (typeof like === "function") return { id, respond: (request) => like(request) };
  return {
    id,
    ...(like.description === undefined ? {} : { description: like.description }),
    ...(like.tools === undefined ? {} : { tools: like.tools }),
    respond: (request) => like.respond(request),
    ...(like.close === undefined ? {} : { close: (sessionId: string) => like.close!(sessionId) }),
    ...(like.release === undefined ? {} : { release: () => like.release!() }),
  };
}
