import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { RunEvent } from "../contract/event.js";
import type { RunSummary } from "../contract/result.js";
import type { Suite } from "../source/suite.js";
import type { CaseRun, RunCaseOptions } from "./run-case.js";
import type { ReporterUse } from "./reporter-queue.js";
import { isAgentLike } from "../contract/to-agent.js";
import { defaultTarget } from "../case/target-of.js";
import { hooksOf } from "../case/prepare-hooks.js";
import { AuthorError, InvalidCaseError } from "../errors.js";
import { firstHookFailure } from "../script/run-hooks.js";
import { projectOfPlugins } from "../project/project.js";
import { Places } from "../places.js";
import { suiteOfCases } from "../source/load-suite.js";
import { createMask } from "./mask.js";
import { checkLimits, holdAgents, prepareOptionsOf, runPrepared } from "./run-case.js";
import { ReporterQueue } from "./reporter-queue.js";
import { Tally } from "./tally.js";
import type { TrialToRun } from "./trials.js";
import { trialsOf } from "./trials.js";

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
 * @throws AuthorError if a reporter cannot start, or a hook before the run fails (nothing has run then).
 * @throws SuiteChangedError if a file changed during the run; what was finished has been reported.
 */
export async function runSuite(options: RunSuiteOptions): Promise<RunSummary> {
  const project =
    options.project ?? options.suite?.project ?? (await projectOfPlugins(options.plugins ?? []));
  const checkedFor = options.suite?.checkedFor ?? {};
  const target = options.agent ?? checkedFor.agent ?? undefined;
  if (target === undefined && checkedFor.agent === null)
    throw new AuthorError('the suite was checked for an agent of the caller: pass it as "agent"');
  const {
    connector = checkedFor.connector,
    simulator = checkedFor.simulator,
    interactive = checkedFor.interactive,
  } = options;
  const limits = checkLimits({
    ...(checkedFor.maxTurns === undefined ? {} : { maxTurns: checkedFor.maxTurns }),
    ...options.limits,
  });
  const prepareOptions = {
    ...prepareOptionsOf(target),
    maxTurns: limits.maxTurns,
    connector,
    simulator,
    interactive,
  };
  const suite = options.suite ?? (await heldSuite(options, { project, ...prepareOptions }));
  const now = options.now ?? (() => performance.now());
  const runId = options.runId ?? randomUUID();
  const parallel = limits.parallel ?? project.config.defaults?.parallel ?? 1;
  const mask = createMask(project.secrets);
  const { hooks } = project.config;
  const unready = await firstHookFailure(hooksOf(hooks?.before), {}, project, options.signal);
  if (unready !== undefined && !unready.cancelled)
    throw new AuthorError(`nothing was run: ${unready.message}`);
  const queues = await ReporterQueue.openAll(options.reporters ?? [], project);
  if (options.onEvent !== undefined)
    queues.push(ReporterQueue.of("onEvent", { onEvent: options.onEvent }));
  /** Hands an event that was masked to everybody. Resolves when all have dealt with it; undefined if they have. */
  const publish = (event: RunEvent): Promise<unknown> | undefined => {
    let waiting: Promise<unknown>[] | undefined;
    for (const queue of queues) {
      const done = queue.send(event);
      if (done !== undefined) (waiting ??= []).push(done);
    }
    return waiting && Promise.all(waiting);
  };

  const started = now();
  const tally = new Tally();
  tally.addUsage(suite.usage);
  const agent = isAgentLike(target) ? "agent" : (target ?? defaultTarget(project));
  void publish({
    type: "run-start",
    run_id: runId,
    started_at: (options.date?.() ?? new Date()).toISOString(),
    ...(agent === undefined ? {} : { agent }),
    inputs: mask(suite.inputs),
    total: suite.count,
    parallel,
  });

  const stop = stopOf(options.signal);
  const run: CaseRun = {
    ...options,
    ...(target === undefined ? {} : { agent: target }),
    connector,
    simulator,
    interactive,
    limits,
    project,
    mask,
    runId,
    agents: new Map(),
    prompts: new Places(1),
    signal: stop.signal,
    onEvent: publish,
  };
  const release = holdAgents(run);
  let failedFast = false;
  const runOne = async ({ prepare, trial, trials }: TrialToRun): Promise<void> => {
    const result = await runPrepared(await prepare(), run, { trial, trials });
    tally.add(result);
    if (limits.failFast !== true || (result.status !== "failed" && result.status !== "error"))
      return;
    failedFast = true;
    stop.now();
  };
  let failure: unknown;
  try {
    const trials = trialsOf(suite, { project, repeat: limits.repeat, ...prepareOptions });
    await inParallel(trials, parallel, runOne, () => stop.signal.aborted);
  } catch (error) {
    failure = error;
  } finally {
    stop.dispose();
    await release();
  }
  const hookErrors: { hook: string; message: string }[] = [];
  const summary = tally.summary({
    runId,
    count: suite.count,
    durationMs: Math.round(now() - started),
    interrupted: options.signal?.aborted === true,
    failedFast,
    hookErrors,
    // Those of a suite that was loaded have been seen by whoever loaded it.
    problems: options.suite === undefined ? suite.warnings : [],
    reporterErrors: () =>
      queues
        .filter((queue) => queue.error !== undefined)
        .map((queue) => ({ reporter: queue.name, message: queue.error! })),
  });
  const failed = await firstHookFailure(hooksOf(hooks?.after), { summary: summary() }, project);
  if (failed !== undefined) hookErrors.push({ hook: failed.hook, message: failed.message });
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

/** A signal that the caller can abort, and so can the run itself. */
function stopOf(outer: AbortSignal | undefined): {
  readonly signal: AbortSignal;
  readonly now: () => void;
  readonly dispose: () => void;
} {
  const controller = new AbortController();
  const now = (): void => controller.abort();
  if (outer?.aborted === true) now();
  outer?.addEventListener("abort", now, { once: true });
  return {
    signal: controller.signal,
    now,
    dispose: () => outer?.removeEventListener("abort", now),
  };
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
  const workers: Promise<void>[] = [];
  let over = false;
  let failure: { readonly error: unknown } | undefined;
  let yielded = performance.now();
  /** A worker is started when the one before it has found something to do: there may be more places than work. */
  const start = (): void => {
    if (workers.length < parallel && !over) workers.push(worker());
  };
  const worker = async (): Promise<void> => {
    try {
      for (;;) {
        if (over || stopped()) break;
        const next = await iterator.next();
        if (next.done === true || stopped()) break;
        start();
        await work(next.value);
        // Agents that answer at once would keep timers and signals waiting for the whole run.
        if (performance.now() - yielded > longestStretch) {
          await setImmediate();
          yielded = performance.now();
        }
      }
    } catch (error) {
      failure ??= { error };
    } finally {
      over = true;
    }
  };
  start();
  // The list grows while we wait.
  for (let index = 0; index < workers.length; index++) await workers[index];
  await iterator.return?.();
  if (failure !== undefined) throw failure.error;
}
