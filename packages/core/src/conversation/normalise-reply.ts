import { z } from "zod";
import type { JsonValue } from "../json.js";
import type {
  AgentReply,
  NormalReply,
  PendingRequest,
  ToolCall,
  Usage,
} from "../contract/agent.js";
import { awaitingKinds } from "../contract/agent.js";
import { AgentError, errorMessage } from "../errors.js";
import { deepestNesting, isObject, isTooDeep, jsonCopy, jsonTypeOf } from "../json.js";
import { didYouMean, nearest } from "../suggest.js";

/** Longest reply taken, in UTF-16 units. What is longer is an agent error, not a report of that size. */
const longestReply = 10 * 1024 * 1024;

const known = [
  "content",
  "data",
  "toolCalls",
  "finishReason",
  "awaitingInput",
  "inputHint",
  "pending",
  "state",
  "usage",
  "log",
  "raw",
] as const satisfies readonly (keyof AgentReply)[];

const pendingSchema = z.object({
  id: z.string().min(1),
  kind: z.enum(awaitingKinds),
  prompt: z.string(),
  options: z.array(z.string()).optional(),
  schema: z.unknown().optional(),
  toolName: z.string().optional(),
  /** The spelling of the wire. */
  tool_name: z.string().optional(),
});

const declarationSchema = z.object({
  content: z.string(),
  awaiting_input: z.boolean(),
  // A hint that is no text is no reason not to believe the rest.
  input_hint: z.string().optional().catch(undefined),
});

/** The spelling of the wire, which agents that hand a reply on have: it means the same. */
const wireNames: Readonly<Record<string, (typeof known)[number]>> = {
  tool_calls: "toolCalls",
  finish_reason: "finishReason",
  awaiting_input: "awaitingInput",
  input_hint: "inputHint",
};

/** Replies that came out of here: they need no second look. */
const normalised = new WeakSet<object>();

/** True for a reply that `normaliseReply` made. */
export function isNormalReply(value: unknown): value is NormalReply {
  return typeof value === "object" && value !== null && normalised.has(value);
}

/**
 * Checks and copies what an agent answered, so that nothing it does later changes what was recorded. Tool calls without
 * an id get one from the number of the turn and of the calls that it has had.
 * @throws AgentError naming what was wrong, if it is neither text nor a reply.
 */
export function normaliseReply(
  reply: unknown,
  place: { readonly turn: number; readonly calls: number } = { turn: 1, calls: 0 },
): NormalReply {
  const normal = typeof reply === "string" ? fromText(reply) : fromObject(reply, place);
  normalised.add(normal);
  return normal;
}

/** The reply with its calls as they stand now. */
export function withToolCalls(reply: NormalReply, calls: readonly ToolCall[]): NormalReply {
  const changed = { ...reply, toolCalls: calls };
  normalised.add(changed);
  return changed;
}

type Place = Required<Parameters<typeof normaliseReply>>[1];

function fromObject(given: unknown, place: Place): NormalReply {
  if (!isObject(given))
    throw new AgentError(
      `expected a string or an object with "content" as the reply, got ${given === undefined ? "nothing" : jsonTypeOf(given)}`,
    );
  const reply = inOurSpelling(given);
  const { content = "" } = reply;
  if (content !== null && typeof content !== "string")
    throw new AgentError(
      `expected "content" of the reply to be a string, got ${jsonTypeOf(content)}`,
    );
  if (!known.some((key) => reply[key] !== undefined)) {
    const keys = Object.keys(reply);
    throw new AgentError(
      `expected a reply with "content", got an object with ${keys.length === 0 ? "no keys" : `the keys ${keys.map((key) => JSON.stringify(key)).join(", ")}`}${didYouMean(keys[0] ?? "", known)}`,
    );
  }
  const normal: Mutable<NormalReply> = {
    ...fromText(content ?? ""),
    toolCalls: toolCalls(reply["toolCalls"], place),
    pending: pending(reply["pending"]),
  };
  const data = copied("data", reply["data"]);
  if (data !== undefined) normal.data = data;
  const state = copied("state", reply["state"]);
  if (state !== undefined) normal.state = state;
  const finishReason = text("finishReason", reply["finishReason"]);
  if (finishReason !== undefined) normal.finishReason = finishReason;
  const inputHint = text("inputHint", reply["inputHint"]);
  if (inputHint !== undefined) normal.inputHint = inputHint;
  const { awaitingInput } = reply;
  if (awaitingInput !== undefined && awaitingInput !== null) {
    if (typeof awaitingInput !== "boolean")
      throw new AgentError(
        `expected "awaitingInput" of the reply to be true or false, got ${jsonTypeOf(awaitingInput)}`,
      );
    normal.awaitingInput = awaitingInput;
  }
  const usage = usageOf(reply["usage"]);
  if (usage !== undefined) normal.usage = usage;
  const log = text("log", reply["log"]);
  if (log !== undefined && log !== "") normal.log = log;
  const ignored = misspelt(Object.keys(reply), known);
  if (ignored.length > 0) normal.ignored = ignored;
  return normal;
}

/** A reply with the names of the wire replaced by ours. */
function inOurSpelling(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (!Object.keys(wireNames).some((name) => Object.hasOwn(given, name))) return given;
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => [
      Object.hasOwn(wireNames, key) && given[wireNames[key]!] === undefined ? wireNames[key]! : key,
      value,
    ]),
  );
}

/** Names that are nearly right: whoever wrote them believes that they count. */
function misspelt(keys: readonly string[], names: readonly string[]): string[] {
  return keys.flatMap((key) => {
    const near = names.includes(key) ? undefined : nearest(key, names);
    return near === undefined ? [] : [`"${key}" (did you mean "${near}"?)`];
  });
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A model can only declare that it waits inside its text: `{"content": "...", "awaiting_input": true}`. */
function fromText(content: string): NormalReply {
  if (content.length > longestReply)
    throw new AgentError(
      `the reply has ${content.length} characters, more than the ${longestReply} that are taken`,
    );
  const declared = unpackDeclaration(content);
  if (declared === undefined) return { content, toolCalls: [], pending: [] };
  return {
    content: declared.content,
    awaitingInput: declared.awaiting_input,
    ...(declared.input_hint === undefined ? {} : { inputHint: declared.input_hint }),
    toolCalls: [],
    pending: [],
  };
}

/** The declaration that a text as a whole is, if it is one. */
function unpackDeclaration(content: string): z.infer<typeof declarationSchema> | undefined {
  if (!content.includes("awaiting_input")) return undefined;
  const trimmed = content.trim();
  if (!trimmed.startsWith("{") || !trimmed.endsWith("}")) return undefined;
  try {
    const parsed = declarationSchema.safeParse(JSON.parse(trimmed));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

function copied(field: string, value: unknown): JsonValue | undefined {
  let copy: JsonValue | undefined;
  try {
    copy = jsonCopy(value);
  } catch (error) {
    throw new AgentError(
      `"${field}" of the reply cannot be written as JSON: ${errorMessage(error)}`,
      { cause: error },
    );
  }
  return notTooDeep(field, copy);
}

function notTooDeep<T>(field: string, value: T): T {
  if (isTooDeep(value))
    throw new AgentError(
      `"${field}" of the reply is nested deeper than the ${deepestNesting} levels that are taken`,
    );
  return value;
}

function text(field: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string")
    throw new AgentError(
      `expected "${field}" of the reply to be a string, got ${jsonTypeOf(value)}`,
    );
  return value;
}

function toolCalls(value: unknown, place: Place): readonly ToolCall[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value))
    throw new AgentError(
      `expected "toolCalls" of the reply to be an array, got ${jsonTypeOf(value)}`,
    );
  /** Results are told apart by ids; not every server makes them different. */
  const ids = new Set<string>();
  const idOf = (given: unknown, index: number): string => {
    const own = typeof given === "string" && given !== "" && !ids.has(given) ? given : undefined;
    const id = own ?? `call-${place.turn}-${place.calls + index + 1}`;
    ids.add(id);
    return id;
  };
  return value.map((call: unknown, index): ToolCall => {
    if (!isObject(call) || typeof call["name"] !== "string" || call["name"] === "")
      throw new AgentError(
        `expected tool call ${index + 1} of the reply to be an object with a "name", got ${
          isObject(call) ? `the keys ${Object.keys(call).join(", ")}` : jsonTypeOf(call)
        }`,
      );
    const where = `toolCalls[${index}]`;
    const args = readArguments(
      where,
      copied(`${where}.arguments`, call["arguments"] ?? call["args"]),
    );
    const result = copied(`${where}.result`, call["result"]);
    const error = text(`${where}.error`, call["error"]);
    return {
      id: idOf(call["id"], index),
      name: call["name"],
      ...args,
      ...(result === undefined ? {} : { result }),
      ...(error === undefined ? {} : { error }),
    };
  });
}

/** Models write arguments as JSON text. Text that is not JSON stays text and is flagged, never taken for `{}`. */
function readArguments(
  where: string,
  value: JsonValue | undefined,
): Pick<ToolCall, "arguments" | "argumentsInvalid"> {
  if (value === undefined || value === null || value === "") return { arguments: {} };
  if (typeof value !== "string") return { arguments: value };
  let parsed: JsonValue;
  try {
    parsed = JSON.parse(value) as JsonValue;
  } catch {
    return { arguments: value, argumentsInvalid: true };
  }
  return { arguments: notTooDeep(`${where}.arguments`, parsed) };
}

function pending(value: unknown): readonly PendingRequest[] {
  if (value === undefined || value === null) return [];
  const parsed = z.array(pendingSchema).safeParse(copied("pending", value));
  if (parsed.success)
    return parsed.data.map(({ tool_name, ...request }) => ({
      ...(tool_name === undefined ? {} : { toolName: tool_name }),
      ...request,
    })) as readonly PendingRequest[];
  const issue = parsed.error.issues[0];
  throw new AgentError(
    `"pending" of the reply is not a list of {id, kind, prompt}: ${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`,
  );
}

/** What model APIs and SDKs call them. */
const usageNames = [
  ["inputTokens", ["input_tokens", "prompt_tokens", "promptTokens"]],
  ["outputTokens", ["output_tokens", "completion_tokens", "completionTokens"]],
  ["totalTokens", ["total_tokens"]],
] as const;

function usageOf(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const usage: Mutable<Usage> = {};
  for (const [key, names] of usageNames)
    for (const name of [key, ...names]) {
      const tokens = value[name];
      if (usage[key] === undefined && typeof tokens === "number" && Number.isFinite(tokens))
        usage[key] = tokens;
    }
  return Object.keys(usage).length === 0 ? undefined : usage;
}
