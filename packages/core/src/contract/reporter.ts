import type { z } from "zod";
import type { RunEvent } from "./event.js";
import type { CaseResult } from "./result.js";

/** Where a reporter writes. core opens and closes it. */
export interface ReporterStream {
  /** Resolves when the text has been handed to the operating system. */
  write(text: string): Promise<void>;
}

/** A reporter at work. All hooks are optional; they are called one after the other. */
export interface ActiveReporter {
  onEvent?(event: RunEvent): unknown;
  /** Called once after the last event. */
  end?(): unknown;
  /** One finished case as text, for those who show cases in their own way. */
  formatCase?(result: CaseResult): string;
}

/** A kind of report. */
export interface ReporterDefinition<Options = unknown> {
  readonly name: string;
  /** File extensions that choose it, for example `[".jsonl"]`. */
  readonly extensions?: readonly string[];
  /** Checks `options`. Without it a reporter takes none. */
  readonly schema?: z.ZodType<Options>;
  create(environment: {
    readonly options: Options;
    readonly stream: ReporterStream;
  }): ActiveReporter | Promise<ActiveReporter>;
}

/** Any reporter, whatever its options. */
// oxlint-disable-next-line typescript/no-explicit-any -- options are checked by the reporter's own schema
export type AnyReporterDefinition = ReporterDefinition<any>;

/** Defines a reporter. Returns it as it is, typed by its schema. */
export function defineReporter<Options>(
  definition: ReporterDefinition<Options>,
): ReporterDefinition<Options> {
  return definition;
}
