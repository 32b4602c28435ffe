import type { AdapterEnvironment, AgentObject, AgentReply, AgentRequest } from "@turnwise/core";
import { AgentError, AuthorError, inputText, notExecutedError } from "@turnwise/core";
import { call } from "../../connector/call.js";
import { FailedRequest } from "../../connector/failed-request.js";
import type { HttpAnswer } from "../../connector/http-client.js";
import { HttpClient } from "../../connector/http-client.js";
import { SessionIds } from "../../wire/session-ids.js";
import type { Mask } from "../../wire/excerpt.js";
import { excerpt } from "../../wire/excerpt.js";
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
import { fill, interpolate, lookUp, pathsOf, placeholdersOf } from "./template.js";

/** How many characters of an answer that is no reply are shown. */
const excerptLength = 200;

export class HttpAgent implements AgentObject {
  private readonly client = new HttpClient();
  private readonly sessions = new SessionIds();
  /** The address, if it is the same for all requests. */
  private readonly fixedUrl: URL | undefined;
  private readonly fixedHeaders: Readonly<Record<string, string>>;
  /** Names of the placeholders of a request of its own form. */
  private readonly used: ReadonlySet<string> | undefined;

  constructor(
    private readonly options: HttpOptions,
    private readonly environment: AdapterEnvironment,
  ) {
    const own = options.body !== undefined || options.method === "GET";
    this.used = own
      ? new Set(placeholdersOf([options.url, options.headers, options.body]))
      : undefined;
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
    const lost = this.lostOf(request);
    if (lost !== undefined) throw new AuthorError(lost);
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
      () => this.send(values, request),
      request.signal,
    );
    if (sessionId !== undefined) sessions.issued(request.sessionId, sessionId);
    return reply;
  }

  /** What a request says that the configured body has no place for, if anything. It is never dropped in silence. */
  private lostOf({
    answer,
    attachments,
    input,
    toolResults = [],
  }: AgentRequest): string | undefined {
    const { used } = this;
    if (used === undefined) return undefined;
    const missing = (name: string, what: string): string =>
      `the body of the agent "${this.environment.id}" has no {{${name}}}, and the turn has ${what}`;
    const results = toolResults.some(({ error }) => error !== notExecutedError);
    if (results && !used.has("tool_results") && !used.has("messages"))
      return missing("tool_results", "results of tools");
    if (answer !== undefined && !used.has("answer") && !results)
      return missing("answer", "an answer to a request");
    if (attachments.length > 0 && !used.has("attachments") && !used.has("messages"))
      return missing("attachments", "attachments");
    const hasMedia = typeof input === "object" && input.some(({ type }) => type !== "text");
    if (hasMedia && !used.has("input") && !used.has("messages"))
      return missing("input", "an image or a file in its input");
    return undefined;
  }

  close(sessionId: string): void {
    this.sessions.end(sessionId);
  }

  release(): void {
    this.client.release();
  }

  private async send(values: Values, { input, signal }: AgentRequest): Promise<WireAnswer> {
    const { body, method = "POST" } = this.options;
    const withText = { ...values, text: inputText(input) };
    const asked = { method, url: this.url(withText) };
    const retryUnsafe = this.options.retry_unsafe === true;
    const { mask } = this.environment;
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
        throw statusFailure(asked, { ...answer, text: await answer.text() }, { retryUnsafe, mask });
      return await this.read(answer);
    } catch (error) {
      if (signal.aborted || error instanceof FailedRequest) throw error;
      throw networkFailure(asked, error, retryUnsafe);
    }
  }

  private url(values: Values): URL {
    const { url } = this.options;
    if (this.fixedUrl === undefined)
      // In a query, what is not there may be left empty.
      for (const path of pathsOf(url.split("?")[0]))
        if (lookUp(path, values) === undefined)
          throw new AuthorError(`{{${path}}} of the url ${url} has no value in this case`);
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
    if (encoding !== "identity") {
      answer.discard();
      throw new AgentError(
        `the agent answered in the encoding ${encoding}, which nobody asked for`,
      );
    }
    const stream = streamOf(contentType) ?? this.options.stream;
    if (stream !== undefined) {
      const events = (stream === "sse" ? readEvents : readJsonLines)(answer.body());
      const reply = new StreamReply(paths, this.environment.mask);
      for await (const event of events) if (reply.add(event)) break;
      return reply.finish();
    }
    const text = await answer.text();
    if (status === 204) return { reply: "" };
    if (contentType.startsWith("text/plain") && paths === undefined) return { reply: text };
    const value = parse(text, contentType, this.environment.mask);
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

function parse(text: string, contentType: string, mask: Mask): unknown {
  if (text.trim() === "") throw new AgentError("the agent answered nothing: an empty body");
  try {
    return JSON.parse(text.replace(/^\uFEFF/, "")) as unknown;
  } catch {
    throw new AgentError(
      `expected JSON from the agent, got ${contentType === "" ? "text" : contentType}: ${excerpt(text, excerptLength, mask)}`,
    );
  }
}
