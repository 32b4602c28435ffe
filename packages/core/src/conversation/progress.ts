import type { PreparedCheckpoint } from "../case/prepare-checkpoints.js";
import type { PreparedAssertion } from "../contract/assertion.js";
import type { AssertionRow, CaseResult } from "../contract/result.js";
import type { Deadline } from "./deadline.js";
import type { Checked, Moment } from "./run-assertions.js";
import type { Cause } from "./verdict.js";
import { runAssertions } from "./run-assertions.js";

type CheckpointRow = NonNullable<CaseResult["checkpoints"]>[number];
type InvariantRow = NonNullable<CaseResult["invariants"]>[number];

/** What must hold in some turn, and what must hold in every turn. */
export class Progress {
  private readonly checkpoints: readonly {
    readonly checkpoint: PreparedCheckpoint;
    readonly row: CheckpointRow;
    /** How many of its assertions did not hold at the best look so far. */
    missed?: number;
    /** Why it could not be judged, in the first turn where it could not: it might have been reached there. */
    error?: Cause;
  }[];
  private readonly invariantRows: readonly InvariantRow[];

  constructor(
    checkpoints: readonly PreparedCheckpoint[],
    private readonly invariants: readonly PreparedAssertion[],
  ) {
    this.checkpoints = checkpoints.map((checkpoint) => ({
      checkpoint,
      row: {
        id: checkpoint.id,
        required: checkpoint.required,
        reached_at: null,
        ...(checkpoint.after.length === 0 ? {} : { after: [...checkpoint.after] }),
      },
    }));
    this.invariantRows = invariants.map((invariant) => ({
      label: invariant.negate ? `not: ${invariant.label}` : invariant.label,
      status: "passed",
      checked: 0,
      turns: [],
    }));
  }

  /** Whether there is anything to look at after a turn. */
  get watches(): boolean {
    return this.checkpoints.length > 0 || this.invariants.length > 0;
  }

  /** Rows for the result, as far as the case has any. Checkpoints in the order of the case. */
  rows(order: readonly { readonly id: string }[] = []): Partial<CaseResult> {
    const place = (row: CheckpointRow): number => order.findIndex(({ id }) => id === row.id);
    const checkpoints = this.checkpoints
      .map(({ row }) => row)
      .toSorted((a, b) => place(a) - place(b));
    return {
      ...(checkpoints.length === 0 ? {} : { checkpoints }),
      ...(this.invariantRows.length === 0 ? {} : { invariants: [...this.invariantRows] }),
    };
  }

  /** Looks at both after a turn. What it returns are failures of the turn: a checkpoint that is not reached is none. */
  async look(moment: Moment, deadline: Deadline): Promise<Pick<Checked, "failures" | "causes">> {
    const { turn } = moment.turn;
    const checked = await runAssertions(
      this.invariants,
      { ...moment, invariant: true },
      deadline,
      `turn ${turn}: invariant: `,
    );
    for (const [index, row] of checked.rows.entries())
      recordInvariant(this.invariantRows[index]!, row, turn);
    const causes = [...checked.causes];
    for (const state of this.checkpoints) {
      const { checkpoint, row } = state;
      if (row.reached_at !== null || this.waitsFor(checkpoint) !== undefined) continue;
      const looked = await runAssertions(checkpoint.assertions, moment, deadline, "");
      // Of the turns in which it was not reached, the one that came nearest says most.
      const missed = looked.rows.filter((one) => !one.passed).length;
      const nearest = missed <= (state.missed ?? missed);
      if (nearest) {
        row.assertions = looked.rows;
        state.missed = missed;
      }
      const error = looked.causes.find(({ kind }) => kind !== "failed");
      if (error?.kind === "cancelled") causes.push(error);
      if (looked.causes.length === 0) {
        row.reached_at = turn;
        delete row.reason;
        delete state.error;
      } else {
        if (nearest) row.reason = `turn ${turn}: ${looked.failures[0]}`;
        if (error?.kind === "error")
          state.error ??= { ...error, error: `turn ${turn}: ${error.error}` };
      }
    }
    return { failures: checked.failures.map((text) => `invariant: ${text}`), causes };
  }

  /** What is missing at the end of the conversation. */
  missing(): Cause[] {
    return this.checkpoints.flatMap(({ checkpoint, row, error }): Cause[] => {
      if (row.reached_at !== null) return [];
      const waitsFor = this.waitsFor(checkpoint);
      if (waitsFor !== undefined)
        row.reason = `it comes after "${waitsFor}", which was not reached`;
      const text = `the checkpoint "${checkpoint.id}" was not reached: `;
      if (error?.kind === "error") return [{ ...error, error: `${text}${error.error}` }];
      if (!checkpoint.required) return [];
      return [
        { kind: "failed", blame: "agent", error: `${text}${row.reason ?? "no turn was judged"}` },
      ];
    });
  }

  /** The first of those it comes after that has not been reached. */
  private waitsFor({ after }: PreparedCheckpoint): string | undefined {
    return after.find((id) =>
      this.checkpoints.some(({ row }) => row.id === id && row.reached_at === null),
    );
  }
}

const gravity = { passed: 0, error: 1, failed: 2 };

function recordInvariant(invariant: InvariantRow, row: AssertionRow, turn: number): void {
  invariant.checked++;
  if (row.status === "passed") return;
  invariant.turns.push(turn);
  if (gravity[row.status] <= gravity[invariant.status]) return;
  invariant.status = row.status;
  invariant.assertion = row;
}
