import type { FakeMessage } from "./message.js";
import type { OutputFormat } from "./output-format.js";
import type { PlainReply } from "./plain-reply.js";

/** What both APIs say in a request. */
export interface ApiRequest {
  readonly model: string;
  readonly messages: readonly FakeMessage[];
  readonly format: OutputFormat;
  readonly stream: boolean;
  /** Writes a reply in the shape of the API. */
  readonly render: (options: RenderOptions) => RenderedReply;
}

/** What a reply is made of. */
export interface RenderOptions {
  readonly reply: PlainReply;
  /** Ids of the reply are made of it. */
  readonly seed: string;
  /** Length of streamed pieces in UTF-16 units. */
  readonly chunkSize: number;
}

/** A reply in the shape of an API. */
export interface RenderedReply {
  /** The body of an answer that is not streamed. */
  readonly body: unknown;
  /** The same as server-sent events. */
  readonly events: () => Iterable<string>;
  /** Called when the reply is on its way: keeps what a later request may refer to. */
  readonly remember?: () => void;
}

/** When every reply was made, in seconds. */
export const created = 1_700_000_000;
