import type { AssertionTurn } from "../contract/assertion.js";
import type { Message, ToolCall } from "../contract/agent.js";
import { inputText } from "../conversation/input-text.js";
import { isObject } from "../json.js";

/** What ends a line, for one reader or another. */
const lineEnds = "\\n\\r\\v\\f\\u0085\\u2028\\u2029";
/** The first bracket of a line with a word in it, if no word is in front of it. */
const bracket = new RegExp(
  String.raw`(^|[${lineEnds}])([^\p{L}\p{N}\[\uFF3B${lineEnds}]*)(?=[\[\uFF3B][^\p{L}\p{N}"'{[]*[\p{L}_])`,
  "gu",
);

/** What somebody said. A line that only looks like tool traffic is told from it by a backslash. */
function said(text: string): string {
  return text.replaceAll(bracket, "$1$2\\");
}

/** JSON on one line, whoever reads it. */
function json(value: unknown): string {
  return (JSON.stringify(value) ?? "").replaceAll(
    /[\u0085\u2028\u2029]/g,
    (one) => `\\u${one.codePointAt(0)!.toString(16).padStart(4, "0")}`,
  );
}

/** A text that stays on its line and in its brackets. */
function inline(text: string): string {
  return /[\n\r\v\f\u0085\u2028\u2029[\]\uFF3B\uFF3D]/.test(text) ? json(text) : text;
}

/**
 * A turn of the user as text: what was said, or the answer that was given to a request, in brackets. A line that was said
 * and looks like one in brackets begins with a backslash.
 */
export function userText(input: unknown): string {
  if (typeof input === "string") return said(input);
  if (Array.isArray(input))
    return input
      .map((part: { type?: string; text?: string; name?: string }) =>
        part.type === "text"
          ? said(part.text ?? "")
          : `[${part.type}${part.name ? `: ${inline(part.name)}` : ""}]`,
      )
      .join("\n");
  if (!isObject(input)) return "";
  const { approve, choice, payload, reason } = input;
  if (typeof approve === "boolean")
    return `[${approve ? "approved" : "refused"}${typeof reason === "string" ? `: ${inline(reason)}` : ""}]`;
  return `[answered: ${typeof choice === "string" ? inline(choice) : json(payload)}]`;
}

/**
 * A reply of the agent as text, with its tool traffic in brackets. A line of the reply that looks like such traffic begins
 * with a backslash.
 */
export function agentText({
  toolCalls,
  output,
}: Pick<AssertionTurn, "toolCalls" | "output">): string {
  const text = typeof output === "string" ? said(output) : json(output);
  const parts = [...toolCalls.map(callText), ...(text === "" ? [] : [text])];
  // Several providers refuse an empty message.
  return parts.length === 0 ? "(no text)" : parts.join("\n");
}

function callText({ name, arguments: args, result, error }: ToolCall): string {
  const outcome =
    error !== undefined
      ? ` failed: ${inline(error)}`
      : result === undefined
        ? ""
        : ` returned ${typeof result === "string" ? inline(result) : json(result)}`;
  return `[called ${inline(name)}(${json(args)})${outcome}]`;
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
        return [{ role: "user", text: said(inputText(message.content)) }];
      case "tool":
        return [
          {
            role: "agent",
            text: `[${inline(message.toolName ?? message.toolCallId)} returned ${inline(message.content)}]`,
          },
        ];
      case "assistant": {
        const calls = (message.toolCalls ?? []).map(callText);
        return [
          {
            role: "agent",
            text: [...calls, ...(message.content === "" ? [] : [said(message.content)])].join("\n"),
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
