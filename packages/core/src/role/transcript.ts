import type { AssertionTurn } from "../contract/assertion.js";
import type { Message, ToolCall } from "../contract/agent.js";
import { inputText } from "../conversation/input-text.js";
import { isObject } from "../json.js";

/** A turn of the user as text: what was said, or the answer that was given to a request, in brackets. */
export function userText(input: unknown): string {
  if (typeof input === "string") return input;
  if (Array.isArray(input))
    return input
      .map((part: { type?: string; text?: string; name?: string }) =>
        part.type === "text" ? part.text : `[${part.type}${part.name ? `: ${part.name}` : ""}]`,
      )
      .join("\n");
  if (!isObject(input)) return "";
  const { approve, choice, payload, reason } = input;
  if (typeof approve === "boolean")
    return `[${approve ? "approved" : "refused"}${typeof reason === "string" ? `: ${reason}` : ""}]`;
  return `[answered: ${typeof choice === "string" ? choice : JSON.stringify(payload)}]`;
}

/** A reply of the agent as text, with its tool traffic in brackets. */
export function agentText({
  toolCalls,
  output,
}: Pick<AssertionTurn, "toolCalls" | "output">): string {
  const text = typeof output === "string" ? output : JSON.stringify(output);
  const parts = [...toolCalls.map(callText), ...(text === "" ? [] : [text])];
  // Several providers refuse an empty message.
  return parts.length === 0 ? "(no text)" : parts.join("\n");
}

function callText({ name, arguments: args, result, error }: ToolCall): string {
  const outcome =
    error !== undefined
      ? ` failed: ${error}`
      : result === undefined
        ? ""
        : ` returned ${typeof result === "string" ? result : JSON.stringify(result)}`;
  return `[called ${name}(${JSON.stringify(args)})${outcome}]`;
}

/** What one side said. */
interface Said {
  readonly role: "user" | "agent";
  readonly text: string;
}

/** Messages from before the first turn: a role sees the whole conversation. */
function historyTexts(history: readonly Message[]): Said[] {
  return history.flatMap((message): Said[] => {
    switch (message.role) {
      case "system":
        // What the agent was told is not for its user.
        return [];
      case "user":
        return [{ role: "user", text: inputText(message.content) }];
      case "tool":
        return [
          {
            role: "agent",
            text: `[${message.toolName ?? message.toolCallId} returned ${message.content}]`,
          },
        ];
      case "assistant": {
        const calls = (message.toolCalls ?? []).map(callText);
        return [
          {
            role: "agent",
            text: [...calls, ...(message.content === "" ? [] : [message.content])].join("\n"),
          },
        ];
      }
    }
  });
}

/**
 * The conversation with its roles swapped: whoever goes on in it speaks as the user. Tool traffic is text of the agent's
 * side, since a message of a tool without the call in front of it is refused by models; neighbours of one side are one
 * message.
 */
export function swappedMessages(
  history: readonly Message[],
  turns: readonly AssertionTurn[],
): Message[] {
  const texts = [
    ...historyTexts(history),
    ...turns.flatMap((turn) => [
      { role: "user" as const, text: userText(turn.input) },
      { role: "agent" as const, text: agentText(turn) },
    ]),
  ];
  const messages: { role: "assistant" | "user"; content: string }[] = [];
  for (const { role, text } of texts) {
    const swapped = role === "user" ? "assistant" : "user";
    const last = messages.at(-1);
    if (last?.role === swapped) last.content = `${last.content}\n${text}`;
    else messages.push({ role: swapped, content: text });
  }
  return messages;
}
