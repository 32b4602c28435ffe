/** A tool call of an assistant message. `arguments` is the text as it was sent, which need not be JSON. */
export interface FakeToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/**
 * One entry of the conversation in a request, the same for both APIs: `developer` is `system`, `instructions` are a
 * system message in front, and what the assistant put out in one step of the Responses API is one message. The answer
 * to an approval is a `tool` message whose text is `approved` or `denied`.
 */
export interface FakeMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  /** All of its text. Images, files and sound leave none. */
  readonly text: string;
  /** What the assistant called in this step. */
  readonly toolCalls?: readonly FakeToolCall[];
  /** The call that a `tool` message answers. */
  readonly toolCallId?: string;
  readonly toolName?: string;
}

/** Number of steps the assistant has made. */
export function stepsIn(messages: readonly FakeMessage[]): number {
  return messages.filter(({ role }) => role === "assistant").length;
}
