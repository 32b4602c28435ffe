import { formatDuration } from "../duration.js";

/** What a deadline bounds. */
type Scope = "turn" | "case" | "check" | "close" | "hook";

/** Why waiting ended before the work did. */
export type Interruption =
  | {
      readonly kind: "timeout";
      readonly scope: Scope;
      readonly message: string;
    }
  | { readonly kind: "cancelled"; readonly message: string };

class Interrupted extends Error {
  constructor(readonly interruption: Interruption) {
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
  outer?: AbortSignal,
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
 * deadlines inherit the end of the outer one. (`AbortSignal.any` would do the same, but leaks on Node 20.)
 */
export class Deadline {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly release: () => void;
  private readonly expire: () => void;
  private readonly due: number;

  private readonly outer: Deadline | undefined;

  constructor(scope: Scope, milliseconds: number, within?: AbortSignal | Deadline) {
    const { controller } = this;
    this.outer = within instanceof Deadline ? within : undefined;
    const outer = within instanceof Deadline ? within.signal : within;
    this.due = performance.now() + milliseconds;
    this.expire = () =>
      controller.abort(
        new Interrupted({
          kind: "timeout",
          scope,
          message: `timeout after ${formatDuration(milliseconds)}`,
        }),
      );
    this.timer = setTimeout(this.expire, milliseconds);
    const follow = (): void => controller.abort(inherited(outer!.reason));
    if (outer?.aborted === true) follow();
    else outer?.addEventListener("abort", follow, { once: true });
    this.release = () => outer?.removeEventListener("abort", follow);
  }

  /** Aborted when the time is up, and when the outer signal is. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /**
   * The result of the work, or the interruption, whichever comes first.
   * @throws what the work throws, or an error that `interruptionOf` understands.
   */
  async race<T>(work: () => T | PromiseLike<T>): Promise<T> {
    const { signal } = this.controller;
    if (signal.aborted) throw signal.reason;
    let result: T | PromiseLike<T>;
    try {
      result = work();
      // Work that answers at once needs no race, which costs more than most turns.
      if (isThenable(result)) result = await this.raceWith(Promise.resolve(result));
    } catch (error) {
      // An agent that passes our own abort on has not failed by itself.
      throw signal.aborted ? signal.reason : error;
    }
    this.expireIfDue();
    if (signal.aborted) throw signal.reason;
    return result;
  }

  /** Work that blocked the event loop finishes before any timer can fire. It was too slow all the same. */
  private expireIfDue(): void {
    this.outer?.expireIfDue();
    if (performance.now() >= this.due && !this.controller.signal.aborted) this.expire();
  }

  private raceWith<T>(result: Promise<T>): Promise<T> {
    const { signal } = this.controller;
    return new Promise<T>((resolve, reject) => {
      const stop = (): void => reject(signal.reason as Error);
      // The work itself may have cancelled the run.
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
      result.finally(() => signal.removeEventListener("abort", stop)).then(resolve, reject);
    });
  }

  /** Must be called when the work is over, or the timer holds the process. */
  dispose(): void {
    clearTimeout(this.timer);
    this.release();
  }
}

function inherited(reason: unknown): Error {
  if (interruptionOf(reason) !== undefined) return reason as Error;
  return new Interrupted({ kind: "cancelled", message: "cancelled" });
}
