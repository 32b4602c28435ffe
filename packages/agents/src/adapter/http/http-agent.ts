import type { AdapterEnvironment, AgentObject, AgentReply, AgentRequest } from "@turnwise/core";
import { AgentError, AuthorError, isObject, plainText } from "@turnwise/core";
import { call } from "../../connector/call.js";
import { FailedRequest } from "../../connector/failed-request.js";
import type { HttpAnswer } from "../../connector/http-client.js";
import { HttpClient } from "../../connector/http-client.js";
import { SessionIds } from "../../wire/session-ids.js";
import type { WireAnswer } from "../../wire/from-wire.js";
import { fromWire } from "../../wire/from-wire.js";
import { toWire } from "../../wire/to-wire.js";
import { headerProblem } from "./header-problem.js";
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
  private readonly client = new HttpClient();
  private readonly sessions = new SessionIds();
  /** The address, if it is the same for all requests. */
  private readonly fixedUrl: URL | undefined;
  private readonly fixedHeaders: Readonly<Record<string, string>>;

  constructor(
    private readonly options: HttpOptions,
    private readonly environment: AdapterEnvironment,
  ) {
    this.fixedUrl = options.url.includes("{{") ? undefined : new URL(options.url);
    this.fixedHeaders = {
      ...(options.method === "GET" ? {} : { "content-type": "application/json" }),
      accept: "application/json, text/event-stream, application/x-ndjson",
      "user-agent": "turnwise",
      referer: "agent-test",
    };
  }

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

  release(): void {
    this.client.release();
  }

  private async send(values: Values, signal: AbortSignal): Promise<WireAnswer> {
    const { body, method = "POST" } = this.options;
    const withText = { ...values, text: textOfInput(values["input"]) };
    const asked = { method, url: this.url(withText) };
    const retryUnsafe = this.options.retry_unsafe === true;
    try {
      const answer = await this.client.send({
        ...asked,
        signal,
        headers: this.headers(withText),
        body:
          method === "GET"
            ? undefined
            : JSON.stringify(body === undefined ? values : fill(body, withText)),
      });
      if (answer.status < 200 || answer.status >= 300)
        throw statusFailure(asked, { ...answer, text: await answer.text() }, retryUnsafe);
      return await this.read(answer);
    } catch (error) {
      if (signal.aborted || error instanceof FailedRequest) throw error;
      throw networkFailure(asked, error, retryUnsafe);
    }
  }

  private url(values: Values): URL {
    const { url } = this.options;
    return this.fixedUrl ?? new URL(interpolate(url, values, inAddress));
  }

  private headers(values: Values): Record<string, string> {
    const headers: Record<string, string> = { ...this.fixedHeaders };
    for (const [name, template] of Object.entries(this.options.headers ?? {})) {
      const value = interpolate(template, values);
      const wrong = headerProblem(name, value);
      if (wrong !== undefined) throw new AuthorError(wrong);
      headers[name.toLowerCase()] = value;
    }
    return headers;
  }

  private async read({ headers, status, ...answer }: HttpAnswer): Promise<WireAnswer> {
    const { reply: paths } = this.options;
    const contentType = (headers["content-type"] ?? "").toLowerCase();
    const encoding = headers["content-encoding"] ?? "identity";
    if (encoding !== "identity")
      throw new AgentError(
        `the agent answered in the encoding ${encoding}, which nobody asked for`,
      );
    const stream = streamOf(contentType) ?? this.options.stream;
    if (stream !== undefined) {
      const events = (stream === "sse" ? readEvents : readJsonLines)(answer.body());
      const reply = new StreamReply(paths);
      for await (const event of events) if (reply.add(event)) break;
      return reply.finish();
    }
    const text = await answer.text();
    if (status === 204) return { reply: "" };
    if (contentType.startsWith("text/plain") && paths === undefined) return { reply: text };
    const value = parse(text, contentType);
    return paths === undefined ? fromWire(value) : readByPath(value, paths);
  }
}

/** A value as a part of an address. */
function inAddress(value: string): string {
  // There is no way to write these: they mean this folder and the one above, encoded or not.
  if (value === "." || value === "..")
    throw new AuthorError(`${JSON.stringify(value)} cannot be a part of an address`);
  return encodeURIComponent(value);
}

function streamOf(contentType: string): "sse" | "ndjson" | undefined {
  if (contentType.startsWith("text/event-stream")) return "sse";
  return /^application\/(x-)?(nd-?json|json-?l(ines)?)\b/.test(contentType) ? "ndjson" : undefined;
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
function textOfInput(input: Values[string]): string | undefined {
  if (typeof input === "string" || input === undefined) return input;
  if (!Array.isArray(input)) return undefined;
  return input
    .flatMap((part) => (isObject(part) && typeof part["text"] === "string" ? [part["text"]] : []))
    .join("\n");
}
