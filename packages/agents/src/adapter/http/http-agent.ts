import type { AdapterEnvironment, AgentObject, AgentReply, AgentRequest } from "@turnwise/core";
import { AgentError, plainText } from "@turnwise/core";
import type { Dispatcher } from "undici";
import { call } from "../../connector/call.js";
import { Pool, longestReply } from "../../connector/pool.js";
import { SessionIds } from "../../wire/session-ids.js";
import type { WireAnswer } from "../../wire/from-wire.js";
import { fromWire } from "../../wire/from-wire.js";
import { toWire } from "../../wire/to-wire.js";
import type { HttpOptions } from "./options.js";
import { readByPath } from "./read-by-path.js";
import { networkFailure, statusFailure } from "./status-error.js";
import { readEvents, readJsonLines } from "./stream.js";
import { StreamReply } from "./stream-reply.js";
import type { Values } from "./template.js";
import { fill, interpolate } from "./template.js";

/** How many characters of an answer that is no reply are shown. */
const excerptLength = 200;

export class HttpAgent implements AgentObject {
  private readonly pool = new Pool();
  private readonly sessions = new SessionIds();

  constructor(
    private readonly options: HttpOptions,
    private readonly environment: AdapterEnvironment,
  ) {}

  async respond(request: AgentRequest): Promise<AgentReply | string> {
    const { options, sessions } = this;
    const values: Values = toWire(request, {
      history: options.history ?? "all",
      sessionId: sessions.of(request.sessionId),
    });
    const endpoint = {
      name: `the agent "${this.environment.id}"`,
      limits: options.limits,
      owner: this,
    };
    const { reply, sessionId } = await call(
      endpoint,
      () => this.send(values, request.signal),
      request.signal,
    );
    if (sessionId !== undefined) sessions.issued(request.sessionId, sessionId);
    return reply;
  }

  close(sessionId: string): void {
    this.sessions.end(sessionId);
  }

  release(): Promise<void> {
    return this.pool.release();
  }

  private async send(values: Values, signal: AbortSignal): Promise<WireAnswer> {
    const { body, headers = {}, method = "POST", url } = this.options;
    const withText = { ...values, text: textOf(values["input"]) };
    const asked = { method, url: interpolate(url, withText, encodeURIComponent) };
    const retryUnsafe = this.options.retry_unsafe === true;
    const dispatcher = await this.pool.dispatcher();
    try {
      const { request } = await import("undici");
      const answer = await request(asked.url, {
        method,
        dispatcher,
        signal,
        headers: {
          ...(method === "GET" ? {} : { "content-type": "application/json" }),
          accept: "application/json, text/event-stream, application/x-ndjson",
          "user-agent": "turnwise",
          referer: "agent-test",
          ...Object.fromEntries(
            Object.entries(headers).map(([name, value]) => [
              name.toLowerCase(),
              interpolate(value, withText),
            ]),
          ),
        },
        ...(method === "GET"
          ? {}
          : { body: JSON.stringify(body === undefined ? values : fill(body, withText)) }),
      });
      if (answer.statusCode < 200 || answer.statusCode >= 300)
        throw statusFailure(asked, { ...answer, body: await answer.body.text() }, retryUnsafe);
      return await this.read(answer);
    } catch (error) {
      if (signal.aborted) throw error;
      throw networkFailure(asked, error, retryUnsafe);
    }
  }

  private async read({ body, headers, statusCode }: Dispatcher.ResponseData): Promise<WireAnswer> {
    const { reply: paths } = this.options;
    const contentType = String(headers["content-type"] ?? "").toLowerCase();
    const stream = this.options.stream ?? streamOf(contentType);
    if (stream !== undefined) {
      const events = (stream === "sse" ? readEvents : readJsonLines)(limited(body));
      const reply = new StreamReply(paths);
      for await (const event of events) if (reply.add(event)) break;
      return reply.finish();
    }
    const text = await body.text();
    if (statusCode === 204) return { reply: "" };
    if (contentType.startsWith("text/plain") && paths === undefined) return { reply: text };
    const value = parse(text, contentType);
    return paths === undefined ? fromWire(value) : readByPath(value, paths);
  }
}

function streamOf(contentType: string): "sse" | "ndjson" | undefined {
  if (contentType.startsWith("text/event-stream")) return "sse";
  return /^application\/(x-)?(nd-?json|json-?l(ines)?)\b/.test(contentType) ? "ndjson" : undefined;
}

/** A stream may go on for ever in small pieces. */
async function* limited(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > longestReply)
      throw new AgentError("the agent answered more than the 10 MB that are taken");
    yield chunk;
  }
}

function parse(text: string, contentType: string): unknown {
  if (text.trim() === "") throw new AgentError("the agent answered nothing: an empty body");
  try {
    return JSON.parse(text.replace(/^\uFEFF/, "")) as unknown;
  } catch {
    const excerpt = plainText(text).replaceAll(/\s+/g, " ").trim().slice(0, excerptLength);
    throw new AgentError(
      `expected JSON from the agent, got ${contentType === "" ? "text" : contentType}: ${excerpt}`,
    );
  }
}

/** The text of an input, also of one with images beside it. */
function textOf(input: Values[string]): string | undefined {
  if (typeof input === "string" || input === undefined) return input;
  if (!Array.isArray(input)) return undefined;
  return input
    .flatMap((part) =>
      typeof part === "object" && part !== null && "text" in part ? [String(part["text"])] : [],
    )
    .join("\n");
}
