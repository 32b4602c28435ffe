import { z } from "zod";
import { blames } from "../errors.js";
import { awaitingReasons } from "../awaiting/detection.js";
import { awaitingKinds } from "./agent.js";

/** Free-form JSON is kept as it is, `__proto__` keys included, which `z.record` would drop. */
const json = z.unknown();

const blameSchema = z.enum(blames);

/** How a case ended. */
const caseStatuses = ["passed", "failed", "error", "skipped"] as const;
/** `failed` blames the agent (or a missing input), `error` anything else. */
export type CaseStatus = (typeof caseStatuses)[number];

/** Calls and tokens. */
const usageSchema = z.object({
  input_tokens: z.number().optional(),
  output_tokens: z.number().optional(),
  total_tokens: z.number().optional(),
  /** How often it was asked. */
  calls: z.number(),
});
/** Tokens of one role over a conversation, as far as they were reported. */
export type UsageRow = z.infer<typeof usageSchema>;

const toolCallSchema = z.object({
  id: z.string(),
  name: z.string(),
  args: json,
  /** The model wrote arguments that are not JSON; `args` is the text. */
  args_invalid: z.literal(true).optional(),
  result: json.optional(),
  error: z.string().optional(),
});
/** A tool call as it is recorded. */
export type ToolCallRow = z.infer<typeof toolCallSchema>;

const assertionSchema = z.looseObject({
  type: z.string(),
  status: z.enum(["passed", "failed", "error"]),
  passed: z.boolean(),
  /** What a tick line shows. */
  label: z.string(),
  /** Why, in one sentence. */
  reason: z.string(),
  /** The question did not arise. */
  applicable: z.literal(false).optional(),
  /** Set when nothing could be judged: whose fault that is. Such a verdict is not turned round by `negate`. */
  blame: blameSchema.optional(),
  score: z.number().optional(),
  wanted: json.optional(),
  actual: json.optional(),
  details: json.optional(),
});
/** The verdict of one assertion, beside the fields of the assertion itself. */
export type AssertionRow = z.infer<typeof assertionSchema>;

const pendingSchema = z.object({
  id: z.string(),
  kind: z.enum(awaitingKinds),
  prompt: z.string(),
  options: z.array(z.string()).optional(),
  schema: json.optional(),
  tool_name: z.string().optional(),
});

const turnSchema = z.object({
  /** 1-based. */
  turn: z.number(),
  status: z.enum(["passed", "failed", "skipped", "not_sent"]),
  /** Absent on a turn that could not be sent for want of an input. */
  input: json.optional(),
  input_source: z.enum(["static", "simulator", "interactive"]).optional(),
  answer: json.optional(),
  /** The text of the reply, or its data when there is no text. */
  output: json.optional(),
  tool_calls: z.array(toolCallSchema).optional(),
  awaiting_input: z.boolean().optional(),
  awaiting_reason: z.enum(awaitingReasons).optional(),
  awaiting_kind: z.enum(awaitingKinds).optional(),
  evidence: z.string().optional(),
  input_hint: z.string().optional(),
  pending: z.array(pendingSchema).optional(),
  assertions: z.array(assertionSchema).optional(),
  assertion_errors: z.array(z.string()).optional(),
  error: z.string().optional(),
  skip_reason: z.string().optional(),
  /** What the agent wrote beside its reply, such as its stderr. */
  log: z.string().optional(),
  /** Milliseconds until the agent had answered. Checking the answer is not part of it. */
  duration_ms: z.number().optional(),
});
/** One turn of a conversation. `not_sent` rows hold only `turn`, `status` and `input` and count nowhere. */
export type TurnResult = z.infer<typeof turnSchema>;

const roleUsageSchema = z.object({
  target: usageSchema.optional(),
  simulator: usageSchema.optional(),
  validator: usageSchema.optional(),
  generator: usageSchema.optional(),
});
/** Calls and tokens by role. */
export type RoleUsage = z.infer<typeof roleUsageSchema>;

/** How often a simulated user broke the rules of its role: see the documentation of simulators. */
const disciplineSchema = z.object({
  /** Hard: it said nothing, without the goal. */
  empty: z.number().optional(),
  /** Hard: its answer could not be read. */
  unreadable: z.number().optional(),
  /** Hard: it wrote the same message for the third time to the same reply. */
  repeated: z.number().optional(),
  /** Hard: it answered a request that is not open, or in a form that it does not take. */
  misplaced_answer: z.number().optional(),
  spoke_as_assistant: z.number().optional(),
  restarted: z.number().optional(),
  premature_goal: z.number().optional(),
  invented: z.number().optional(),
});
/** How often a simulated user broke the rules of its role. */
export type Discipline = z.infer<typeof disciplineSchema>;

const attemptSchema = z.object({
  attempt: z.number(),
  session_id: z.string().optional(),
  status: z.enum(caseStatuses),
  error: z.string().optional(),
  blame: blameSchema.optional(),
  turns: z.array(turnSchema),
  usage: roleUsageSchema.optional(),
  duration_ms: z.number(),
});
/** An earlier attempt of a trial that was retried. */
export type AttemptResult = z.infer<typeof attemptSchema>;

const checkpointSchema = z.object({
  id: z.string(),
  required: z.boolean(),
  /** Turn at which it was reached, or null. */
  reached_at: z.number().nullable(),
  /** Checkpoints that must not be reached later than this one. */
  after: z.array(z.string()).optional(),
  /** Why it was not reached. */
  reason: z.string().optional(),
  /** Its assertions as they were judged last: at the turn where it was reached, or at the last one that was looked at. */
  assertions: z.array(assertionSchema).optional(),
});

const invariantSchema = z.object({
  label: z.string(),
  status: z.enum(["passed", "failed", "error"]),
  /** Turns after which it was looked at. */
  checked: z.number(),
  /** Turns at which it did not hold. */
  turns: z.array(z.number()),
  /** How it was judged the first time that it did not hold. */
  assertion: assertionSchema.optional(),
});

/** The result of one trial of one case: a line of the JSONL report. */
export const caseResultSchema = z.object({
  id: z.string(),
  name: z.string().optional(),
  status: z.enum(caseStatuses),
  agent: z.string().optional(),
  /** Reference of the agent or script that plays the user, if one does. */
  simulator: z.string().optional(),
  turns: z.array(turnSchema),
  final_assertions: z.array(assertionSchema),
  /** Turns that were sent. */
  total_turns: z.number(),
  duration_ms: z.number(),
  started_at: z.string(),
  run_id: z.string(),
  session_id: z.string().optional(),
  /** 1-based number of the repetition. */
  trial: z.number(),
  /** How many trials the case has, if more than one. */
  trials: z.number().optional(),
  /** Earlier attempts, when the trial was retried. */
  attempts: z.array(attemptSchema).optional(),
  /** Passed, but not on the first attempt. */
  flaky: z.literal(true).optional(),
  file: z.string().optional(),
  line: z.number().optional(),
  tags: z.array(z.string()).optional(),
  error: z.string().optional(),
  blame: blameSchema.optional(),
  skip_reason: z.string().optional(),
  checkpoints: z.array(checkpointSchema).optional(),
  invariants: z.array(invariantSchema).optional(),
  goal: z.object({ achieved: z.boolean(), reasoning: z.string().optional() }).optional(),
  /** The last state that the agent returned. */
  state: json.optional(),
  /** Tokens by role. */
  usage: roleUsageSchema.optional(),
  /** What its simulated user did against the rules of its role, if anything. */
  discipline: disciplineSchema.optional(),
  warnings: z.array(z.object({ code: z.string(), message: z.string() })).optional(),
});
/** The result of one trial of one case: a line of the JSONL report. */
export type CaseResult = z.infer<typeof caseResultSchema>;

/** Counts of a whole run. Cases count by their worst trial. */
export interface RunSummary {
  readonly run_id: string;
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly errors: number;
  readonly skipped: number;
  /** Of the skipped ones, those that were running when the run was ended. */
  readonly cancelled: number;
  /** Passed, but only on a retry. */
  readonly flaky: number;
  /** Cases that were never started, because the run was cancelled or stopped. */
  readonly not_run: number;
  /** Independent repetitions: as many as cases, unless some are repeated. */
  readonly trials: {
    /** Those that were started. */
    readonly total: number;
    readonly passed: number;
    /** Those of started cases that were not, because the run was cancelled or stopped. */
    readonly not_run: number;
  };
  readonly total_turns: number;
  readonly duration_ms: number;
  /** The run was cancelled. */
  readonly interrupted: boolean;
  /** The run was ended by its first failure, as it was told to. */
  readonly failed_fast: boolean;
  /** Calls and tokens by role, those of retried attempts and of generators included. */
  readonly usage: RoleUsage;
  /** Hooks of the run that failed after its cases. */
  readonly hook_errors: readonly { readonly hook: string; readonly message: string }[];
  /** What is suspicious about the run as a whole, for example that every case was skipped. */
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
  /** Reporters that failed. The rest of the run is not touched by them. */
  readonly reporter_errors: readonly { readonly reporter: string; readonly message: string }[];
}
