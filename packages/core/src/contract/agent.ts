import type { z } from "zod";
import type { JsonValue } from "../json.js";

/** Text, or an image or file beside it. */
export type ContentPart =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image" | "audio" | "file";
      /** A `data:` or `https:` address. */
      readonly source: string;
      readonly name?: string;
      readonly mediaType?: string;
    };

/** What a user says in one turn. */
export type UserInput = string | readonly ContentPart[];

/** One entry of the conversation as agents get it. */
export type Message =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: UserInput }
  | {
      readonly role: "assistant";
      readonly content: string;
      readonly toolCalls?: readonly ToolCall[];
    }
  | {
      readonly role: "tool";
      readonly toolCallId: string;
      readonly toolName?: string;
      readonly content: string;
    };

/** A call of a tool that the agent made or wants to be made. Without `result` and `error` it is still open. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** An object as a rule; the raw text when the model wrote arguments that are not JSON (see `argumentsInvalid`). */
  readonly arguments: JsonValue;
  /** True when the arguments came as text that is not JSON. */
  readonly argumentsInvalid?: boolean;
  readonly result?: JsonValue;
  readonly error?: string;
}

/** The answer to a tool call, sent back to the agent. */
export interface ToolResult {
  readonly id: string;
  readonly name: string;
  readonly result?: JsonValue;
  readonly error?: string;
}

/** Tokens spent on one reply, as far as the agent knows. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly totalTokens?: number;
}

/** What an agent can want from its user. One set everywhere: requests, detection, results. */
export const awaitingKinds = [
  "question",
  "confirmation",
  "choice",
  "approval",
  "auth",
  "form",
  "tool",
] as const;
/** What an agent can want from its user. */
export type AwaitingKind = (typeof awaitingKinds)[number];

/** A request that the agent has open towards the user: an approval, an interrupt, an elicitation. */
export interface PendingRequest {
  readonly id: string;
  readonly kind: AwaitingKind;
  readonly prompt: string;
  /** The choices on offer. */
  readonly options?: readonly string[];
  /** JSON Schema of the payload wanted. */
  readonly schema?: JsonValue;
  readonly toolName?: string;
}

/** What an answer to a request says. Exactly one of the three forms. */
export type AnswerForm =
  | { readonly approve: boolean; readonly reason?: string }
  | { readonly choice: string }
  | { readonly payload: JsonValue };

/** The answer to a pending request, as a test case or a simulator gives it: `to` an id or tool name. */
export type Answer = { readonly to?: string } & AnswerForm;

/** Options handed to agents untouched. `skip` is an open map of switches. */
export interface AgentOptions {
  readonly connector?: string;
  readonly skip?: Readonly<Record<string, boolean>>;
  readonly search?: unknown;
  readonly mode?: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** What an agent is asked in one turn (or in one round of tool results within a turn). */
export interface AgentRequest {
  /** New for every trial and attempt, the same for all turns of one conversation. */
  readonly sessionId: string;
  readonly testId: string;
  /** 1-based number of the user turn. */
  readonly turn: number;
  /** The whole conversation. Ends with what is new. */
  readonly messages: readonly Message[];
  /**
   * What the user says now. Absent when only `toolResults` or `answer` are new. While requests of the agent are open, it
   * is the agent that knows whether a plain message answers them: `answerOfText` helps. Where the protocol has no place
   * for it, throw an `AuthorError` that says so; never drop it.
   */
  readonly input?: UserInput;
  /** Answers one of the requests that the last reply had open. Never a message of the user. */
  readonly answer?: AnswerForm & { readonly requestId: string };
  /**
   * Results of tool calls that the last reply left open, in the same turn or, when the agent waited for its user
   * meanwhile, beside the `input` or `answer` of the next. Calls that nobody ran have the error "not executed".
   */
  readonly toolResults?: readonly ToolResult[];
  readonly attachments: readonly ContentPart[];
  readonly options: AgentOptions;
  /** Tells an agent that it is being tested. */
  readonly referer: "agent-test";
  /** Aborted at the deadline of the turn and when the run is cancelled. */
  readonly signal: AbortSignal;
  /**
   * Runs the mock of a tool, so that an agent in this process can be tested without its real tools. The call is recorded
   * whatever the agent does with it; it need not be reported in the reply as well.
   * @throws ToolNotMockedError if the test case has no mock of that name.
   * @throws Error with the text of a mock that fails on purpose.
   */
  readonly resolveTool: (name: string, args?: JsonValue) => Promise<JsonValue>;
}

/** A tool call as an agent may report it: arguments as an object or as JSON text, everything but the name optional. */
export interface ReportedToolCall {
  readonly id?: string;
  readonly name: string;
  readonly arguments?: unknown;
  readonly result?: unknown;
  readonly error?: string;
}

/** What an agent answers. Only `content` is needed. */
export interface AgentReply {
  readonly content: string;
  /** Structured output beside or instead of text. */
  readonly data?: unknown;
  readonly toolCalls?: readonly ReportedToolCall[];
  /** Why the model stopped: `stop`, `tool_calls`, `length`, `content_filter`, or the provider's own word. */
  readonly finishReason?: string;
  /** The agent's own word on whether it waits for the user. Beats every guess. */
  readonly awaitingInput?: boolean;
  /** What it waits for, shown to people. */
  readonly inputHint?: string;
  /** All requests towards the user that are open now, the oldest first. */
  readonly pending?: readonly PendingRequest[];
  /** State of the conversation on the agent's side, for assertions. */
  readonly state?: unknown;
  readonly usage?: Usage;
  /** What the agent wrote beside its reply, such as its stderr. Recorded, and never judged. */
  readonly log?: string;
  /** The reply as the protocol gave it, for debugging. Never recorded. */
  readonly raw?: unknown;
}

/** A reply after normalising: copied, checked, arguments parsed. This is what detection and assertions see. */
export interface NormalReply {
  readonly content: string;
  readonly data?: JsonValue;
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason?: string;
  readonly awaitingInput?: boolean;
  readonly inputHint?: string;
  readonly pending: readonly PendingRequest[];
  readonly state?: JsonValue;
  readonly usage?: Usage;
  readonly log?: string;
  /** Fields of the reply that look like misspelt ones. */
  readonly ignored?: readonly string[];
}

/** A tool that an agent has, for generators and reports. */
export interface AgentTool {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of its arguments. */
  readonly parameters?: unknown;
}

/** The function form of an agent. */
export type AgentFunction = (
  request: AgentRequest,
) => string | AgentReply | Promise<string | AgentReply>;

/** The object form of an agent. */
export interface AgentObject {
  readonly description?: string;
  readonly tools?: readonly AgentTool[];
  respond(request: AgentRequest): string | AgentReply | Promise<string | AgentReply>;
  /** Called once when a conversation is over, whatever its outcome. */
  close?(sessionId: string): unknown;
  /** Called at the end of a run: connections and processes kept for the next conversation end now. More may be asked later. */
  release?(): unknown;
}

/** Anything that answers turn by turn: a function, or an object with `respond`. */
export type AgentLike = AgentFunction | AgentObject;

/** An agent with its id, ready to be asked. Made by `toAgent`. */
export interface Agent extends AgentObject {
  readonly id: string;
}

/** A named model endpoint of the config. */
export interface ConnectorConfig {
  readonly provider?: string;
  readonly model?: string;
  readonly baseURL?: string;
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly limits?: {
    /** Requests under way at once. */
    readonly concurrency?: number;
    /** Requests started per minute. */
    readonly requestsPerMinute?: number;
    /** Retries after 429, 408, 5xx and resets; 0 means none. */
    readonly maxRetries?: number;
  };
}

/** What an adapter may use to build an agent. */
export interface AdapterEnvironment {
  /** Id of the agent to be made. */
  readonly id: string;
  readonly projectRoot: string;
  /** The same objects for all agents of a project: what limits a connector can be kept by them. */
  readonly connectors: Readonly<Record<string, ConnectorConfig>>;
  /** The connector of agents that name none. */
  readonly defaultConnector?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The global one, or that of the harness: for SDKs that take one. */
  readonly fetch: typeof fetch;
  /** Takes secrets out of a text. Needed before a text is shortened: half a secret is not recognised any more. */
  readonly mask: (text: string) => string;
}

/** What an adapter that calls models is told when a case is checked: where its connector comes from. */
export interface ConnectorCheck {
  /** The connector that will be used: of the command line, the case, the agent, or the defaults. */
  readonly connector?: ConnectorConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly projectRoot: string;
}

/**
 * Options of every installed adapter, by its type. Adapter packages add theirs by declaration merging, so that a
 * typo inside an agent of `defineConfig` is a type error.
 */
// oxlint-disable-next-line typescript/no-empty-object-type
export interface AdapterOptions {}

/** A way to reach agents of one type: `{ type: "http", ... }` in the config becomes an agent. */
export interface AdapterDefinition<Options = unknown> {
  readonly type: string;
  /** Checks the agent's options, without `type`, when the config is loaded. */
  readonly schema: z.ZodType<Options>;
  /**
   * Makes it an adapter that calls models through connectors. Its agents may name one in the option `connector`, and
   * take that of `request.options.connector` first. Returns what is missing to call the model, if anything is.
   */
  connects?(options: Options, check: ConnectorCheck): string | undefined;
  create(options: Options, environment: AdapterEnvironment): AgentLike | Promise<AgentLike>;
}

/** Any adapter, whatever its options. */
// oxlint-disable-next-line typescript/no-explicit-any -- options are checked by the adapter's own schema
export type AnyAdapterDefinition = AdapterDefinition<any>;

/** Defines an adapter. Returns it as it is, typed by its schema. */
export function defineAdapter<Options>(
  definition: AdapterDefinition<Options>,
): AdapterDefinition<Options> {
  return definition;
}
