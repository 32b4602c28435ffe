import { AgentError, isObject } from "@turnwise/core";
import { CompletionPieces } from "../../wire/completion-pieces.js";
import { described } from "../../wire/described.js";
import type { Mask } from "../../wire/excerpt.js";
import type { WireAnswer } from "../../wire/from-wire.js";
import { fromWire } from "../../wire/from-wire.js";
import type { SessionId } from "../../wire/session-ids.js";
import type { ReplyPaths } from "./options.js";
import { partsByPath, reportedError } from "./read-by-path.js";
import { parseEvent } from "./stream.js";
import { valuesAt } from "./values-at.js";

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
  private readonly completion = new CompletionPieces();
  private sessionId: SessionId | undefined;
  /** Events that were a part of a reply. */
  private events = 0;
  private newest: unknown;
  private done = false;

  constructor(
    private readonly paths: ReplyPaths | undefined,
    private readonly mask: Mask,
  ) {}

  /** Takes an event. True if it was the last one. */
  add(event: ParsedEvent): boolean {
    if (event.text.trim() === "[DONE]") {
      this.done = true;
      return true;
    }
    if (event.event === "error") throw reportedError(jsonOrText(event.text));
    const value = parseEvent(event, this.mask);
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
      this.completion.add(value);
      this.events++;
      return;
    }
    const { delta, tool_calls: calls, error, ...more } = value;
    if (error !== undefined && error !== null && Object.keys(value).length === 1)
      throw reportedError(error);
    if (typeof delta === "string") this.text += delta;
    if (Array.isArray(calls)) this.toolCalls.push(...calls);
    const { content } = more;
    // A whole text stands for all of its pieces.
    if (typeof content === "string") this.text = content;
    this.last = { ...this.last, ...more };
    const isPart = [
      typeof delta === "string",
      calls !== undefined,
      wireFields.some((field) => field in more),
    ];
    if (isPart.includes(true)) this.events++;
  }

  private addByPath(value: unknown, paths: ReplyPaths): void {
    const pieces = paths.delta === undefined ? [] : valuesAt(paths.delta, value);
    for (const piece of pieces) if (typeof piece === "string") this.text += piece;
    const { parts, sessionId } = partsByPath(value, paths);
    const { content, toolCalls = [], ...more } = parts;
    const found = [...pieces, content, more.data, more.pending, ...toolCalls];
    if (found.some((one) => one !== undefined)) this.events++;
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
    if (this.events === 0) throw this.nothing();
    const { completion } = this;
    if (completion.count > 0 && !completion.finished && !this.done)
      throw new AgentError("the stream ended in the middle of a reply: no finish_reason came");
    const { content, toolCalls = [], ...rest } = completion.reply();
    const calls = [...this.toolCalls, ...toolCalls];
    const { reply, sessionId = this.sessionId } = fromWire({
      ...rest,
      ...this.last,
      content: this.text + content,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    });
    return { reply, ...(sessionId === undefined ? {} : { sessionId }) };
  }

  private nothing(): AgentError {
    if (this.newest === undefined) return new AgentError("the stream ended without a reply");
    const where =
      this.paths === undefined ? "" : " at reply.delta, reply.content or the other paths";
    return new AgentError(
      `there was no reply in the stream${where}; its last event is ${described(this.newest)}`,
    );
  }
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
