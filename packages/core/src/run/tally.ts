import type { CaseResult, CaseStatus, RoleUsage, RunSummary } from "../contract/result.js";
import type { Problem } from "../problem.js";
import { sumRoleUsage } from "../role/call-role.js";
import { formatProblem } from "../problem.js";

/** Worst first: what one trial shows, the others cannot take back. */
const gravity: readonly CaseStatus[] = ["failed", "error", "skipped", "passed"];

/** What is kept of a case whose trials are not all over yet. */
interface OpenCase {
  left: number;
  worst: CaseStatus;
  cancelled: boolean;
  flaky: boolean;
  warned: boolean;
}

/** Counts results as they come, so that none has to be kept. A case counts by its worst trial. */
export class Tally {
  private readonly counts = { passed: 0, failed: 0, error: 0, skipped: 0 };
  private readonly trials = { total: 0, passed: 0, not_run: 0 };
  private readonly open = new Map<string, OpenCase>();
  private cancelled = 0;
  private flaky = 0;
  private warned = 0;
  private turns = 0;
  private usage: RoleUsage = {};

  add(result: CaseResult): void {
    this.trials.total++;
    if (result.status === "passed") this.trials.passed++;
    this.addUsage(result.usage);
    for (const attempt of result.attempts ?? []) this.addUsage(attempt.usage);
    this.turns += result.total_turns;
    const { id, status, trials = 1 } = result;
    const known = this.open.get(id) ?? {
      left: trials,
      worst: status,
      cancelled: false,
      flaky: false,
      warned: false,
    };
    known.cancelled ||= result.skip_reason === "cancelled";
    known.left--;
    if (gravity.indexOf(status) < gravity.indexOf(known.worst)) known.worst = status;
    known.flaky ||= result.flaky === true;
    known.warned ||= result.warnings !== undefined;
    if (known.left > 0) this.open.set(id, known);
    else {
      this.open.delete(id);
      this.close(known);
    }
  }

  /** Calls and tokens of a trial, or of what made its case. */
  addUsage(usage: RoleUsage | undefined): void {
    if (usage !== undefined) this.usage = sumRoleUsage(this.usage, usage);
  }

  private close({ worst, cancelled, flaky, warned }: OpenCase): void {
    this.counts[worst]++;
    if (worst === "skipped" && cancelled) this.cancelled++;
    if (flaky) this.flaky++;
    if (warned) this.warned++;
  }

  /** The summary. Cases of which some trials were never started count by those that were. */
  summary(facts: {
    readonly runId: string;
    /** Cases of the suite. */
    readonly count: number;
    readonly durationMs: number;
    readonly interrupted: boolean;
    readonly failedFast: boolean;
    readonly problems: readonly Problem[];
    readonly hookErrors: RunSummary["hook_errors"];
    readonly reporterErrors: () => RunSummary["reporter_errors"];
  }): () => RunSummary {
    for (const known of this.open.values()) {
      this.trials.not_run += known.left;
      this.close(known);
    }
    this.open.clear();
    const { passed, failed, error, skipped } = this.counts;
    const total = passed + failed + error + skipped;
    const stopped = facts.interrupted || facts.failedFast;
    return () => ({
      run_id: facts.runId,
      total,
      passed,
      failed,
      errors: error,
      skipped,
      cancelled: this.cancelled,
      flaky: this.flaky,
      not_run: facts.count - total,
      trials: { ...this.trials },
      total_turns: this.turns,
      duration_ms: facts.durationMs,
      interrupted: facts.interrupted,
      failed_fast: facts.failedFast,
      usage: this.usage,
      hook_errors: facts.hookErrors,
      warnings: [
        ...facts.problems.map((problem) => ({
          code: problem.code,
          message: formatProblem(problem),
        })),
        ...(total > 0 && skipped === total && !stopped
          ? [{ code: "all_skipped", message: "every case was skipped: nothing was tested" }]
          : []),
        ...(this.warned === 0
          ? []
          : [
              {
                code: "case_warnings",
                message: `${this.warned === 1 ? "1 case" : `${this.warned} cases`} ended with a warning`,
              },
            ]),
      ],
      reporter_errors: facts.reporterErrors(),
    });
  }
}
