import type { AgentReply, JsonValue, ReportedToolCall } from "@turnwise/core";
import { AgentError, deepEqual, isObject } from "@turnwise/core";
import type { SessionId } from "../../wire/session-ids.js";
import type { WireAnswer } from "../../wire/from-wire.js";
import { described } from "../../wire/described.js";
import { functionCall, issuedId } from "../../wire/from-wire.js";
import type { ReplyPaths } from "./options.js";
import { valuesAt } from "./values-at.js";

/** What the paths find in one JSON value. */
export interface FoundParts {
  readonly parts: Partial<AgentReply>;
  readonly sessionId?: SessionId;
}

/**
 * Reads a reply by the paths of the configuration.
 * @throws AgentError if the agent reports an error, or nothing is at any of the paths.
 */
export function readByPath(body: unknown, paths: ReplyPaths): WireAnswer {
  const { parts, ...rest } = partsByPath(body, paths);
  const { content, data, toolCalls, pending } = parts;
  if ([content, data, toolCalls, pending].every((part) => part === undefined))
    throw new AgentError(
      `there is nothing at ${paths.content ?? paths.data ?? "the paths of the reply"} in what the agent answered: ${described(body)}`,
    );
  return { reply: { content: "", ...parts }, ...rest };
}

/**
 * What is at the paths of the configuration. Nothing has to be.
 * @throws AgentError if the agent reports an error.
 */
export function partsByPath(body: unknown, paths: ReplyPaths): FoundParts {
  const one = (path: string | undefined): JsonValue | undefined =>
    path === undefined ? undefined : valuesAt(path, body)[0];
  const failure = one(paths.error);
  if (isFailure(failure)) throw reportedError(failure);
  const calls = paths.tool_calls === undefined ? [] : valuesAt(paths.tool_calls, body).flat();
  const sessionId = one(paths.session_id);
  const parts = {
    ...contentAt(body, paths),
    ...given("data", one(paths.data)),
    ...(calls.length === 0 ? {} : { toolCalls: calls.map((call) => toolCall(call, paths)) }),
    ...given("state", one(paths.state)),
    ...given("awaitingInput", awaiting(body, paths)),
    ...given("inputHint", one(paths.input_hint)),
    ...given("pending", one(paths.pending)),
    ...given("finishReason", one(paths.finish_reason)),
    ...given("usage", one(paths.usage)),
  };
  return {
    // What the fields may hold is checked where all replies are.
    parts,
    ...issuedId(sessionId),
  };
}

/** Many servers have a field for errors in every answer, empty when there is none. */
function isFailure(value: JsonValue | undefined): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return Boolean(value);
}

/** The error for a failure that the agent itself reports. */
export function reportedError(failure: unknown): AgentError {
  const message = isObject(failure) ? (failure["message"] ?? failure["error"] ?? failure) : failure;
  return new AgentError(
    `the agent reports an error: ${typeof message === "string" ? message : JSON.stringify(message)}`,
  );
}

/** Texts are put together; anything else is data. */
function contentAt(
  body: unknown,
  { content: path }: ReplyPaths,
): Partial<Pick<AgentReply, "content" | "data">> | undefined {
  if (path === undefined) return undefined;
  const found = valuesAt(path, body);
  if (found.length === 0) return undefined;
  const texts = found.filter((value) => value !== null);
  if (texts.every((value) => typeof value === "string")) return { content: texts.join("\n") };
  return { data: found.length === 1 ? found[0] : found };
}

function awaiting(body: unknown, { awaiting_input: path }: ReplyPaths): JsonValue | undefined {
  if (path === undefined) return undefined;
  if (typeof path === "string") {
    const [value] = valuesAt(path, body);
    if (value === undefined || value === null || typeof value === "boolean")
      return value ?? undefined;
    throw new AgentError(
      `expected true or false at ${path} (reply.awaiting_input), got ${JSON.stringify(value).slice(0, 100)}; for other values give {path, equals}`,
    );
  }
  const [value] = valuesAt(path.path, body);
  if (value === undefined) return undefined;
  return Array.isArray(path.equals)
    ? path.equals.some((one) => deepEqual(one, value))
    : deepEqual(path.equals, value);
}

function toolCall(value: JsonValue, { tool_call: places = {} }: ReplyPaths): ReportedToolCall {
  const call = functionCall(value);
  if (!isObject(call)) return call;
  const at = (place: string | undefined, ...names: string[]): unknown => {
    if (place !== undefined) return valuesAt(place, value)[0];
    const name = names.find((one) => call[one] !== undefined);
    return name === undefined ? undefined : call[name];
  };
  const name = at(places.name, "name", "tool", "tool_name", "toolName");
  if (typeof name !== "string")
    throw new AgentError(
      `a tool call of the agent has no name: it is ${described(value)}; reply.tool_call says where its parts are, such as {"name": "fn", "args": "in"}`,
    );
  return {
    name,
    ...given("id", at(places.id, "id", "call_id", "tool_call_id", "toolCallId")),
    ...given("arguments", at(places.args, "arguments", "args", "input", "parameters")),
    ...given("result", at(places.result, "result", "output")),
    ...given("error", at(places.error, "error")),
  };
}

function given(key: string, value: unknown): Record<string, unknown> {
  return value === undefined || value === null ? {} : { [key]: value };
}
