import { AuthorError } from "@turnwise/core";
import type { Tinypool } from "tinypool";

/** How long one match may take, in milliseconds. Most take microseconds. */
const longestMatch = 5_000;
/** Threads at once. They are for patterns of bad manners, not for speed. */
const threads = 2;
/** How long idle threads are kept, in milliseconds. They do not hold the process. */
const idleTime = 5_000;

let pool: Promise<Tinypool> | undefined;

/** One pool for all patterns: a thread costs some 50 ms to start. */
function workers(): Promise<Tinypool> {
  pool ??= import("tinypool").then(
    ({ Tinypool: Pool }) =>
      new Pool({
        filename: new URL("./js-pattern-worker.js", import.meta.url).href,
        minThreads: 0,
        maxThreads: threads,
        idleTimeout: idleTime,
      }),
  );
  pool.catch(() => (pool = undefined));
  return pool;
}

/** Those who wait for a thread. The pool has a queue too, but the time in it would count as time of the match. */
const waiting = new Set<() => void>();
let running = 0;

/** @throws the reason of the signal if it is aborted before there is a thread. */
async function withThread<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  if (running < threads) running++;
  else
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        waiting.delete(enter);
        reject(signal.reason);
      };
      const enter = (): void => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      waiting.add(enter);
      signal.addEventListener("abort", leave, { once: true });
    });
  try {
    return await work();
  } finally {
    const [next] = waiting;
    if (next === undefined) running--;
    else {
      waiting.delete(next);
      next();
    }
  }
}

/** How often each pattern was too slow. One that always is must not keep the threads from the others. */
const slow = new Map<string, number>();
const mostSlow = 3;

/**
 * Finds a JavaScript pattern in a text, in a thread of its own.
 * @throws AuthorError if that takes too long: whether the pattern matches is not known then.
 */
export function findJs(
  pattern: { readonly source: string; readonly flags: string },
  text: string,
  signal: AbortSignal,
): Promise<{ readonly start: number; readonly end: number } | undefined> {
  const key = `/${pattern.source}/${pattern.flags}`;
  return withThread(signal, async () => {
    const times = slow.get(key) ?? 0;
    if (times >= mostSlow)
      throw new AuthorError(`the pattern took too long ${times} times, and is not tried again`);
    const tinypool = await workers();
    const controller = new AbortController();
    const stop = (): void => controller.abort();
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    const timer = setTimeout(stop, longestMatch);
    try {
      return (await tinypool.run({ ...pattern, text }, { signal: controller.signal })) as
        | { start: number; end: number }
        | undefined;
    } catch (error) {
      if (!controller.signal.aborted || signal.aborted) throw error;
      slow.set(key, times + 1);
      throw new AuthorError(
        `the pattern took longer than ${longestMatch / 1_000}s on ${text.length} characters; write it without repetitions inside of repetitions, or for the default engine`,
      );
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  });
}
