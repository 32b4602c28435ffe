import type { JsonValue } from "@turnwise/core";
import type { ApiError } from "../api/api-error.js";
import type { FakeMessage } from "../api/message.js";
import type { OutputFormat } from "../api/output-format.js";
import type { FakeReply } from "./schema.js";

/** What a fake model is asked. */
export interface FakeReplyRequest {
  readonly api: "chat" | "responses";
  readonly model: string;
  /** The whole conversation, with what a previous response stored in front. */
  readonly messages: readonly FakeMessage[];
  /** The body of the request. */
  readonly body: JsonValue;
  /** Steps that the assistant has made already: 0 for its first reply. */
  readonly step: number;
  /** 1-based number of the attempt at this very request. */
  readonly attempt: number;
}

/** Replies with code instead of a script. What it throws is sent as an error of status 400. */
export type FakeReplyFunction = (request: FakeReplyRequest) => FakeReply | Promise<FakeReply>;

/** A reply, or why there is none, and the conversation of the script that it belongs to. */
export type ChosenReply = { readonly conversation?: string } & (
  | { readonly reply: FakeReply }
  | { readonly error: ApiError }
);

/** Where replies come from. */
export type ReplySource = (
  request: FakeReplyRequest,
  format: OutputFormat,
) => ChosenReply | Promise<ChosenReply>;
