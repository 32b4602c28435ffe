import type { OpenRecord, RecordedRequest } from "./recorded-request.js";
import type { ReplySource } from "../script/reply-source.js";
import { ThreadStore } from "../responses/thread-store.js";
import { Attempts } from "./attempts.js";

/** What the requests to one server share. */
export interface ModelState {
  readonly replies: ReplySource;
  readonly apiKey: string | undefined;
  readonly chunkSize: number;
  /** Tells which requests are attempts at the same thing. Undefined: those with the same body. */
  readonly attemptKey: ((request: Pick<RecordedRequest, "headers" | "body">) => string) | undefined;
  readonly attempts: Attempts;
  readonly threads: ThreadStore;
  /** Called when a request has arrived. */
  readonly arrived: (record: OpenRecord) => void;
  /** Called when it is known how it is answered, before the first byte. */
  readonly answered: (record: RecordedRequest) => void;
}

/** The state of a server that starts. */
export function modelState(options: Omit<ModelState, "attempts" | "threads">): ModelState {
  return { ...options, attempts: new Attempts(), threads: new ThreadStore() };
}
