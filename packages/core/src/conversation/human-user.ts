import type { PreparedCase } from "../case/prepare-case.js";
import type { Human, HumanMove } from "../contract/human.js";
import { AuthorError } from "../errors.js";
import { formatDuration } from "../duration.js";
import type { Places } from "../places.js";
import { Deadline, interruptionOf } from "./deadline.js";
import type { UserView } from "./simulated-user.js";

/** What comes of asking a person. */
export type AskedMove = HumanMove | { readonly kind: "nothing" } | { readonly kind: "disabled" };

/** Whom a run asks, and how. */
export interface HumanSettings {
  /** Undefined if nobody is there. */
  readonly human: Human | undefined;
  /** Whether nobody is to be asked, even where a case says so. */
  readonly disabled: boolean;
  /** One question at a time in a run. */
  readonly prompts: Places;
}

/** What a person in one conversation needs beside whom the run asks. */
interface Place {
  readonly sessionId: string;
  /** Milliseconds until nobody waits any more. */
  readonly timeout: number;
  readonly warn: (code: string, message: string) => void;
}

/** The person at the keyboard as the user of one conversation. */
export class HumanUser {
  constructor(
    private readonly prepared: PreparedCase,
    private readonly settings: HumanSettings,
    private readonly place: Place,
  ) {}

  /** Whether the person has a say now. */
  isAsked({ detection }: UserView): boolean {
    return detection?.awaiting !== false || this.settings.human?.always === true;
  }

  /**
   * What the person does. The time that takes counts against no limit of the case.
   * @throws whatever the prompt throws, AuthorError for an answer that cannot be given, the interruption when the run is
   * cancelled.
   */
  async next(view: UserView): Promise<AskedMove> {
    const { human, disabled, prompts } = this.settings;
    if (disabled) return { kind: "disabled" };
    if (human === undefined) {
      this.place.warn(
        "nobody_to_ask",
        "the case is interactive, and there is no terminal to ask at",
      );
      return { kind: "nothing" };
    }
    const resume = view.deadline.pause();
    try {
      const leave = await prompts.take(view.deadline.signal);
      try {
        return await this.ask(human, view);
      } finally {
        leave();
      }
    } finally {
      resume();
    }
  }

  private async ask(human: Human, view: UserView): Promise<AskedMove> {
    const { history, testCase } = this.prepared;
    const { sessionId, timeout, warn } = this.place;
    const { turn, turns, detection, pending, wrongWith } = view;
    const deadline = new Deadline("human", timeout, view.deadline);
    try {
      const move = await deadline.race(() =>
        human.ask({
          id: testCase.id,
          ...(testCase.name === undefined ? {} : { name: testCase.name }),
          sessionId,
          turn,
          history,
          turns,
          detection,
          pending,
          wrongWith,
          timeout,
          signal: deadline.signal,
        }),
      );
      const wrong = move.kind === "answer" ? wrongWith(move.answer) : undefined;
      if (wrong !== undefined) throw new AuthorError(wrong);
      return move;
    } catch (error) {
      if (interruptionOf(error)?.kind !== "timeout") throw error;
      warn("nobody_answered", `nobody answered within ${formatDuration(timeout)}`);
      return { kind: "nothing" };
    } finally {
      deadline.dispose();
    }
  }
}
