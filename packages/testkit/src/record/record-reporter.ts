import type { CaseResult, ReporterDefinition, RunEvent } from "@turnwise/core";

/** A reporter that writes nothing and remembers everything. */
export interface RecordingReporter extends ReporterDefinition<never> {
  /** Every event, in order. */
  readonly events: readonly RunEvent[];
  /** The results of finished cases, in order. */
  readonly results: readonly CaseResult[];
  /** It was told that nothing more comes. */
  readonly ended: boolean;
}

/** Makes a reporter for tests. */
export function recordReporter(name: string): RecordingReporter {
  const events: RunEvent[] = [];
  const results: CaseResult[] = [];
  let ended = false;
  return {
    name,
    events,
    results,
    get ended() {
      return ended;
    },
    create: () => ({
      onEvent(event) {
        events.push(event);
        if (event.type === "case-end") results.push(event.result);
      },
      end() {
        ended = true;
      },
    }),
  };
}
