import type { Answer } from "../contract/agent.js";
import type { HumanView } from "../contract/human.js";
import type { CaseResult, Discipline } from "../contract/result.js";
import type { Deadline } from "./deadline.js";

/** What whoever plays the user sees when asked what to do. */
export interface UserView extends Pick<
  HumanView,
  "turn" | "history" | "turns" | "detection" | "pending" | "wrongWith"
> {
  readonly maxTurns: number;
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
