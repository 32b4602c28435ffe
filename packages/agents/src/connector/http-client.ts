import type { IncomingHttpHeaders, IncomingMessage, RequestOptions } from "node:http";
import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Duplex } from "node:stream";

/** Longest reply taken, in bytes. */
export const longestReply = 10 * 1024 * 1024;

/**
 * How long an unused connection is kept, in milliseconds: shorter than any server keeps its own. A request that is sent
 * as the server closes is lost, and cannot be sent again: the agent may have read it.
 */
const longestIdle = 1_000;

/** A request to be sent. */
export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
}

/** What came back, as far as its headers. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body as it comes. Throws `ReplyTooLargeError` past 10 MB. */
  readonly body: () => AsyncIterable<Buffer>;
  /** The whole body. Throws the same. */
  readonly text: () => Promise<string>;
  /** Nobody wants the body. It must be said, or the connection is kept for it. */
  readonly discard: () => void;
}

/** The body of an answer is larger than what is taken. */
export class ReplyTooLargeError extends Error {
  readonly code = "TURNWISE_REPLY_TOO_LARGE";

  constructor() {
    super(`a reply of more than ${longestReply / 1024 / 1024} MB`);
  }
}

/**
 * Sends requests over connections that are kept until the run is over. Node's own client: the global `fetch` costs
 * several times as much a request, and its connections cannot be closed.
 */
export class HttpClient {
  private agents: { readonly http: HttpAgent; readonly https: HttpsAgent } | undefined;

  /**
   * Resolves when the headers of the answer are there.
   * @throws the errors of Node for connections that cannot be made or break; the reason of the signal.
   */
  send({ body, headers, method, signal, url }: HttpRequest): Promise<HttpAnswer> {
    signal.throwIfAborted();
    const secure = url.protocol === "https:";
    const agents = (this.agents ??= { http: keeping(HttpAgent), https: keeping(HttpsAgent) });
    const options: RequestOptions = {
      method,
      protocol: url.protocol,
      // Addresses of version 6 stand in brackets there.
      hostname: url.hostname.replace(/^\[(.*)\]$/, "$1"),
      port: url.port,
      path: `${url.pathname}${url.search}`,
      ...(url.username === "" && url.password === ""
        ? {}
        : { auth: `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}` }),
      agent: secure ? agents.https : agents.http,
      headers:
        body === undefined
          ? headers
          : { ...headers, "content-length": String(Buffer.byteLength(body)) },
    };
    return new Promise((resolve, reject) => {
      let answer: IncomingMessage | undefined;
      const request = (secure ? httpsRequest : httpRequest)(options, (message) => {
        answer = message;
        // Who reads it is told by the reading; it may also break when nobody reads any more.
        message.on("error", () => undefined);
        resolve({
          status: message.statusCode ?? 0,
          headers: message.headers,
          body: () => limited(message),
          text: () => textOf(message),
          discard: () => message.destroy(),
        });
      });
      // A listener of our own: that of Node is made for streams, and costs as much as the rest of the request.
      const abort = (): void => {
        // When all has come, the connection is on its way back to the others, and must not be broken.
        if (answer?.complete !== true) request.destroy(signal.reason as Error);
      };
      signal.addEventListener("abort", abort, { once: true });
      request.on("close", () => signal.removeEventListener("abort", abort));
      request.on("upgrade", (message, socket) => {
        // Nobody has asked for it, and nothing that could be read will come.
        socket.destroy();
        const empty = { body: nothing, text: async () => "", discard: () => undefined };
        resolve({ status: 101, headers: message.headers, ...empty });
      });
      request.on("error", reject);
      request.end(body);
    });
  }

  /** Closes the connections: unused ones now, those in use when they are done. */
  release(): void {
    const { agents } = this;
    this.agents = undefined;
    for (const agent of Object.values(agents ?? {})) {
      agent.maxFreeSockets = 0;
      for (const sockets of Object.values(agent.freeSockets))
        for (const socket of sockets ?? []) socket.destroy();
    }
  }
}

function textOf(message: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    message.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > longestReply) message.destroy(new ReplyTooLargeError());
      else chunks.push(chunk);
    });
    message.on("end", () => {
      try {
        resolve(decoded(Buffer.concat(chunks), message.headers["content-type"]));
      } catch (error) {
        reject(error);
      }
    });
    message.on("error", reject);
  });
}

/** The text of a body in its own encoding, UTF-8 unless it says otherwise. */
function decoded(body: Buffer, contentType = ""): string {
  const charset = /;\s*charset="?([^";\s]+)/i.exec(contentType)?.[1] ?? "utf-8";
  return charset.toLowerCase() === "utf-8"
    ? body.toString("utf8")
    : new TextDecoder(charset).decode(body);
}

async function* nothing(): AsyncGenerator<Buffer> {}

async function* limited(message: IncomingMessage): AsyncGenerator<Buffer> {
  let size = 0;
  try {
    const chunks = message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
    for await (const chunk of chunks) {
      size += chunk.length;
      if (size > longestReply) throw new ReplyTooLargeError();
      yield chunk;
    }
  } finally {
    if (size > longestReply) message.destroy();
    else letEnd(message);
  }
}

/** How long the rest of a stream may take that nobody reads any more, in milliseconds. */
const longestRest = 1_000;

/** A stream that is over for its reader ends a moment later as a rule, and its connection can be used again. */
function letEnd(message: IncomingMessage): void {
  if (message.readableEnded || message.destroyed) return;
  const timer = setTimeout(() => message.destroy(), longestRest).unref();
  message.once("close", () => clearTimeout(timer));
  message.resume();
}

type AgentClass = typeof HttpAgent;

/** An agent that drops connections before the server does: a request sent at that moment would be lost. */
function keeping<T extends AgentClass>(Base: T): InstanceType<T> {
  class KeepingAgent extends (Base as AgentClass) {
    // Its type says nothing of what it returns: whether the connection is kept.
    override keepSocketAlive(socket: Duplex): boolean {
      const kept = super.keepSocketAlive(socket) as unknown as boolean;
      const idle = socket as Duplex & { timeout?: number; setTimeout(milliseconds: number): void };
      idle.setTimeout(Math.min(idle.timeout || longestIdle, longestIdle));
      return kept;
    }

    override reuseSocket(socket: Duplex, request: Parameters<HttpAgent["reuseSocket"]>[1]): void {
      super.reuseSocket(socket, request);
      // How long an answer may take is for the deadlines of the run to say.
      (socket as Duplex & { setTimeout(milliseconds: number): void }).setTimeout(0);
    }
  }
  return new KeepingAgent({ keepAlive: true, maxSockets: Infinity }) as InstanceType<T>;
}
