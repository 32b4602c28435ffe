import type { AgentLike, Answer, Blame, Duration, JsonValue } from "@turnwise/core";

/** One check of a contract. */
export interface ContractCheck {
  /** What is to hold, for the name of a test. */
  readonly name: string;
  /** @throws Error in plain words if it does not hold. */
  readonly run: () => Promise<void>;
}

/** What has to be in a reply: the text itself, or a match. */
type Expected = string | RegExp;

/** The agent whose contract is checked, and what to say to it. */
export interface AdapterContractOptions {
  /** Makes the agent, fresh for every check: `() => adapter.create(options, adapterEnvironment())`, or any other agent. */
  readonly agent: () => AgentLike | Promise<AgentLike>;
  /** An input, and what has to be in its reply. Default `hello`, and anything. */
  readonly says?: { readonly input: string; readonly reply?: Expected };
  /** Something to tell the agent, and a question whose reply holds the secret that it was told in the same conversation. */
  readonly remembers?: { readonly tell: (secret: string) => string; readonly ask: string };
  /**
   * The agent forgets a conversation upon `close`, so that its session id can be used anew. Core never does that: ids are
   * new for every conversation. Default false.
   */
  readonly forgets?: boolean;
  /** An input upon which the agent opens a request (`pending`), the answer to give, and what the reply to it must hold. */
  readonly asks?: { readonly input: string; readonly answer: Answer; readonly reply?: Expected };
  /** An input upon which the agent calls a tool and leaves the call open, the result to send, and what the reply to it must hold. */
  readonly calls?: {
    readonly input: string;
    readonly tool: string;
    readonly result: JsonValue;
    readonly reply?: Expected;
  };
  /** An input that takes the agent for ever, or at least longer than `patience`. */
  readonly hangs?: { readonly input: string };
  /** An input that makes the agent fail, and whom that is to be blamed on. Default `agent`. */
  readonly fails?: { readonly input: string; readonly blame?: Blame };
  /** How long a cancelled turn may take to end: a limit, never a wait, for an agent that keeps the contract. Default 2s. */
  readonly patience?: Duration;
  /** Bounds every turn. Default: core's 2m. */
  readonly turnTimeout?: Duration;
}

/** The options without which checks are left out. */
export type OptionalPart = "remembers" | "forgets" | "asks" | "calls" | "hangs" | "fails";
