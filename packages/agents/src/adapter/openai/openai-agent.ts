import type {
  AdapterEnvironment,
  AgentObject,
  AgentReply,
  AgentRequest,
  AgentTool,
} from "@turnwise/core";
import { AuthorError } from "@turnwise/core";
import type OpenAI from "openai";
import { call } from "../../connector/call.js";
import { fetchOver } from "../../connector/fetch-over.js";
import { HttpClient } from "../../connector/http-client.js";
import { askChat, chatBody } from "./chat.js";
import type { ModelEndpoint } from "./endpoint.js";
import { endpointOf } from "./endpoint.js";
import { modelFailure } from "./failure.js";
import type { OpenAiOptions } from "./options.js";
import { ResponsesThread, askResponses, responsesBody } from "./responses.js";

/** The SDK must not end a request by itself: how long may be waited is for the deadlines of the run to say. */
const noTimeout = 2_147_483_647;

export class OpenAiAgent implements AgentObject {
  readonly description?: string;
  readonly tools: readonly AgentTool[];
  private readonly client = new HttpClient();
  /** Clients by endpoint. */
  private readonly clients = new Map<string, Promise<OpenAI>>();
  private readonly threads = new Map<string, ResponsesThread>();

  constructor(
    private readonly options: OpenAiOptions,
    private readonly environment: AdapterEnvironment,
  ) {
    if (options.description !== undefined) this.description = options.description;
    this.tools = (options.tools ?? []) as readonly AgentTool[];
  }

  async respond(request: AgentRequest): Promise<AgentReply> {
    const endpoint = endpointOf(this.options, this.environment, request.options.connector);
    const client = await this.clientOf(endpoint);
    const ask =
      this.options.api === "responses"
        ? await this.asksResponses(request, client, endpoint)
        : this.asksChat(request, client, endpoint);
    return call(
      { name: endpoint.name, limits: endpoint.connector.limits, owner: endpoint.connector },
      async () => {
        try {
          return await ask();
        } catch (error) {
          if (request.signal.aborted) throw error;
          throw modelFailure(error, endpoint);
        }
      },
      request.signal,
    );
  }

  private asksChat(
    request: AgentRequest,
    client: OpenAI,
    { model }: ModelEndpoint,
  ): () => Promise<AgentReply> {
    if (request.answer !== undefined && request.toolResults === undefined)
      throw new AuthorError("Chat Completions have no requests that could be answered");
    const body = chatBody(request, this.options, model);
    return () => askChat(client, body, request.signal);
  }

  private async asksResponses(
    request: AgentRequest,
    client: OpenAI,
    { model }: ModelEndpoint,
  ): Promise<() => Promise<AgentReply>> {
    const { sessionId } = request;
    const thread = this.threads.get(sessionId) ?? new ResponsesThread();
    this.threads.set(sessionId, thread);
    const items = thread.itemsFor(request);
    const body = responsesBody(items, this.options, model);
    return async () => thread.reply(items, await askResponses(client, body, request.signal));
  }

  close(sessionId: string): void {
    this.threads.delete(sessionId);
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
    return new Client({
      apiKey,
      // The environment variables were looked at already: no other of them shall have a say.
      baseURL: baseURL ?? "https://api.openai.com/v1",
      organization: null,
      project: null,
      maxRetries: 0,
      timeout: noTimeout,
      fetch: this.fetch(),
      ...(headers === undefined ? {} : { defaultHeaders: { ...headers } }),
    });
  }

  /** `fetch` over connections of our own, which are closed with the run; or the one that the harness brings. */
  private fetch(): typeof fetch {
    const { fetch: given } = this.environment;
    return given === globalThis.fetch ? fetchOver(this.client) : given;
  }
}
