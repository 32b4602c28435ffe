import { z } from "zod";
import type { AwaitingKind } from "./agent.js";

/*
 * What the framework tells an agent in a role, and what it reads from its reply. Roles are not asked yet; agents that
 * will play one can be written against this. Readers of replies are lenient: unknown fields are let pass.
 */

/** `options.metadata` of a generator, beside the parameters of its reference. */
export interface GeneratorMetadata {
  readonly test_mode: "generator";
  readonly target_agent: string;
  readonly target_description?: string;
  readonly target_tools?: readonly string[];
  /** Cases wanted. Default 5. */
  readonly count: number;
  readonly focus?: string;
  readonly complexity?: string;
}

/** `options.metadata` of a simulator, beside its own. */
export interface SimulatorMetadata {
  readonly test_mode: "simulator";
  readonly test_id: string;
  readonly session_id: string;
  readonly persona?: string;
  readonly goal?: string;
  /** Number of the turn that is being written, 1-based. */
  readonly turn_number: number;
  readonly turn_count: number;
  readonly max_turns: number;
  /** Newest result by tool name. */
  readonly tool_results: Readonly<Record<string, unknown>>;
  readonly last_response: string;
  readonly awaiting: { readonly awaiting: boolean; readonly kind?: AwaitingKind };
}

/** `options.metadata` of a validator, beside that of the assertion. */
export interface ValidatorMetadata {
  readonly test_mode: "validator";
  readonly test_id: string;
  readonly criteria: string;
}

/** The reply of a generator: `{ cases: [...] }`, or the array alone. Cases are checked one by one. */
export const generatorReplySchema = z.union([
  z.looseObject({ cases: z.array(z.unknown()) }),
  z.array(z.unknown()),
]);
/** The reply of a generator. */
export type GeneratorReply = z.infer<typeof generatorReplySchema>;

/** The reply of a simulator. `message` is another name of `input`. */
export const simulatorReplySchema = z.looseObject({
  input: z.string().optional(),
  message: z.string().optional(),
  goal_achieved: z.boolean(),
  reasoning: z.string().optional(),
  /** Answers a pending request instead of saying something. */
  answer: z.unknown().optional(),
});
/** The reply of a simulator. */
export type SimulatorReply = z.infer<typeof simulatorReplySchema>;

/** The reply of a validator: a verdict, or that the question does not apply. */
export const validatorReplySchema = z.union([
  z.looseObject({
    passed: z.boolean(),
    /** 0 to 1. */
    score: z.number().min(0).max(1).optional(),
    reason: z.string().optional(),
    suggestions: z.array(z.string()).optional(),
  }),
  z.looseObject({ applicable: z.literal(false), reason: z.string().optional() }),
]);
/** The reply of a validator. */
export type ValidatorReply = z.infer<typeof validatorReplySchema>;
