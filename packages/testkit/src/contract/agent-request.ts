import type { AgentRequest, ContentPart, Message, ToolResult } from "@turnwise/core";
import { ToolNotMockedError } from "@turnwise/core";

/**
 * A request as core makes it, for asking an agent by hand. It says `hello` if it is given nothing to say. `messages`
 * are made of what is said, unless they are given.
 *
 * @example
 * const reply = await agent.respond(agentRequest({ input: "book", signal: AbortSignal.timeout(100) }));
 */
export function agentRequest(over: Partial<AgentRequest> = {}): AgentRequest {
  const silent = over.answer !== undefined || over.toolResults !== undefined;
  const input = over.input ?? (silent ? undefined : "hello");
  const said = input === undefined ? {} : { input };
  return {
    sessionId: "session-1",
    testId: "case-1",
    turn: 1,
    messages: messagesOf({ ...over, ...said }),
    attachments: [],
    options: { metadata: {} },
    referer: "agent-test",
    signal: new AbortController().signal,
    resolveTool: async (name, args) => {
      throw new ToolNotMockedError(name, args);
    },
    ...over,
    ...said,
  };
}

function messagesOf({
  input,
  attachments = [],
  toolResults = [],
}: Partial<AgentRequest>): Message[] {
  const results = toolResults.map(toolMessage);
  if (input === undefined) return results;
  const parts: readonly ContentPart[] =
    typeof input === "string" ? [{ type: "text", text: input }] : input;
  const content = attachments.length === 0 ? input : [...parts, ...attachments];
  return [...results, { role: "user", content }];
}

function toolMessage({ id, name, result, error }: ToolResult): Message {
  const content = error === undefined ? (result ?? null) : { error };
  return {
    role: "tool",
    toolCallId: id,
    toolName: name,
    content: typeof content === "string" ? content : JSON.stringify(content),
  };
}
