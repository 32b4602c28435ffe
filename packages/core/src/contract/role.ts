import { z } from "zod";
import type { AgentTool, Answer, AwaitingKind, PendingRequest } from "./agent.js";
import { answerSchema } from "../case/schema.js";
import { isObject } from "../json.js";

/*
 * What the framework tells an agent in a role, and what it reads from its reply. Readers of replies are lenient: unknown
 * fields are let pass. A boolean in quotes is none: "false" would count as true somewhere.
 */

/** The roles that an agent can have beside that of the target. */
export const roles = ["generator", "simulator", "validator"] as const;
/** The roles that an agent can have beside that of the target. */
export type Role = (typeof roles)[number];

/** `options.metadata` of a generator, beside the parameters of its reference. */
export interface GeneratorMetadata {
  readonly test_mode: "generator";
  readonly target_agent: string;
  readonly target_description?: string;
  readonly target_tools?: readonly AgentTool[];
  /** JSON Schema of a test case. */
  readonly case_schema: unknown;
  /** Cases wanted. Default 5. */
  readonly count: number;
  readonly focus?: string;
  readonly complexity?: string;
}

/** `options.metadata` of a simulator, beside its own. */
export interface SimulatorMetadata {
  readonly test_mode: "simulator";
  readonly test_id: string;
  /** Session of the conversation with the target. */
  readonly session_id: string;
  readonly persona?: string;
  readonly goal?: string;
  /** What the user knows and may say. */
  readonly knowledge?: readonly unknown[];
  /** Number of the turn that is being written, 1-based. */
  readonly turn_number: number;
  readonly turn_count: number;
  readonly max_turns: number;
  /** Newest result by tool name. */
  readonly tool_results: Readonly<Record<string, unknown>>;
  readonly last_response: string;
  readonly awaiting: { readonly awaiting: boolean; readonly kind?: AwaitingKind };
  /** Requests of the target that are open, and can be answered with `answer`. */
  readonly pending: readonly PendingRequest[];
}

/** `options.metadata` of a validator, beside that of the assertion. */
export interface ValidatorMetadata {
  readonly test_mode: "validator";
  readonly test_id: string;
  readonly criteria: string;
}

/** A text that may be missing, for which models write null. */
const remark = z.preprocess((value) => value ?? undefined, z.string().optional());

/** The reply of a generator: `{ cases: [...] }`, or the array alone. Cases are checked one by one. */
export const generatorReplySchema = z.union([
  z.looseObject({ cases: z.array(z.unknown()) }),
  z.array(z.unknown()),
]);
/** The reply of a generator. */
export type GeneratorReply = z.infer<typeof generatorReplySchema>;

/** An answer without fields that are null, for which models write what they leave out. Nothing, if nothing is left. */
function withoutNulls(value: unknown): unknown {
  if (!isObject(value)) return value ?? undefined;
  const entries = Object.entries(value).filter(([, item]) => item !== null);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** The reply of a simulator. `message` is another name of `input`. */
export const simulatorReplySchema = z
  .looseObject({
    input: remark,
    message: remark,
    goal_achieved: z.boolean().optional(),
    reasoning: remark,
    /** Answers a pending request instead of saying something. */
    answer: z.preprocess(withoutNulls, answerSchema.optional()),
  })
  .refine(
    (reply) =>
      [reply.input, reply.message, reply.goal_achieved, reply.answer].some(
        (field) => field !== undefined,
      ),
    'expected {"input": "what the user says next", "goal_achieved": true or false}',
  );
/** The reply of a simulator, as it is read. */
export interface SimulatorReply {
  /** What the user says next. */
  readonly input?: string | undefined;
  /** Another name of `input`. */
  readonly message?: string | undefined;
  /** Ends the conversation: the input is not sent. Default false. */
  readonly goal_achieved?: boolean | undefined;
  readonly reasoning?: string | undefined;
  /** Answers a pending request instead of saying something. */
  readonly answer?: Answer | undefined;
}

/** The reply of a validator: a verdict, or that the question does not apply. */
export const validatorReplySchema = z.union([
  z.looseObject({
    applicable: z.preprocess((value) => (value === "false" ? false : value), z.literal(false)),
    reason: remark,
  }),
  z.looseObject({
    passed: z.boolean(),
    /** 0 to 1. */
    score: z.preprocess((value) => value ?? undefined, z.number().min(0).max(1).optional()),
    reason: remark,
    suggestions: z.preprocess(
      (value) => (typeof value === "string" ? [value] : (value ?? undefined)),
      z.array(z.string()).optional(),
    ),
  }),
]);
/** The reply of a validator. */
export type ValidatorReply = z.infer<typeof validatorReplySchema>;
