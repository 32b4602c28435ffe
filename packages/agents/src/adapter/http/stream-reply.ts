import { AgentError, isObject } from "@turnwise/core";
import type { WireAnswer } from "../../wire/from-wire.js";
import { described } from "../../wire/described.js";
import { fromWire } from "../../wire/from-wire.js";
import type { FunctionDelta } from "../../wire/function-delta.js";
import { addFunctionDelta } from "../../wire/function-delta.js";
import type { ReplyPaths } from "./options.js";
import { valuesAt } from "./values-at.js";
import { partsByPath, reportedError } from "./read-by-path.js";
import { parseEvent } from "./stream.js";

/** One event of a stream, not yet read. */
export interface ParsedEvent {
  /** The type of a server-sent event. */
  readonly event?: string;
  readonly text: string;
}

/** Fields of a reply beside its pieces. One of them makes an event a part of a reply. */
const wireFields = [
  "content",
  "data",
  "finish_reason",
  "awaiting_input",
  "input_hint",
  "pending",
  "state",
  "usage",
];

/**
 * Puts a reply together from the events of a stream. Text comes in pieces; whatever else an event has replaces what was
 * there before, and tool calls are added. Understands the pieces of chat completions too.
 */
export class StreamReply {
  private text = "";
  private last: { [key: string]: unknown } = {};
  private readonly toolCalls: unknown[] = [];
  private readonly functions: FunctionDelta[] = [];
  private sessionId: string | undefined;
  private events = 0;
  private newest: unknown;
  private completion: { finished: boolean } | undefined;

  constructor(private readonly paths: ReplyPaths | undefined) {}

  /** Takes an event. True if it was the last one. */
  add(event: ParsedEvent): boolean {
    if (event.text.trim() === "[DONE]") {
      if (this.completion !== undefined) this.completion.finished = true;
      return true;
    }
    if (event.event === "error") throw reportedError(jsonOrText(event.text));
    const value = parseEvent(event);
    this.newest = value;
    if (this.paths === undefined) this.addDefault(value);
    else this.addByPath(value, this.paths);
    return false;
  }

  private addDefault(value: unknown): void {
    if (typeof value === "string") {
      this.text += value;
      this.events++;
      return;
    }
    if (!isObject(value))
      throw new AgentError(`expected an object or text, got ${described(value)}`);
    if (Array.isArray(value["choices"])) {
      if (isObject(value["error"])) throw reportedError(value["error"]);
      this.addChunk(value["choices"][0], value["usage"]);
      return;
    }
    const { delta, tool_calls: calls, error, ...more } = value;
    if (error !== undefined && error !== null && Object.keys(value).length === 1)
      throw reportedError(error);
    if (typeof delta === "string") this.text += delta;
    if (Array.isArray(calls)) this.toolCalls.push(...calls);
    if (
      typeof delta === "string" ||
      calls !== undefined ||
      wireFields.some((field) => field in more)
    )
      this.events++;
    const { content } = more;
    // A whole text stands for all of its pieces.
    if (typeof content === "string") this.text = content;
    this.last = { ...this.last, ...more };
  }

  /** A piece of a chat completion. */
  private addChunk(choice: unknown, usage: unknown): void {
    this.completion ??= { finished: false };
    this.events++;
    if (isObject(usage)) this.last["usage"] = usage;
    if (!isObject(choice)) return;
    if (typeof choice["finish_reason"] === "string") {
      this.last["finish_reason"] = choice["finish_reason"];
      this.completion.finished = true;
    }
    const { delta } = choice;
    if (!isObject(delta)) return;
    if (typeof delta["content"] === "string") this.text += delta["content"];
    const calls = delta["tool_calls"];
    if (Array.isArray(calls)) for (const call of calls) addFunctionDelta(this.functions, call);
  }

  private addByPath(value: unknown, paths: ReplyPaths): void {
    const pieces = paths.delta === undefined ? [] : valuesAt(paths.delta, value);
    for (const piece of pieces) if (typeof piece === "string") this.text += piece;
    const { parts, sessionId } = partsByPath(value, paths);
    const { content, toolCalls = [], ...more } = parts;
    if (
      [...pieces, content, more.data, more.pending, ...toolCalls].some((one) => one !== undefined)
    )
      this.events++;
    if (content !== undefined) this.text = content;
    this.toolCalls.push(...toolCalls);
    this.last = { ...this.last, ...more };
    this.sessionId = sessionId ?? this.sessionId;
  }

  /**
   * The reply, when the stream is over.
   * @throws AgentError if nothing came, or the middle of a reply was the end.
   */
  finish(): WireAnswer {
    if (this.events === 0)
      throw new AgentError(
        this.newest === undefined
          ? "the stream ended without a reply"
          : `there was no reply in the stream; its last event is ${described(this.newest)}`,
      );
    if (this.completion?.finished === false)
      throw new AgentError("the stream ended in the middle of a reply: no finish_reason came");
    const calls = [...this.toolCalls, ...this.functions];
    const { reply, sessionId = this.sessionId } = fromWire({
      ...this.last,
      content: this.text,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    });
    return { reply, ...(sessionId === undefined ? {} : { sessionId }) };
  }
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
