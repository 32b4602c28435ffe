import type { Blame } from "../errors.js";
import type { CaseStatus } from "../contract/result.js";

/** One reason why a case is not simply passed. */
export type Cause =
  | { readonly kind: "cancelled" }
  | { readonly kind: "failed"; readonly blame: Blame; readonly error: string }
  | { readonly kind: "error"; readonly blame: Blame; readonly error: string }
  | { readonly kind: "skipped"; readonly reason: string };

/** The verdict on a case. */
export interface Verdict {
  readonly status: CaseStatus;
  readonly error?: string;
  readonly blame?: Blame;
  readonly skipReason?: string;
}

const ranks = ["cancelled", "failed", "error", "skipped"] as const;

/** The verdict when several things happened: the gravest kind wins, and of that kind the first. */
export function verdictOf(causes: readonly Cause[]): Verdict {
  for (const kind of ranks) {
    const cause = causes.find((candidate) => candidate.kind === kind);
    if (cause === undefined) continue;
    switch (cause.kind) {
      case "cancelled":
        return { status: "skipped", skipReason: "cancelled" };
      case "skipped":
        return { status: "skipped", skipReason: cause.reason };
      case "failed":
      case "error":
        return { status: cause.kind, error: cause.error, blame: cause.blame };
    }
  }
  return { status: "passed" };
}

/** A cause with the status that its blame implies: only the agent can fail. */
export function blamed(blame: Blame, error: string): Cause {
  return { kind: blame === "agent" ? "failed" : "error", blame, error };
}
