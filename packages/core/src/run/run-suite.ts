import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { TestCase } from "../case/test-case.js";
import type { RunEvent } from "../contract/event.js";
import type { CaseResult, RunSummary } from "../contract/result.js";
import type { Problem } from "../problem.js";
import type { Suite } from "../source/suite.js";
import type { CaseRun, RunCaseOptions } from "./run-case.js";
import type { ReporterUse } from "./reporter-queue.js";
import { isAgentLike } from "../contract/to-agent.js";
import { defaultTarget, prepareCase } from "../case/prepare-case.js";
import { InvalidCaseError, SuiteChangedError } from "../errors.js";
import { formatProblem } from "../problem.js";
import { projectOfPlugins } from "../project/project.js";
import { suiteOfCases } from "../source/load-suite.js";
import { createMask } from "./mask.js";
import { checkLimits, prepareOptionsOf, runPrepared } from "./run-case.js";
import { ReporterQueue } from "./reporter-queue.js";

/** How to run many cases. */
export interface RunSuiteOptions extends Omit<RunCaseOptions, "trial"> {
  /** Cases that `loadSuite` has checked. */
  readonly suite?: Suite;
  /** Or cases of a harness, as they stand in files. They are held in memory. */
  readonly cases?: Iterable<unknown> | AsyncIterable<unknown>;
  readonly reporters?: readonly ReporterUse[];
}

/**
 * Runs cases in parallel and reports each as soon as it is finished. At most `limits.parallel` conversations are alive
 * at any time, and no result is kept.
 * @throws InvalidCaseError if a case given as `cases` is not valid (nothing has run then).
 * @throws AuthorError if a reporter cannot start (nothing has run then).
 * @throws SuiteChangedError if a file changed during the run; what was finished has been reported.
 */
export async function runSuite(options: RunSuiteOptions): Promise<RunSummary> {
  const project =
    options.project ?? options.suite?.project ?? (await projectOfPlugins(options.plugins ?? []));
  const limits = checkLimits(options.limits);
  const prepareOptions = prepareOptionsOf(options.agent);
  const suite = options.suite ?? (await heldSuite(options, { project, ...prepareOptions }));
  const now = options.now ?? (() => performance.now());
  const runId = options.runId ?? randomUUID();
  // More places than cases would only cost memory.
  const parallel = Math.min(
    limits.parallel ?? project.config.defaults?.parallel ?? 1,
    Math.max(1, suite.count),
  );
  const mask = createMask(project.secrets);
  const queues = await ReporterQueue.openAll(options.reporters ?? [], project);
  if (options.onEvent !== undefined)
    queues.push(ReporterQueue.of("onEvent", { onEvent: options.onEvent }));
  /** Hands an event that was masked to everybody. Resolves when all have dealt with it. */
  const publish = async (event: RunEvent): Promise<void> => {
    await Promise.all(queues.map((queue) => queue.send(event)));
  };

  const started = now();
  const tally = new Tally();
  const agent = isAgentLike(options.agent) ? "agent" : (options.agent ?? defaultTarget(project));
  void publish({
    type: "run-start",
    run_id: runId,
    started_at: (options.date?.() ?? new Date()).toISOString(),
    ...(agent === undefined ? {} : { agent }),
    inputs: mask(suite.inputs),
    total: suite.count,
    parallel,
  });

  const run: CaseRun = {
    ...options,
    limits,
    project,
    mask,
    runId,
    agents: new Map(),
    onEvent: publish,
  };
  const runOne = async (testCase: TestCase): Promise<void> => {
    const { prepared, problems } = await prepareCase(testCase, project, prepareOptions);
    if (prepared === undefined)
      throw new SuiteChangedError(testCase.id, problems[0]?.message ?? "it is not valid any more");
    tally.add(await runPrepared(prepared, run));
  };
  let failure: unknown;
  try {
    await inParallel(suite, parallel, runOne, () => options.signal?.aborted === true);
  } catch (error) {
    failure = error;
  }
  const summary = tally.summary({
    runId,
    count: suite.count,
    durationMs: Math.round(now() - started),
    interrupted: options.signal?.aborted === true,
    // Those of a suite that was loaded have been seen by whoever loaded it.
    problems: options.suite === undefined ? suite.warnings : [],
    reporterErrors: () =>
      queues
        .filter((queue) => queue.error !== undefined)
        .map((queue) => ({ reporter: queue.name, message: queue.error! })),
  });
  await publish({ type: "run-end", run_id: runId, summary: summary() });
  await Promise.all(queues.map((queue) => queue.end()));
  if (failure !== undefined) throw failure;
  // Once more: a reporter may have failed over the summary itself.
  return summary();
}

async function heldSuite(
  options: RunSuiteOptions,
  suiteOptions: Parameters<typeof suiteOfCases>[1],
): Promise<Suite> {
  const loaded = await suiteOfCases(options.cases ?? [], suiteOptions);
  if (loaded.suite === undefined) throw new InvalidCaseError(loaded.problems);
  return loaded.suite;
}

/** How long cases may keep the event loop to themselves, in milliseconds. */
const longestStretch = 50;

/** Runs `work` over a stream with so many at once, taking the next item only when a place is free. */
async function inParallel<T>(
  items: AsyncIterable<T>,
  parallel: number,
  work: (item: T) => Promise<void>,
  stopped: () => boolean,
): Promise<void> {
  const iterator = items[Symbol.asyncIterator]();
  let failed = false;
  let yielded = performance.now();
  const worker = async (): Promise<void> => {
    while (!failed && !stopped()) {
      const next = await iterator.next();
      if (next.done === true || stopped()) return;
      try {
        await work(next.value);
        // Agents that answer at once would keep timers and signals waiting for the whole run.
        if (performance.now() - yielded > longestStretch) {
          await setImmediate();
          yielded = performance.now();
        }
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const results = await Promise.allSettled(Array.from({ length: parallel }, worker));
  await iterator.return?.();
  const rejected = results.find((result) => result.status === "rejected");
  if (rejected !== undefined) throw rejected.reason;
}

/** Counts results as they come, so that none has to be kept. */
class Tally {
  private readonly counts = { passed: 0, failed: 0, error: 0, skipped: 0 };
  private flaky = 0;
  private warned = 0;
  private turns = 0;

  add(result: CaseResult): void {
    this.counts[result.status]++;
    if (result.flaky === true) this.flaky++;
    if (result.warnings !== undefined) this.warned++;
    this.turns += result.total_turns;
  }

  summary(facts: {
    runId: string;
    count: number;
    durationMs: number;
    interrupted: boolean;
    problems: readonly Problem[];
    reporterErrors: () => RunSummary["reporter_errors"];
  }): () => RunSummary {
    const { passed, failed, error, skipped } = this.counts;
    const total = passed + failed + error + skipped;
    return () => ({
      run_id: facts.runId,
      total,
      passed,
      failed,
      errors: error,
      skipped,
      flaky: this.flaky,
      not_run: facts.count - total,
      trials: { total, passed },
      total_turns: this.turns,
      duration_ms: facts.durationMs,
      interrupted: facts.interrupted,
      warnings: [
        ...facts.problems.map((problem) => ({
          code: problem.code,
          message: formatProblem(problem),
        })),
        ...(total > 0 && skipped === total && !facts.interrupted
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
