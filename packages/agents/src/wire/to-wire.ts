import type { AgentRequest, ContentPart, JsonValue, Message, ToolCall } from "@turnwise/core";

/** How much of the conversation is sent along. */
export type History = "all" | "last";

/**
 * The request as it goes over the default wire. `history: "last"` leaves only what is new in `messages`, for agents that
 * remember the rest by the session id.
 */
export function toWire(
  request: AgentRequest,
  { history, sessionId }: { readonly history: History; readonly sessionId: string | number },
): { [key: string]: JsonValue } {
  const { answer, input, toolResults } = request;
  const messages = history === "all" ? request.messages : newMessages(request.messages);
  return {
    session_id: sessionId,
    test_id: request.testId,
    turn: request.turn,
    ...(input === undefined ? {} : { input: content(input) }),
    messages: messages.map(wireMessage),
    attachments: request.attachments.map(wirePart),
    options: request.options as unknown as JsonValue,
    ...(answer === undefined ? {} : { answer: wireAnswer(answer) }),
    ...(toolResults === undefined
      ? {}
      : { tool_results: toolResults.map((result) => ({ ...result })) }),
  };
}

/** What was said after the last reply. */
function newMessages(messages: readonly Message[]): readonly Message[] {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  return messages.slice(last + 1);
}

function wireAnswer({ requestId, ...answer }: NonNullable<AgentRequest["answer"]>): JsonValue {
  return { request_id: requestId, ...answer };
}

function wireMessage(message: Message): JsonValue {
  switch (message.role) {
    case "system":
      return { role: "system", content: message.content };
    case "user":
      return { role: "user", content: content(message.content) };
    case "tool":
      return {
        role: "tool",
        content: message.content,
        tool_call_id: message.toolCallId,
        ...(message.toolName === undefined ? {} : { tool_name: message.toolName }),
      };
    case "assistant":
      return {
        role: "assistant",
        content: message.content,
        ...(message.toolCalls === undefined ? {} : { tool_calls: message.toolCalls.map(wireCall) }),
      };
  }
}

function wireCall({ id, name, arguments: args, result, error }: ToolCall): JsonValue {
  return {
    id,
    name,
    args,
    ...(result === undefined ? {} : { result }),
    ...(error === undefined ? {} : { error }),
  };
}

function content(input: string | readonly ContentPart[]): JsonValue {
  return typeof input === "string" ? input : input.map(wirePart);
}

function wirePart(part: ContentPart): JsonValue {
  if (part.type === "text") return { type: "text", text: part.text };
  const { type, source, name, mediaType } = part;
  return {
    type,
    source,
    ...(name === undefined ? {} : { name }),
    ...(mediaType === undefined ? {} : { media_type: mediaType }),
  };
}
