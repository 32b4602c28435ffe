import type { LazyPlugin } from "@turnwise/core";
import type { Output } from "../output.js";

/** What a command gets from the program around it. */
export interface CommandEnvironment {
  /** Of the program. */
  readonly version: string;
  readonly cwd: string;
  readonly env: Record<string, string | undefined>;
  readonly output: Output;
  /** What `-i -` reads. */
  readonly stdin: AsyncIterable<Buffer>;
  readonly plugins: readonly LazyPlugin[];
  readonly alias: Readonly<Record<string, string>>;
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal;
}

/** Exit codes of the program. */
export const exitCodes = { passed: 0, failed: 1, usage: 2, error: 3, interrupted: 130 } as const;
