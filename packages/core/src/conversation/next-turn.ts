import type { Detection } from "../awaiting/detection.js";
import type { PreparedCase, PreparedTurn } from "../case/prepare-case.js";
import type { MissingInputPolicy } from "../contract/config.js";
import type { TurnResult } from "../contract/result.js";
import type { RoleCaller } from "../role/call-role.js";
import type { SimulatedUser, UserMove, UserView } from "./simulated-user.js";
import type { Cause } from "./verdict.js";
import { TurnwiseError, errorMessage } from "../errors.js";
import type { AskedMove, HumanSettings } from "./human-user.js";
import { AnsweringUser } from "./answering-user.js";
import { interruptionOf } from "./deadline.js";
import { HumanUser } from "./human-user.js";
import { RoleUser } from "./role-user.js";
import { blamed } from "./verdict.js";

/** A turn, and who says it. */
export interface TurnToSend {
  readonly turn: PreparedTurn;
  readonly source: "static" | "simulator" | "interactive";
}

/** How a conversation ends. */
export interface Ending {
  /** Whether its final assertions are checked. */
  readonly complete: boolean;
  /** Why it is not simply over. */
  readonly cause?: Cause;
  /** The turn that was to come. */
  readonly row?: TurnResult;
}

/** Finds the next turn: the script's, then the simulated user's, then that of a person. */
export class NextTurn {
  readonly user: SimulatedUser | undefined;
  private readonly person: HumanUser | undefined;

  constructor(
    private readonly prepared: PreparedCase,
    private readonly settings: {
      readonly sessionId: string;
      readonly roles: RoleCaller;
      readonly human: HumanSettings;
      readonly onMissingInput: MissingInputPolicy;
      readonly warn: (code: string, message: string) => void;
    },
  ) {
    const { simulator, interactive } = prepared;
    const { roles, sessionId, warn, human } = settings;
    if (interactive !== undefined)
      this.person = new HumanUser(prepared, human, {
        sessionId,
        timeout: interactive.timeout,
        warn,
      });
    if (simulator?.kind === "answers") this.user = new AnsweringUser(simulator, warn);
    else if (simulator !== undefined) this.user = new RoleUser(simulator, roles, sessionId, warn);
  }

  async find(given: Omit<UserView, "maxTurns" | "history">): Promise<TurnToSend | Ending> {
    const { history, maxTurns, turns } = this.prepared;
    const view = { ...given, history, maxTurns };
    const { turn: number } = view;
    const written = turns[number - 1];
    if (written !== undefined) return { turn: written, source: "static" };
    let move: UserMove;
    try {
      move = (await this.user?.next(view)) ?? { kind: "nothing" };
    } catch (error) {
      return broken(number, error, "simulator");
    }
    switch (move.kind) {
      case "goal":
        return { complete: true };
      case "nothing":
        return this.person?.isAsked(view) === true ? this.ask(this.person, view) : this.end(view);
      case "say":
      case "answer":
        return number > maxTurns ? this.tooMany() : this.turnOf(move, number, "simulator");
    }
  }

  /** The turn of a person, or what that makes of the case. */
  private async ask(person: HumanUser, view: UserView): Promise<TurnToSend | Ending> {
    const { turn } = view;
    if (turn > view.maxTurns) return this.tooMany();
    let move: AskedMove;
    try {
      move = await person.next(view);
    } catch (error) {
      return broken(turn, error, "prompt");
    }
    switch (move.kind) {
      case "say":
      case "answer":
        return this.turnOf(move, turn, "interactive");
      case "end":
        // A conversation that never began proves nothing.
        return turn === 1 ? skipped(turn, "ended before it began") : { complete: true };
      case "nothing":
        return this.end(view);
      case "disabled":
        return skipped(turn, "interactive input disabled");
      case "skip":
        return skipped(turn, withReason("skipped by hand", move.reason));
      case "fail": {
        const error = withReason(failedByHand, move.reason);
        return {
          complete: false,
          cause: { kind: "failed", blame: "agent", error },
          row: { turn, status: "failed", error },
        };
      }
    }
  }

  /** Nobody has anything to say. */
  private end({ turn, detection }: UserView): Ending {
    return detection === undefined ? noInput() : this.missingInput(turn, detection);
  }

  private turnOf(
    move: Extract<UserMove, { kind: "say" | "answer" }>,
    number: number,
    source: "simulator" | "interactive",
  ): TurnToSend {
    const { options, attachments, assertions } = this.prepared.unwritten;
    const opens = number === 1;
    const said = move.kind === "say" ? move.input : "";
    const turn: PreparedTurn = {
      input: said,
      written: said,
      ...(move.kind === "answer" ? { answer: move.answer } : {}),
      options,
      attachments: opens ? attachments : [],
      assertions: opens ? assertions : [],
    };
    return { turn, source };
  }

  /** The user would go on, and has had all its turns. */
  private tooMany(): Ending {
    const { maxTurns, testCase } = this.prepared;
    if (testCase.on_max_turns === "end") return { complete: true };
    return { complete: true, cause: blamed("agent", `max turns (${maxTurns}) exceeded`) };
  }

  /** Nobody has anything to say: is that missing, or the end? */
  private missingInput(turn: number, detection: Detection): Ending {
    const { onMissingInput } = this.settings;
    if (!detection.awaiting || !this.prepared.multiTurn || onMissingInput === "end")
      return { complete: true };
    const hint = detection.hint === undefined ? {} : { input_hint: detection.hint };
    const reason = "awaiting input";
    return onMissingInput === "fail"
      ? {
          complete: false,
          cause: { kind: "failed", blame: "author", error: reason },
          row: { turn, status: "failed", error: reason, ...hint },
        }
      : {
          complete: false,
          cause: { kind: "skipped", reason },
          row: { turn, status: "skipped", skip_reason: reason, ...hint },
        };
  }
}

function noInput(): Ending {
  const error = "no initial input";
  return {
    complete: false,
    cause: { kind: "failed", blame: "author", error },
    row: { turn: 1, status: "failed", error },
  };
}

/** How the verdict of a person begins. */
export const failedByHand = "failed by hand";

function skipped(turn: number, reason: string): Ending {
  return {
    complete: false,
    cause: { kind: "skipped", reason },
    row: { turn, status: "skipped", skip_reason: reason },
  };
}

function withReason(what: string, reason: string | undefined): string {
  return reason === undefined || reason === "" ? what : `${what}: ${reason}`;
}

/** Whoever plays the user could not be asked. */
function broken(turn: number, error: unknown, who: "simulator" | "prompt"): Ending {
  if (interruptionOf(error)?.kind === "cancelled")
    return {
      complete: false,
      cause: { kind: "cancelled" },
      row: { turn, status: "skipped", skip_reason: "cancelled" },
    };
  const reason = `${who} error: ${errorMessage(error)}`;
  const unknown = who === "simulator" ? "simulator" : "author";
  const blame = TurnwiseError.isInstance(error) ? error.blame : unknown;
  return {
    complete: false,
    cause: blamed(blame, reason),
    row: { turn, status: "skipped", skip_reason: reason },
  };
}
