import type { JsonValue } from "@turnwise/core";
import { AuthorError } from "@turnwise/core";
import type { FakeReplyFunction, ReplySource } from "./script/reply-source.js";
import type { FakeScript } from "./script/schema.js";
import type { RecordedRequest } from "./server/recorded-request.js";
import { echoReplies } from "./script/echo-replies.js";
import { functionReplies } from "./script/function-replies.js";
import { parseFakeScript } from "./script/parse-fake-script.js";
import { scriptReplies } from "./script/script-replies.js";
import { handleRequest } from "./server/handle-request.js";
import { listen } from "./server/listen.js";
import { modelState } from "./server/model-state.js";

/** How a fake model starts and replies. */
export interface FakeModelOptions {
  /** What it says. Default: `You said: ` and the last message of the user. */
  readonly script?: FakeScript | FakeReplyFunction;
  /** Default 0: a free one. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** The only API key that is let in. Default: any, or none. */
  readonly apiKey?: string;
  /** Length of streamed pieces in UTF-16 units, default 8. Surrogate pairs stay whole. */
  readonly chunkSize?: number;
  /**
   * What a request is an attempt at: requests with the same key share their faults. Names of headers are in lower case.
   * Default: a hash of the body.
   */
  readonly attemptKey?: (request: {
    readonly headers: Readonly<Record<string, string>>;
    readonly body: JsonValue;
  }) => string;
}

/** A fake model server at work. */
export interface FakeModel {
  /** For example `http://127.0.0.1:1234`. */
  readonly url: string;
  /** What clients call their base URL: `url` with `/v1`. */
  readonly baseURL: string;
  /** Every POST to one of the APIs, in order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** Sockets that are open now. */
  readonly connections: number;
  /** Forgets requests, attempts and stored responses. */
  reset(): void;
  /** Destroys open sockets and ends the server. May be called again. */
  close(): Promise<void>;
}

/**
 * Starts a server that speaks chat completions and responses like an OpenAI-compatible one, and replies as scripted.
 * @throws AuthorError if the script or an option is not valid, InfrastructureError if it cannot listen.
 *
 * @example
 * const model = await startFakeModel({ script: { conversations: [{ replies: ["Where to?", "Booked."] }] } });
 * const client = new OpenAI({ baseURL: model.baseURL, apiKey: "any" });
 * // ...
 * await model.close();
 */
export async function startFakeModel(options: FakeModelOptions = {}): Promise<FakeModel> {
  const requests: RecordedRequest[] = [];
  const model = await serveFakeModel(options, { arrived: (record) => requests.push(record) });
  return {
    url: model.url,
    baseURL: model.baseURL,
    requests,
    get connections() {
      return model.connections;
    },
    reset() {
      requests.length = 0;
      model.reset();
    },
    close: () => model.close(),
  };
}

/** Starts a fake model that keeps no requests but tells of them. */
export async function serveFakeModel(
  { script, port = 0, host = "127.0.0.1", apiKey, chunkSize = 8, attemptKey }: FakeModelOptions,
  watch: {
    readonly arrived?: (record: RecordedRequest) => void;
    readonly answered?: (record: RecordedRequest) => void;
  },
): Promise<Omit<FakeModel, "requests">> {
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new AuthorError(`port is ${port}: expected a whole number from 0 to 65535`);
  if (!Number.isInteger(chunkSize) || chunkSize < 1)
    throw new AuthorError(`chunkSize is ${chunkSize}: expected a whole number of at least 1`);
  const state = modelState({
    replies: await replySource(script),
    apiKey,
    chunkSize,
    attemptKey,
    arrived: watch.arrived ?? nothing,
    answered: watch.answered ?? nothing,
  });
  const server = await listen({
    host,
    port,
    handle: (request, response) =>
      void handleRequest({ request, response, state }).catch(() => response.destroy()),
  });
  return {
    url: server.url,
    baseURL: `${server.url}/v1`,
    get connections() {
      return server.sockets.size;
    },
    reset() {
      state.attempts.clear();
      state.threads.clear();
    },
    close: server.close,
  };
}

function replySource(script: FakeModelOptions["script"]): ReplySource | Promise<ReplySource> {
  if (script === undefined) return echoReplies;
  if (typeof script === "function") return functionReplies(script);
  return scriptReplies(parseFakeScript(script));
}

function nothing(): void {}
