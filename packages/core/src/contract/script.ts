import type { TestCase } from "../case/test-case.js";
import type { JsonValue } from "../json.js";
import type { Message } from "./agent.js";
import type { CaseResult, RunSummary } from "./result.js";
import type { SimulatorReply } from "./role.js";

/*
 * The functions that modules in `scripts/` may export. Data goes in and out as JSON.
 */

type Awaitable<T> = T | Promise<T>;

/** What an assertion script looks at. */
export interface ScriptAssertionInput {
  readonly turn: JsonValue;
  readonly conversation: JsonValue;
  readonly state: JsonValue;
  readonly world: JsonValue;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** An assertion as a script. */
export type ScriptAssertion = (
  input: ScriptAssertionInput,
) => Awaitable<
  boolean | { readonly passed: boolean; readonly message?: string; readonly score?: number }
>;

/** A generator as a script: makes cases from what it is told of the target and the parameters of its reference. */
export type ScriptGenerator = (
  parameters: Readonly<Record<string, unknown>>,
) => Awaitable<readonly unknown[] | { readonly cases: readonly unknown[] }>;

/** A simulated user as a script. */
export type ScriptSimulator = (input: {
  readonly messages: readonly Message[];
  readonly metadata: Readonly<Record<string, unknown>>;
}) => Awaitable<SimulatorReply>;

/** What a mock knows of the call that it answers. */
export interface MockContext {
  /** 0-based number of this call of this tool in the conversation. */
  readonly callIndex: number;
  /** 1-based. */
  readonly turnIndex: number;
  readonly conversationId: string;
  /** Parameters of the reference: of `scripts:stock?city=Rome`, `{ city: "Rome" }`. */
  readonly parameters: Readonly<Record<string, string | number | boolean>>;
  /** State shared by the mocks of the conversation. */
  readonly world: unknown;
  /** Aborted when the time of the turn is up, the run is cancelled, or nobody waits for the mock any more. */
  readonly signal: AbortSignal;
}

/**
 * A tool as a script. What it throws is the error that the agent gets from its tool; but a `TypeError`, `ReferenceError`
 * or `SyntaxError` is a bug of the mock, and so is a value that JSON cannot hold: an error of the case, blame `mock`.
 */
export type ScriptMock = (args: JsonValue, context: MockContext) => Awaitable<JsonValue>;

/** What a case has come to, without what is only known when its hooks are over. */
export type HookResult = Omit<CaseResult, "duration_ms" | "started_at" | "attempts" | "flaky">;

/** Runs before every attempt at a case, or after it with its result. */
export type ScriptHook = (input: {
  readonly case: TestCase;
  readonly result?: HookResult;
}) => Awaitable<unknown>;

/** Runs before a run, or after it with its summary. */
export type ScriptRunHook = (input: { readonly summary?: RunSummary }) => Awaitable<unknown>;
