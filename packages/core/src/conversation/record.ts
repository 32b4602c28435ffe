import type { Detection } from "../awaiting/detection.js";
import type {
  Message,
  NormalReply,
  PendingRequest,
  ToolCall,
  ToolResult,
  Usage,
} from "../contract/agent.js";
import type { ToolCallRow, TurnResult, UsageRow } from "../contract/result.js";
import type { JsonValue } from "../json.js";
import { awaitingReasons } from "../awaiting/detection.js";
import { awaitingKinds } from "../contract/agent.js";
import { isObject } from "../json.js";

/** The output of a reply: its text, or its data when there is no text. */
export function outputOf(reply: NormalReply): JsonValue {
  return reply.content === "" && reply.data !== undefined ? reply.data : reply.content;
}

/** The reply as an entry of the conversation. */
export function messageOf(reply: NormalReply): Message {
  const output = outputOf(reply);
  return {
    role: "assistant",
    content: typeof output === "string" ? output : JSON.stringify(output),
    ...(reply.toolCalls.length === 0 ? {} : { toolCalls: reply.toolCalls }),
  };
}

/** The result of a tool as an entry of the conversation. */
export function toolMessage({ id, name, result, error }: ToolResult): Message {
  const content = error === undefined ? (result ?? null) : { error };
  return {
    role: "tool",
    toolCallId: id,
    toolName: name,
    content: typeof content === "string" ? content : JSON.stringify(content),
  };
}

/** A tool call as results hold it. */
export function toolCallRow(call: ToolCall): ToolCallRow {
  return {
    id: call.id,
    name: call.name,
    args: call.arguments,
    ...(call.argumentsInvalid === true ? { args_invalid: true as const } : {}),
    ...(call.result === undefined ? {} : { result: call.result }),
    ...(call.error === undefined ? {} : { error: call.error }),
  };
}

/** A pending request as results hold it. */
export function pendingRow(request: PendingRequest): NonNullable<TurnResult["pending"]>[number] {
  const { id, kind, prompt, options, schema, toolName } = request;
  return {
    id,
    kind,
    prompt,
    ...(options === undefined ? {} : { options: [...options] }),
    ...(schema === undefined ? {} : { schema }),
    ...(toolName === undefined ? {} : { tool_name: toolName }),
  };
}

/** Usage with one reply more. */
export function addUsage(
  total: UsageRow | undefined,
  usage: NormalReply["usage"],
): UsageRow | undefined {
  if (usage === undefined) return total;
  return sumUsage(total, {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    total_tokens: usage.totalTokens,
    calls: 1,
  });
}

/** Usage of both. */
export function sumUsage(total: UsageRow | undefined, more: UsageRow): UsageRow {
  const sum = (before: number | undefined, added: number | undefined): number | undefined =>
    added === undefined ? before : (before ?? 0) + added;
  return {
    input_tokens: sum(total?.input_tokens, more.input_tokens),
    output_tokens: sum(total?.output_tokens, more.output_tokens),
    total_tokens: sum(total?.total_tokens, more.total_tokens),
    calls: (total?.calls ?? 0) + more.calls,
  };
}

/** Recorded usage as assertions see it. */
export function usageOf(row: UsageRow): Usage {
  return {
    ...(row.input_tokens === undefined ? {} : { inputTokens: row.input_tokens }),
    ...(row.output_tokens === undefined ? {} : { outputTokens: row.output_tokens }),
    ...(row.total_tokens === undefined ? {} : { totalTokens: row.total_tokens }),
  };
}

/**
 * The verdict of a detector.
 * @throws TypeError if it is none: a detector of the user's own may return anything.
 */
export function checkDetection(value: unknown): Detection {
  if (!isObject(value) || typeof value["awaiting"] !== "boolean")
    throw new TypeError("it returned no verdict { awaiting, reason, confidence }");
  const { reason, kind, evidence, hint, confidence } = value;
  if (!awaitingReasons.includes(reason as Detection["reason"]))
    throw new TypeError(`its reason must be one of ${awaitingReasons.join(", ")}`);
  if (kind !== undefined && !awaitingKinds.includes(kind as NonNullable<Detection["kind"]>))
    throw new TypeError(`its kind must be one of ${awaitingKinds.join(", ")}`);
  return {
    awaiting: value["awaiting"],
    reason: reason as Detection["reason"],
    ...(kind === undefined ? {} : { kind: kind as NonNullable<Detection["kind"]> }),
    ...(typeof evidence === "string" ? { evidence } : {}),
    ...(typeof hint === "string" ? { hint } : {}),
    confidence: typeof confidence === "number" ? confidence : 1,
  };
}

/** Writes a detection into the row of its turn. */
export function recordDetection(row: TurnResult, detection: Detection): void {
  row.awaiting_input = detection.awaiting;
  row.awaiting_reason = detection.reason;
  if (detection.kind !== undefined) row.awaiting_kind = detection.kind;
  if (detection.evidence !== undefined) row.evidence = detection.evidence;
  if (detection.hint !== undefined) row.input_hint = detection.hint;
}
