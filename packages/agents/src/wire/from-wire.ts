import type { SessionId } from "./session-ids.js";
import type { AgentReply, ReportedToolCall } from "@turnwise/core";
import { AgentError, isObject, jsonTypeOf } from "@turnwise/core";

/** A reply of the default wire, and the session id that came with it. */
export interface WireAnswer {
  readonly reply: string | AgentReply;
  readonly sessionId?: SessionId;
}

/**
 * Reads a reply of the default wire: text, an object with the fields of a reply, or a chat completion.
 * What the fields of a reply may hold is checked where all replies are.
 * @throws AgentError naming the keys that came, if it is none of these.
 */
export function fromWire(value: unknown): WireAnswer {
  if (typeof value === "string") return { reply: value };
  if (!isObject(value))
    throw new AgentError(
      `expected a reply (text, or an object with "content"), got ${jsonTypeOf(value)}`,
    );
  const completion = fromCompletion(value);
  if (completion !== undefined) return { reply: completion };
  const { session_id: sessionId, ...reply } = value;
  return {
    // The names of the wire are read there, too.
    reply: reply as unknown as AgentReply,
    ...issuedId(sessionId),
  };
}

/** A session id as agents issue it. */
export function issuedId(value: unknown): { readonly sessionId?: SessionId } {
  const issued = typeof value === "number" || (typeof value === "string" && value !== "");
  return issued ? { sessionId: value } : {};
}

/** The first choice of a chat completion. */
function fromCompletion(value: Readonly<Record<string, unknown>>): AgentReply | undefined {
  const choices = value["choices"];
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const message = isObject(choice) ? choice["message"] : undefined;
  if (!isObject(choice) || !isObject(message)) return undefined;
  const finishReason = choice["finish_reason"];
  const calls = message["tool_calls"];
  return {
    content: textOf(message["content"]) || textOf(message["refusal"]) || "",
    ...(Array.isArray(calls) ? { toolCalls: calls.map(functionCall) } : {}),
    ...(typeof finishReason === "string" ? { finishReason } : {}),
    ...(isObject(value["usage"]) ? { usage: value["usage"] } : {}),
  };
}

/** The text of a message, which may come in parts. Undefined if it is neither. */
export function textOf(content: unknown): string | undefined {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return undefined;
  return content
    .map((part: unknown) =>
      isObject(part) && typeof part["text"] === "string" ? part["text"] : "",
    )
    .join("");
}

/** A call as chat completions hold it: `{ id, function: { name, arguments } }`. */
export function functionCall(call: unknown): ReportedToolCall {
  const inner = isObject(call) ? call["function"] : undefined;
  if (!isObject(call) || !isObject(inner)) return call as ReportedToolCall;
  return {
    ...(typeof call["id"] === "string" ? { id: call["id"] } : {}),
    name: String(inner["name"]),
    arguments: inner["arguments"],
  };
}
