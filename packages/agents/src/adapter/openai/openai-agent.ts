import type {
  AdapterEnvironment,
  AgentObject,
  AgentReply,
  AgentRequest,
  AgentTool,
} from "@turnwise/core";
import { AuthorError, errorMessage } from "@turnwise/core";
import type OpenAI from "openai";
import { call } from "../../connector/call.js";
import { fetchOver } from "../../connector/fetch-over.js";
import { HttpClient } from "../../connector/http-client.js";
import type { OwnPrompt } from "../../role/briefing.js";
import { Briefing, roleOf } from "../../role/briefing.js";
import { askChat, chatBody } from "./chat.js";
import type { ModelEndpoint } from "./endpoint.js";
import { endpointOf, openAiAddress } from "./endpoint.js";
import { modelFailure } from "./failure.js";
import type { OpenAiOptions } from "./options.js";
import { askResponses, responsesBody } from "./responses.js";
import type { Item } from "./responses-thread.js";
import { ResponsesThread } from "./responses-thread.js";

/** The SDK must not end a request by itself: how long may be waited is for the deadlines of the run to say. */
const noTimeout = 2_147_483_647;

/** What is asked of whom. */
interface Asked {
  readonly request: AgentRequest;
  readonly options: OpenAiOptions;
  readonly endpoint: ModelEndpoint;
  readonly client: OpenAI;
}

export class OpenAiAgent implements AgentObject {
  readonly description?: string;
  readonly tools: readonly AgentTool[];
  private readonly client = new HttpClient();
  /** Clients by endpoint. */
  private readonly clients = new Map<string, Promise<OpenAI>>();
  private readonly threads = new Map<string, ResponsesThread>();

  private readonly briefing: Briefing;

  constructor(
    private readonly options: OpenAiOptions,
    private readonly environment: AdapterEnvironment,
    /** What it is told when it is asked in this role. */
    prompt?: OwnPrompt,
  ) {
    this.briefing = new Briefing(environment.projectRoot, prompt);
    if (options.description !== undefined) this.description = options.description;
    this.tools = (options.tools ?? []) as readonly AgentTool[];
  }

  async respond(request: AgentRequest): Promise<AgentReply> {
    const endpoint = endpointOf(this.options, this.environment, request.options.connector);
    const told = await this.inRole(request);
    const asked = { ...told, endpoint, client: await this.clientOf(endpoint) };
    return this.options.api === "responses" ? this.respondAsThread(asked) : this.complete(asked);
  }

  /** In a role, a model has to be told what it is there for: metadata does not reach it. */
  private async inRole(request: AgentRequest): Promise<Pick<Asked, "request" | "options">> {
    const role = roleOf(request);
    if (role === undefined) return { request, options: this.options };
    const briefed = await this.briefing.of(role, request);
    const system = [this.options.system, briefed.system].filter((text) => text !== undefined);
    return { request: briefed.request, options: { ...this.options, system: system.join("\n\n") } };
  }

  private complete({ request, options, endpoint, client }: Asked): Promise<AgentReply> {
    if (request.answer !== undefined && request.toolResults === undefined)
      throw new AuthorError("Chat Completions have no requests that could be answered");
    const body = chatBody(request, options, endpoint.model);
    return this.send({ request, endpoint }, () => askChat(client, body, request.signal));
  }

  private async respondAsThread({
    request,
    options,
    endpoint,
    client,
  }: Asked): Promise<AgentReply> {
    const thread = this.threads.get(request.sessionId) ?? new ResponsesThread();
    this.threads.set(request.sessionId, thread);
    const taken = thread.take(request);
    if ("reply" in taken) return taken.reply;
    const { items } = taken;
    const body = responsesBody(items, options, endpoint.model);
    const ask = (): Promise<Item> => askResponses(client, body, request.signal);
    return thread.reply(items, await this.send({ request, endpoint }, ask));
  }

  private send<T>(
    { request: { signal }, endpoint }: Pick<Asked, "request" | "endpoint">,
    ask: () => Promise<T>,
  ): Promise<T> {
    const { connector, name } = endpoint;
    const send = async (): Promise<T> => {
      try {
        return await ask();
      } catch (error) {
        if (signal.aborted) throw error;
        throw modelFailure(error, endpoint, this.environment.mask);
      }
    };
    return call({ name, limits: connector.limits, owner: connector }, send, signal);
  }

  close(sessionId: string): void {
    this.threads.delete(sessionId);
    this.briefing.forget(sessionId);
  }

  release(): void {
    this.client.release();
  }

  private clientOf({ apiKey, baseURL, connector }: ModelEndpoint): Promise<OpenAI> {
    const key = JSON.stringify([apiKey, baseURL, connector.headers]);
    let client = this.clients.get(key);
    if (client === undefined) {
      client = this.makeClient({ apiKey, baseURL, headers: connector.headers });
      this.clients.set(key, client);
    }
    return client;
  }

  private async makeClient({
    apiKey,
    baseURL,
    headers,
  }: {
    readonly apiKey: string;
    readonly baseURL: string | undefined;
    readonly headers: Readonly<Record<string, string>> | undefined;
  }): Promise<OpenAI> {
    let Client: typeof OpenAI;
    try {
      ({ default: Client } = await import("openai"));
    } catch (error) {
      throw new AuthorError(
        'agents of the type "openai" need the package openai: npm install openai@6',
        {
          cause: error,
        },
      );
    }
    try {
      return new Client({
        apiKey,
        // The environment variables were looked at already: no other of them shall have a say.
        baseURL: baseURL ?? openAiAddress,
        organization: null,
        project: null,
        maxRetries: 0,
        timeout: noTimeout,
        // It would print what nobody has masked.
        logLevel: "off",
        fetch: this.fetch(),
        defaultHeaders: { ...(baseURL === undefined ? {} : withoutCustomHeaders()), ...headers },
      });
    } catch (error) {
      throw new AuthorError(`the client of the model cannot be made: ${errorMessage(error)}`, {
        cause: error,
      });
    }
  }

  /** `fetch` over connections of our own, which are closed with the run; or the one that the harness brings. */
  private fetch(): typeof fetch {
    const { fetch: given } = this.environment;
    return given === globalThis.fetch ? fetchOver(this.client) : given;
  }
}

/** The SDK sends what OPENAI_CUSTOM_HEADERS says to every host. It is meant for OpenAI, and may hold credentials. */
function withoutCustomHeaders(): Record<string, null> {
  const lines = (process.env["OPENAI_CUSTOM_HEADERS"] ?? "").split("\n");
  const names = lines.map((line) => line.split(":")[0]!.trim()).filter((name) => name !== "");
  return Object.fromEntries(names.map((name) => [name, null]));
}
