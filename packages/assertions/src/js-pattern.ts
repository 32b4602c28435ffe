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
  return pool;
}

/** Those who wait for a thread. The pool has a queue too, but the time in it would count as time of the match. */
const waiting: (() => void)[] = [];
let running = 0;

async function withThread<T>(work: () => Promise<T>): Promise<T> {
  if (running >= threads) await new Promise<void>((resolve) => waiting.push(resolve));
  else running++;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  }
}

/**
 * Finds a JavaScript pattern in a text, in a thread of its own.
 * @throws AuthorError if that takes too long: whether the pattern matches is not known then.
 */
export function findJs(
  pattern: { readonly source: string; readonly flags: string },
  text: string,
  signal: AbortSignal,
): Promise<{ readonly start: number; readonly end: number } | undefined> {
  return withThread(async () => {
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
      if (!controller.signal.aborted) throw error;
      throw new AuthorError(
        `the pattern took longer than ${longestMatch / 1_000}s on ${text.length} characters; write it without repetitions inside of repetitions, or for the default engine`,
      );
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  });
}
