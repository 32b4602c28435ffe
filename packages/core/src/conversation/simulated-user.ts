import type { Detection } from "../awaiting/detection.js";
import type { Answer, Message, PendingRequest } from "../contract/agent.js";
import type { AssertionTurn } from "../contract/assertion.js";
import type { CaseResult, Discipline } from "../contract/result.js";
import type { Deadline } from "./deadline.js";

/** What a simulated user sees when it is asked what to do. */
export interface UserView {
  /** Number of the turn that is to be written, 1-based. */
  readonly turn: number;
  readonly maxTurns: number;
  /** Messages from before the first turn. */
  readonly history: readonly Message[];
  readonly turns: readonly AssertionTurn[];
  /** Whether the agent waits. Undefined when the user opens. */
  readonly detection: Detection | undefined;
  /** Requests of the agent that are open. */
  readonly pending: readonly PendingRequest[];
  /** What is wrong with an answer to them, if anything is. */
  readonly wrongWith: (answer: Answer) => string | undefined;
  readonly deadline: Deadline;
}

/** What a simulated user does. */
export type UserMove =
  | { readonly kind: "say"; readonly input: string }
  | { readonly kind: "answer"; readonly answer: Answer }
  | { readonly kind: "goal" }
  /** It has nothing to say to this. */
  | { readonly kind: "nothing" };

/** Plays the user of one conversation. */
export interface SimulatedUser {
  /**
   * What it does next.
   * @throws RoleError if it cannot be asked, or gives no answer that can be used.
   */
  next(view: UserView): Promise<UserMove>;
  /** Told that the conversation came to its end, for what is only known then. */
  ended?(): void;
  /** What it adds to the result of the case. */
  readonly result: Pick<CaseResult, "goal"> & { readonly discipline?: Discipline };
}
