import type { AwaitingKind, Message, NormalReply } from "../contract/agent.js";

/** The signals that can decide, in the order in which they are asked. */
export const awaitingReasons = [
  "agent_declared",
  "tool_requires_confirmation",
  "tool_pending",
  "truncated",
  "content_is_question",
  "completed",
] as const;
/** Which signal decided. */
export type AwaitingReason = (typeof awaitingReasons)[number];

/** The verdict on one reply: does the agent wait for its user? */
export interface Detection {
  readonly awaiting: boolean;
  readonly reason: AwaitingReason;
  /** What it waits for. Only when `awaiting`. */
  readonly kind?: AwaitingKind;
  /** What decided: a piece of the text, or the name of a tool. */
  readonly evidence?: string;
  /** The question, for people. */
  readonly hint?: string;
  /** 0 to 1; 1 for declared and structural signals. */
  readonly confidence: number;
}

/** Decides whether the agent waits. The executor takes any; the default is `detectAwaitingInput`. */
export type Detector = (
  reply: NormalReply,
  context: { readonly messages: readonly Message[]; readonly signal: AbortSignal },
) => Detection | Promise<Detection>;
