import type { TestCase } from "../case/test-case.js";
import type { JsonValue } from "../json.js";
import type { Message } from "./agent.js";
import type { CaseResult } from "./result.js";
import type { SimulatorReply } from "./role.js";

/*
 * The functions that modules in `scripts/` may export. Scripts are not run yet; those that will be can be written
 * against this. Data goes in and out as JSON.
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

/** A generator as a script: makes cases from the parameters of its reference. */
export type ScriptGenerator = (
  parameters: Readonly<Record<string, string | number | boolean>>,
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
  /** State shared by the mocks of the conversation. */
  readonly world: unknown;
}

/** A tool as a script. Throwing makes `{ error }` for the agent. */
export type ScriptMock = (args: JsonValue, context: MockContext) => Awaitable<JsonValue>;

/** Runs before a case, or after it with its result. */
export type ScriptHook = (input: {
  readonly case: TestCase;
  readonly result?: CaseResult;
}) => Awaitable<void>;
