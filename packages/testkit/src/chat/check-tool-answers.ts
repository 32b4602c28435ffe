import type { FakeMessage } from "../api/message.js";
import { invalid } from "../api/api-error.js";

/**
 * Checks that the calls of an assistant message are answered by the `tool` messages right after it, and that nothing
 * else is. Gives the messages back with the names of the tools.
 */
export function checkToolAnswers(messages: readonly FakeMessage[]): FakeMessage[] {
  /** Tools of the newest assistant message, by the id of the call. */
  let names = new Map<string, string>();
  let open = new Set<string>();
  let caller = 0;
  const checkAnswered = (): void => {
    if (open.size === 0) return;
    throw invalid(
      `messages[${caller}].tool_calls`,
      `messages[${caller}] has tool calls that no tool message after it answers: ${[...open].join(", ")}`,
    );
  };
  const named = messages.map((message, index): FakeMessage => {
    if (message.role === "tool") {
      const id = message.toolCallId!;
      const toolName = names.get(id);
      if (toolName === undefined)
        throw invalid(
          `messages[${index}].tool_call_id`,
          `messages[${index}] answers the tool call ${JSON.stringify(id)}, which the assistant message before it did not make`,
        );
      open.delete(id);
      return { ...message, toolName };
    }
    checkAnswered();
    names = new Map((message.toolCalls ?? []).map(({ id, name }) => [id, name]));
    open = new Set(names.keys());
    caller = index;
    return message;
  });
  checkAnswered();
  return named;
}
