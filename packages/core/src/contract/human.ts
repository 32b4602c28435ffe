import type { Detection } from "../awaiting/detection.js";
import type { Answer, Message, PendingRequest } from "./agent.js";
import type { AssertionTurn } from "./assertion.js";

/** What a person sees who is asked what to say. */
export interface HumanView {
  /** Id of the case. */
  readonly id: string;
  readonly name?: string;
  /** The conversation: another one in every trial and attempt of the case. */
  readonly sessionId: string;
  /** Number of the turn that is to be written, 1-based. */
  readonly turn: number;
  /** Messages from before the first turn. */
  readonly history: readonly Message[];
  readonly turns: readonly AssertionTurn[];
  /** Whether the agent waits, and for what. Undefined when the person opens the conversation. */
  readonly detection: Detection | undefined;
  /** Requests of the agent that are open. */
  readonly pending: readonly PendingRequest[];
  /** What is wrong with an answer to them, if anything is. */
  readonly wrongWith: (answer: Answer) => string | undefined;
  /** Milliseconds until nobody waits any more. */
  readonly timeout: number;
  /** Aborted when the time is up, and when the run is cancelled: the question has to go away then. */
  readonly signal: AbortSignal;
}

/** What a person does. */
export type HumanMove =
  | { readonly kind: "say"; readonly input: string }
  | { readonly kind: "answer"; readonly answer: Answer }
  /** The case ends here; its final assertions decide. */
  | { readonly kind: "end" }
  /** The case does not count. */
  | { readonly kind: "skip"; readonly reason?: string }
  /** What the agent did is not good enough. */
  | { readonly kind: "fail"; readonly reason?: string };

/** Somebody at the keyboard, or whatever stands in for that. Asked one question at a time in a run. */
export interface Human {
  ask(view: HumanView): Promise<HumanMove>;
  /** Asked after every reply, not only when the agent waits. */
  readonly always?: boolean;
}
