import type { CaseResult, RunEvent } from "@turnwise/core";

/** A case that is running. */
export interface RunningCase {
  readonly id: string;
  readonly name?: string;
  /** 0 before the first turn. */
  readonly turn: number;
  /** Who is at work, or what: `target`, a role, the name of a tool. */
  readonly state: string;
  /** When that began, in milliseconds of the clock that was handed in. */
  readonly since: number;
}

/** What can be said of a run while it goes on. */
export interface RunState {
  readonly startedAt: number;
  /** Cases of the run. */
  readonly total: number;
  /** Cases that are over. One of which only some trials are counts in part. */
  readonly done: number;
  readonly counts: Readonly<Record<CaseResult["status"], number>>;
  readonly running: readonly RunningCase[];
  readonly calls: number;
  readonly tokens: number;
}

/** Follows a run by its events. Costs the same for each, whatever the length of the run. */
export class RunTracker {
  private startedAt: number;
  private total = 0;
  private done = 0;
  private calls = 0;
  private tokens = 0;
  private readonly counts = { passed: 0, failed: 0, error: 0, skipped: 0 };
  private readonly running = new Map<
    string,
    { -readonly [key in keyof RunningCase]: RunningCase[key] }
  >();

  constructor(private readonly now: () => number) {
    this.startedAt = now();
  }

  get state(): RunState {
    const { startedAt, total, done, calls, tokens } = this;
    return {
      startedAt,
      total,
      done,
      calls,
      tokens,
      counts: { ...this.counts },
      running: [...this.running.values()],
    };
  }

  take(event: RunEvent): void {
    switch (event.type) {
      case "run-start":
        this.total = event.total;
        this.startedAt = this.now();
        return;
      case "case-start": {
        const { id, name } = event;
        this.running.set(keyOf(event), {
          id,
          ...(name === undefined ? {} : { name }),
          turn: 0,
          state: "starts",
          since: this.now(),
        });
        return;
      }
      case "turn-start":
        return this.set(event, "target", event.turn);
      case "tool-call":
        return this.set(event, event.call.name);
      case "role-call-start":
        return this.set(event, roleNames[event.role] ?? event.role);
      case "agent-call-start":
        return this.set(event, "target");
      case "agent-call-end":
      case "role-call-end":
        return this.set(event, "checks");
      case "case-end":
        return this.finish(event.result);
      default:
        return;
    }
  }

  /** The person at the keyboard is asked, or has answered. */
  asks(id: string, open: boolean): void {
    for (const one of this.running.values())
      if (one.id === id) {
        one.state = open ? "you" : "checks";
        one.since = this.now();
      }
  }

  private set(
    place: { readonly id: string; readonly trial: number },
    state: string,
    turn?: number,
  ): void {
    const one = this.running.get(keyOf(place));
    if (one === undefined) return;
    one.state = state;
    one.since = this.now();
    if (turn !== undefined) one.turn = turn;
  }

  private finish(result: CaseResult): void {
    this.running.delete(keyOf(result));
    this.counts[result.status]++;
    // Ten tenths are one.
    this.done = Math.round((this.done + 1 / (result.trials ?? 1)) * 1e9) / 1e9;
    for (const usage of Object.values(result.usage ?? {})) {
      this.calls += usage?.calls ?? 0;
      this.tokens += usage?.total_tokens ?? 0;
    }
  }
}

const roleNames: Readonly<Record<string, string>> = { validator: "judge" };

function keyOf({ id, trial }: { readonly id: string; readonly trial: number }): string {
  return `${trial} ${id}`;
}
