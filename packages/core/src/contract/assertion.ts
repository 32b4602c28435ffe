import type { z } from "zod";
import type { JsonValue } from "../json.js";
import type { ProblemCode } from "../problem.js";
import type { Detection } from "../awaiting/detection.js";
import type { AgentOptions, Message, ToolCall, Usage } from "./agent.js";
import type { AssertionRow } from "./result.js";
import type { Role } from "./role.js";
import type { ResolvedReference } from "../project/resolved-reference.js";

/** What an assertion can look at. */
export const subjects = ["response", "state", "tools", "conversation", "world"] as const;
/** What an assertion looks at: its field `on`. */
export type Subject = (typeof subjects)[number];

/** An assertion as it stands in a test case, before its type is looked up. */
export type RawAssertion = Readonly<Record<string, unknown>>;

/** One finished turn, as assertions see it. */
export interface AssertionTurn {
  /** 1-based. */
  readonly turn: number;
  readonly input: unknown;
  /** Text of the reply. */
  readonly content: string;
  /** Structured output of the reply, if any. */
  readonly data?: JsonValue;
  /** The text, or the structured output when the text is empty. */
  readonly output: JsonValue;
  readonly toolCalls: readonly ToolCall[];
  readonly detection: Detection;
  readonly durationMs: number;
  readonly usage?: Usage;
}

/** What `check` gets. `subject` and `toolCalls` are already those that `on` and the scope select. */
export interface AssertionContext {
  readonly scope: "turn" | "final";
  readonly on: Subject;
  /** The turn just finished; for final assertions the last one. */
  readonly turn: AssertionTurn;
  readonly conversation: {
    readonly turns: readonly AssertionTurn[];
    readonly messages: readonly Message[];
  };
  /** What `on` selects: the output, the newest state, tool results by name, the conversation, or the world. */
  readonly subject: JsonValue | undefined;
  /** Calls of this turn; for final assertions of the whole conversation. */
  readonly toolCalls: readonly ToolCall[];
  /** The newest state that the agent returned. */
  readonly state: JsonValue | undefined;
  /** State shared by the mocks of this conversation. */
  readonly world: unknown;
  readonly signal: AbortSignal;
  /** Checks a nested assertion, with its own `on`, `negate` and `message`, and gives its row. Never throws. */
  readonly run: (assertion: PreparedAssertion) => Promise<AssertionRow>;
  /**
   * Asks an agent for a schema-checked answer.
   * @throws an error with the blame of the role (or `author`) if none comes: hand it on.
   */
  readonly callRole: <T>(request: RoleRequest<T>) => Promise<T>;
  /**
   * Runs a script of the project on JSON-like data, in a thread of its own with limits of time and memory. Returns what
   * it returned.
   * @throws AuthorError if the script breaks, does not come to an end, or returns what cannot be cloned.
   */
  readonly runScript: (reference: string, data: object) => Promise<unknown>;
}

/** A question to an agent in one of the three roles. */
export interface RoleRequest<T> {
  readonly role: Role;
  /** Reference of the agent to ask. Its parameters are metadata, too. */
  readonly use: string;
  readonly messages: readonly Message[];
  /** What the role is told beside `test_mode` and `test_id`. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Options of the call beside the metadata, such as the connector. */
  readonly options?: {
    readonly [Key in keyof Omit<AgentOptions, "metadata">]: AgentOptions[Key] | undefined;
  };
  readonly schema: z.ZodType<T>;
  /** What is wrong with an answer that fits the schema, if anything is. The agent is asked again then. */
  readonly refuse?: (answer: T) => string | undefined;
}

/** What reporters show below the reason of an assertion that did not hold. Other fields are kept for machines. */
export interface AssertionDetails {
  /** Lines of a unified diff without its header: they begin with `" "`, `"-"` (wanted) or `"+"` (got). */
  readonly diff?: string;
  /** What is wrong in particular, a sentence each. */
  readonly notes?: readonly string[];
  readonly [field: string]: unknown;
}

/**
 * What a check found out. A check that cannot tell throws instead: whatever was thrown makes the case an error, which
 * `negate` does not change. An `AgentError` says that the agent gave nothing to look at: that is a failure, negated or not.
 */
export interface AssertionVerdict {
  readonly passed: boolean;
  /** The question does not arise here: not a pass, negated or not; but an invariant holds, a checkpoint is not reached. */
  readonly applicable?: false;
  /** Why, in one sentence. */
  readonly message: string;
  readonly expected?: unknown;
  readonly actual?: unknown;
  /** 0 to 1. */
  readonly score?: number;
  readonly details?: AssertionDetails;
}

/** How `prepare` reports what is wrong with a spec. */
export interface AssertionProblem {
  readonly message: string;
  readonly code?: ProblemCode;
  readonly hint?: string;
  /** Path inside the spec. */
  readonly path?: readonly (string | number)[];
  /** Default `error`. */
  readonly severity?: "error" | "warning";
}

/** Help for `prepare`. */
export interface PrepareContext {
  /** Prepares a nested assertion; undefined if it has problems (already reported). */
  readonly assertion: (
    raw: unknown,
    path: readonly (string | number)[],
  ) => Promise<PreparedAssertion | undefined>;
  /** What a reference names; undefined if nothing (already reported). */
  readonly reference: (
    text: string,
    path: readonly (string | number)[],
  ) => Promise<ResolvedReference | undefined>;
  /** What a role or script lacks to be called, such as its connector or its function, is reported as a problem. */
  readonly callable: (
    reference: ResolvedReference,
    path: readonly (string | number)[],
    options?: { readonly connector?: string | undefined },
  ) => Promise<void>;
  readonly problem: (problem: AssertionProblem) => void;
}

/** An assertion type. */
export interface AssertionDefinition<Spec extends object = object, Prepared = Spec> {
  readonly type: string;
  /** `z.strictObject` of the fields of its own: no common fields, no transforms. */
  readonly schema: z.ZodType<Spec>;
  /** Other names of fields, for example `{ pattern: "value" }`. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** The values of `on` it accepts. Default `["response"]`. */
  readonly subjects?: readonly Subject[];
  /** Runs once when the case is loaded: compile, check, resolve. Default: the spec. */
  prepare?(spec: Spec, context: PrepareContext): Prepared | Promise<Prepared>;
  /** What the tick line of a report shows, for example `$.order.status = "open"`. */
  label(spec: Spec): string;
  /** Decides. Throwing means "cannot tell" and makes the case an error, never a pass. */
  check(
    context: AssertionContext,
    prepared: Prepared,
  ): AssertionVerdict | Promise<AssertionVerdict>;
}

/** Any assertion type, whatever its fields. */
// oxlint-disable-next-line typescript/no-explicit-any -- specs are checked by the assertion's own schema
export type AnyAssertionDefinition = AssertionDefinition<any, any>;

/** An assertion that was checked and prepared. */
export interface PreparedAssertion {
  readonly type: string;
  /** The assertion as the case gave it. */
  readonly raw: RawAssertion;
  readonly label: string;
  readonly on: Subject;
  readonly negate: boolean;
  /** Printed instead of the reason. */
  readonly message?: string;
  /** The bare check of its type. Composite assertions use `context.run` instead. */
  readonly check: (context: AssertionContext) => AssertionVerdict | Promise<AssertionVerdict>;
}

/** Defines an assertion type. Returns it as it is, typed by its schema. */
export function defineAssertion<Spec extends object, Prepared = Spec>(
  definition: AssertionDefinition<Spec, Prepared>,
): AssertionDefinition<Spec, Prepared> {
  return definition;
}
