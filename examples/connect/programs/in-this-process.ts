import type { AgentReply, AgentRequest } from "turnwise";
import { assistant } from "./assistant.mjs";

/** The assistant as a function. */
export function inThisProcess({ messages }: AgentRequest): AgentReply {
  return assistant(
    messages.map((message) =>
      message.role === "tool" ? { ...message, tool_name: message.toolName } : message,
    ),
  );
}
