import type { AgentReply } from "turnwise";

/** The next reply to a conversation. */
export function assistant(messages: readonly object[]): AgentReply;
