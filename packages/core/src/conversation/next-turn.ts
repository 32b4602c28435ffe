import type { Detection } from "../awaiting/detection.js";
import type { PreparedCase, PreparedTurn } from "../case/prepare-case.js";
import type { MissingInputPolicy } from "../contract/config.js";
import type { TurnResult } from "../contract/result.js";
import type { RoleCaller } from "../role/call-role.js";
import type { SimulatedUser, UserMove, UserView } from "./simulated-user.js";
import type { Cause } from "./verdict.js";
import { TurnwiseError, errorMessage } from "../errors.js";
import { AnsweringUser } from "./answering-user.js";
import { interruptionOf } from "./deadline.js";
import { RoleUser } from "./role-user.js";
import { blamed } from "./verdict.js";

/** A turn, and who says it. */
export interface TurnToSend {
  readonly turn: PreparedTurn;
  readonly source: "static" | "simulator";
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

/** Finds the next turn: the script's, then the simulated user's. */
export class NextTurn {
  readonly user: SimulatedUser | undefined;

  constructor(
    private readonly prepared: PreparedCase,
    private readonly settings: {
      readonly sessionId: string;
      readonly roles: RoleCaller;
      readonly onMissingInput: MissingInputPolicy;
      readonly warn: (code: string, message: string) => void;
    },
  ) {
    const { simulator } = prepared;
    const { roles, sessionId, warn } = settings;
    if (simulator?.kind === "answers") this.user = new AnsweringUser(simulator, warn);
    else if (simulator !== undefined) this.user = new RoleUser(simulator, roles, sessionId, warn);
  }

  async find(view: Omit<UserView, "maxTurns" | "history">): Promise<TurnToSend | Ending> {
    const { maxTurns, turns } = this.prepared;
    const { turn: number, detection } = view;
    const written = turns[number - 1];
    if (written !== undefined) return { turn: written, source: "static" };
    let move: UserMove;
    try {
      move = await this.moveOfUser(view);
    } catch (error) {
      return broken(number, error);
    }
    switch (move.kind) {
      case "goal":
        return { complete: true };
      case "nothing":
        return detection === undefined ? noInput() : this.missingInput(number, detection);
      case "say":
      case "answer":
        return number > maxTurns ? this.tooMany() : this.turnOf(move, number);
    }
  }

  private async moveOfUser(view: Omit<UserView, "maxTurns" | "history">): Promise<UserMove> {
    const { history, maxTurns } = this.prepared;
    return (await this.user?.next({ ...view, history, maxTurns })) ?? { kind: "nothing" };
  }

  private turnOf(move: Extract<UserMove, { kind: "say" | "answer" }>, number: number): TurnToSend {
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
    return { turn, source: "simulator" };
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

/** The simulated user could not be asked. */
function broken(turn: number, error: unknown): Ending {
  if (interruptionOf(error)?.kind === "cancelled")
    return {
      complete: false,
      cause: { kind: "cancelled" },
      row: { turn, status: "skipped", skip_reason: "cancelled" },
    };
  const reason = `simulator error: ${errorMessage(error)}`;
  const blame = TurnwiseError.isInstance(error) ? error.blame : "simulator";
  return {
    complete: false,
    cause: blamed(blame, reason),
    row: { turn, status: "skipped", skip_reason: reason },
  };
}
