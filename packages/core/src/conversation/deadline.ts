import { setMaxListeners } from "node:events";
import { setImmediate } from "node:timers";
import { formatDuration } from "../duration.js";
import { AgentError, TurnwiseError } from "../errors.js";

/** What a deadline bounds. */
type Scope = "turn" | "case" | "check" | "close" | "hook" | "role" | "human";

/** Why waiting ended before the work did. */
export type Interruption =
  | {
      readonly kind: "timeout";
      readonly scope: Scope;
      readonly message: string;
    }
  | { readonly kind: "cancelled"; readonly message: string };

class Interrupted extends Error {
  constructor(
    readonly interruption: Interruption,
    /** What the agent wrote beside its replies until then. */
    readonly log?: string,
  ) {
    super(interruption.message);
    this.name = interruption.kind === "timeout" ? "TimeoutError" : "AbortError";
  }
}

/** True for promises of this and other realms, and for whatever else can be awaited. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as { then?: unknown }).then === "function"
  );
}

/** Runs work that may take so long at most. Throws what `Deadline.race` throws. */
export async function within<T>(
  scope: Scope,
  milliseconds: number,
  work: () => T | PromiseLike<T>,
  outer?: AbortSignal | Deadline,
): Promise<T> {
  const deadline = new Deadline(scope, milliseconds, outer);
  try {
    return await deadline.race(work);
  } finally {
    deadline.dispose();
  }
}

/** The interruption that an error stands for, if it is one of ours. */
export function interruptionOf(error: unknown): Interruption | undefined {
  return error instanceof Interrupted ? error.interruption : undefined;
}

/**
 * Bounds asynchronous work in time. Work that ignores the signal is left behind: it cannot hold up the run. Nested
 * deadlines inherit the end of the outer one. (`AbortSignal.any` would do the same, but leaks on Node 20.) The signal
 * is made when somebody asks for it: it costs more than a turn, and most agents never look at it.
 */
export class Deadline {
  private timer: NodeJS.Timeout;
  private due: number;
  private readonly outer: Deadline | undefined;
  private readonly release: () => void;
  private readonly waiting = new Set<() => void>();
  private readonly timeout: () => Interrupted;
  private controller: AbortController | undefined;
  private reason: Error | undefined;

  constructor(scope: Scope, milliseconds: number, outer?: AbortSignal | Deadline) {
    this.due = performance.now() + milliseconds;
    this.timeout = () =>
      new Interrupted({
        kind: "timeout",
        scope,
        message: `timeout after ${formatDuration(milliseconds)}`,
      });
    this.timer = setTimeout(() => this.end(this.timeout()), milliseconds);
    if (outer instanceof Deadline) {
      this.outer = outer;
      const follow = (): void => this.end(outer.reason!);
      if (outer.reason === undefined) outer.waiting.add(follow);
      else follow();
      this.release = () => outer.waiting.delete(follow);
    } else {
      const follow = (): void => this.end(inherited(outer!.reason));
      // Every conversation of a run listens to the same signal, and stops when it is over: no leak to be warned of.
      if (outer instanceof AbortSignal) setMaxListeners(0, outer);
      if (outer?.aborted === true) follow();
      else outer?.addEventListener("abort", follow, { once: true });
      this.release = () => outer?.removeEventListener("abort", follow);
    }
  }

  /** Aborted when the time is up, and when the outer one ends. */
  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.reason !== undefined) this.controller.abort(this.reason);
    }
    return this.controller.signal;
  }

  /** Why it ended early, if it did. */
  get interruption(): Interruption | undefined {
    this.expireIfDue();
    return interruptionOf(this.reason);
  }

  /**
   * The result of the work, or the interruption, whichever comes first.
   * @throws what the work throws, or an error that `interruptionOf` understands.
   */
  async race<T>(work: () => T | PromiseLike<T>): Promise<T> {
    if (this.reason !== undefined) throw this.reason;
    let result: T | PromiseLike<T>;
    try {
      result = work();
      // Work that answers at once needs no race, which costs more than most turns.
      if (isThenable(result)) result = await this.raceWith(Promise.resolve(result));
    } catch (error) {
      // An agent that passes our own abort on has not failed by itself.
      throw this.explains(error) ? error : (withLog(this.reason, error) ?? error);
    }
    this.throwIfOver();
    return result;
  }

  /** Throws the interruption if the time is up, also when no timer could fire yet. */
  throwIfOver(): void {
    this.expireIfDue();
    if (this.reason !== undefined) throw this.reason;
  }

  private raceWith<T>(result: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      // Work that hears the signal may say what it was waiting for, which is not always the agent: it has this moment.
      const stop = (): void => void setImmediate(() => reject(this.reason!));
      // The work itself may have cancelled the run.
      if (this.reason !== undefined) stop();
      this.waiting.add(stop);
      result.finally(() => this.waiting.delete(stop)).then(resolve, reject);
    });
  }

  /** True for an error that says better than "timeout" why nothing came, and whose fault that was. */
  private explains(error: unknown): boolean {
    return (
      this.interruption?.kind === "timeout" &&
      TurnwiseError.isInstance(error) &&
      error.blame !== "agent"
    );
  }

  /** Work that blocked the event loop finishes before any timer can fire. It was too slow all the same. */
  private expireIfDue(): void {
    this.outer?.expireIfDue();
    if (performance.now() >= this.due) this.end(this.timeout());
  }

  private end(reason: Error): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    this.controller?.abort(reason);
    for (const stop of Array.from(this.waiting)) stop();
  }

  /** From here on time does not count, until the function returned is called. */
  pause(): () => void {
    this.expireIfDue();
    if (this.reason !== undefined) return () => undefined;
    const left = this.due - performance.now();
    clearTimeout(this.timer);
    this.due = Number.POSITIVE_INFINITY;
    return () => {
      if (this.reason !== undefined) return;
      this.due = performance.now() + left;
      this.timer = setTimeout(() => this.end(this.timeout()), left);
    };
  }

  /** Milliseconds that are left. */
  get remaining(): number {
    return Math.max(1, Math.ceil(this.due - performance.now()));
  }

  /** Ends what is under way, since nobody wants it any more. */
  stop(): void {
    this.end(inherited(undefined));
  }

  /** Must be called when the work is over, or the timer holds the process. */
  dispose(): void {
    clearTimeout(this.timer);
    this.release();
  }
}

/** The interruption with what the agent had written when it came. */
function withLog(reason: Error | undefined, error: unknown): Error | undefined {
  if (!(reason instanceof Interrupted) || !AgentError.isInstance(error)) return reason;
  return new Interrupted(reason.interruption, error.log);
}

/** What the agent wrote beside its replies before this was thrown. */
export function logOf(thrown: unknown): string | undefined {
  return thrown instanceof Interrupted || AgentError.isInstance(thrown) ? thrown.log : undefined;
}

function inherited(reason: unknown): Error {
  if (interruptionOf(reason) !== undefined) return reason as Error;
  return new Interrupted({ kind: "cancelled", message: "cancelled" });
}
