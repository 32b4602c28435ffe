import { randomUUID } from "node:crypto";
import type { Detector } from "../awaiting/detection.js";
import type { PrepareOptions, PreparedCase } from "../case/prepare-case.js";
import type { TestCase } from "../case/test-case.js";
import type { Agent, AgentLike } from "../contract/agent.js";
import type { MissingInputPolicy } from "../contract/config.js";
import type { RunEvent } from "../contract/event.js";
import type { Human } from "../contract/human.js";
import type { Problem } from "../problem.js";
import type { LazyPlugin } from "../contract/plugin.js";
import type { AttemptResult, CaseResult } from "../contract/result.js";
import type { Duration } from "../duration.js";
import type { Project } from "../project/project.js";
import type { Mask } from "./mask.js";
import { prepareCase } from "../case/prepare-case.js";
import { originOf } from "../case/test-case.js";
import { isAgentLike } from "../contract/to-agent.js";
import { failedByHand } from "../conversation/next-turn.js";
import { parseDuration } from "../duration.js";
import { Places } from "../places.js";
import { AuthorError, InvalidCaseError, errorMessage } from "../errors.js";
import { projectOfPlugins } from "../project/project.js";
import { normaliseOrThrow } from "../source/load-suite.js";
import { createMask } from "./mask.js";
import type { AttemptOutcome } from "./run-attempt.js";
import { runAttempt } from "./run-attempt.js";
import { holdAgent, releaseAgents } from "./release-agents.js";
import { ReporterQueue } from "./reporter-queue.js";

/** Limits and policies that win over those of the cases. */
export interface RunLimits {
  /** Conversations at once: trials of cases. Default 1. */
  readonly parallel?: number;
  /** Independent repetitions of each case, which all have to pass. Default 1. `runCase` runs one. */
  readonly repeat?: number;
  /** How often a trial that failed, or that broke for a reason that is not the author's, is run again. Default 0. */
  readonly retries?: number;
  /** Ends the run at the first trial that failed or broke: running ones are cancelled, no more are started. */
  readonly failFast?: boolean;
  /** Turns after which a simulator or human is not asked for another one. */
  readonly maxTurns?: number;
  /** Bounds one conversation. Default 5m. */
  readonly timeout?: Duration;
  /** Bounds one turn. Default 2m. */
  readonly turnTimeout?: Duration;
  /** What to do when the agent waits and the script is over. Default `skip`. */
  readonly onMissingInput?: MissingInputPolicy;
}

/** How to run a case. */
export interface RunCaseOptions {
  /** The agent to test, or its id in the project. Default: what the case or the config says. */
  readonly agent?: AgentLike | string;
  readonly project?: Project;
  /** Used when there is no project. */
  readonly plugins?: readonly LazyPlugin[];
  readonly limits?: RunLimits;
  /** Connector of the target, over that of cases and config. */
  readonly connector?: string | undefined;
  /** Reference of the simulator of cases that have none and do not say that they are of a single turn. */
  readonly simulator?: string | undefined;
  /** Who is asked what to say. Without it interactive cases do as `on_missing_input` says. */
  readonly human?: Human;
  /**
   * `true`: the human is asked in all cases that do not say that they are of a single turn. `false`: nobody is asked, and
   * cases that want it are skipped. Default: in cases with `interactive.enabled`.
   */
  readonly interactive?: boolean | undefined;
  /** Replaces `detectAwaitingInput`. */
  readonly detector?: Detector;
  /** Cancels: the case ends as skipped, `cancelled`. */
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: RunEvent) => unknown;
  readonly runId?: string;
  /** 1-based. Default 1. */
  readonly trial?: number;
  /** Makes session ids. Default: random UUIDs. */
  readonly newSessionId?: () => string;
  /** Monotonic milliseconds. Default: `performance.now`. */
  readonly now?: () => number;
  /** Wall clock. Default: the system's. */
  readonly date?: () => Date;
}

/**
 * Runs one trial of one case and returns its result. Takes a case as it stands in a file, too.
 * @throws InvalidCaseError if the raw case is not valid. What goes wrong while it runs is in the result.
 * @throws AuthorError if `onEvent` threw; the case has run to its end then.
 */
export async function runCase(
  testCase: TestCase | Readonly<Record<string, unknown>>,
  options: RunCaseOptions = {},
): Promise<CaseResult> {
  const project = options.project ?? (await projectOfPlugins(options.plugins ?? []));
  const queue = ReporterQueue.of("onEvent", {
    onEvent: (event) => options.onEvent?.(event),
  });
  const limits = checkLimits(options.limits);
  const normalised = normaliseOrThrow(testCase);
  const { prepared, problems } = await prepareCase(normalised.testCase, project, {
    ...prepareOptionsOf(options.agent),
    maxTurns: options.limits?.maxTurns,
    connector: options.connector,
    simulator: options.simulator,
    interactive: options.interactive,
  });
  if (prepared === undefined) throw new InvalidCaseError(problems);
  const run: CaseRun = {
    ...options,
    limits,
    project,
    mask: createMask(project.secrets),
    agents: new Map(),
    prompts: new Places(1),
    onEvent: (event) => queue.send(event),
  };
  const release = holdAgents(run);
  const result = await runPrepared(prepared, run, {
    trial: options.trial ?? 1,
    trials: 1,
    problems: [...normalised.problems, ...problems],
  });
  await release();
  if (queue.error !== undefined) throw new AuthorError(`onEvent threw: ${queue.error}`);
  return result;
}

/** Holds the agent of the harness, if it brings one. The function returned lets go of it and of all others. */
export function holdAgents({ agent, agents }: CaseRun): () => Promise<void> {
  const own = isAgentLike(agent) ? [agent] : [];
  own.forEach(holdAgent);
  return () => releaseAgents([...own, ...agents.values()]);
}

/** How cases are prepared for this agent. */
export function prepareOptionsOf(agent: AgentLike | string | undefined): PrepareOptions {
  if (agent === undefined) return {};
  return { agent: isAgentLike(agent) ? null : agent };
}

/**
 * Limits with durations in milliseconds.
 * @throws AuthorError if one is out of range.
 */
export function checkLimits(limits: RunLimits = {}): RunLimits {
  const { timeout, turnTimeout } = limits;
  for (const [name, least] of [
    ["parallel", 1],
    ["repeat", 1],
    ["retries", 0],
    ["maxTurns", 1],
  ] as const) {
    const value = limits[name];
    if (value !== undefined && (!Number.isSafeInteger(value) || value < least))
      throw new AuthorError(
        `limits.${name}: expected a whole number of at least ${least}, got ${value}`,
      );
  }
  try {
    return {
      ...limits,
      ...(timeout === undefined ? {} : { timeout: parseDuration(timeout) }),
      ...(turnTimeout === undefined ? {} : { turnTimeout: parseDuration(turnTimeout) }),
    };
  } catch (error) {
    throw new AuthorError(`limits: ${errorMessage(error)}`, { cause: error });
  }
}

/** What all cases of a run share. */
export interface CaseRun extends RunCaseOptions {
  readonly project: Project;
  readonly mask: Mask;
  /** Agents made so far, by id. */
  readonly agents: Map<string, Agent>;
  /** The place in front of the human. */
  readonly prompts: Places;
}

/** Which trial of a case is run. */
export interface Trial {
  /** 1-based. */
  readonly trial: number;
  /** How many the case has. */
  readonly trials: number;
  /** Warnings about the case, for its row. */
  readonly problems?: readonly Problem[];
}

/** Runs one trial of a prepared case, with its retries. Never throws. */
export async function runPrepared(
  prepared: PreparedCase,
  run: CaseRun,
  { trial, trials, problems = [] }: Trial,
): Promise<CaseResult> {
  const { id } = prepared.testCase;
  const now = run.now ?? (() => performance.now());
  const retries =
    run.limits?.retries ?? prepared.testCase.retries ?? run.project.config.defaults?.retries ?? 0;
  const emit = (event: RunEvent): void => {
    void run.onEvent?.(run.mask(event));
  };
  const facts = factsOf(prepared, run, { trial, trials });
  emit({
    type: "case-start",
    id,
    trial,
    attempt: 1,
    ...(facts.name === undefined ? {} : { name: facts.name }),
    ...(facts.agent === undefined ? {} : { agent: facts.agent }),
  });
  const attempts: AttemptResult[] = [];
  for (let attempt = 1; ; attempt++) {
    const place = { id, trial, attempt };
    const startedAt = (run.date?.() ?? new Date()).toISOString();
    const started = now();
    const outcome =
      skippedByCase(prepared) ??
      (await runAttempt(prepared, run, {
        now,
        emit: (event) => emit(Object.assign(event, place) as RunEvent),
        facts,
      }));
    const duration = Math.round((now() - started) * 1_000) / 1_000;
    if (attempt <= retries && run.signal?.aborted !== true && isWorthRetrying(outcome)) {
      attempts.push(earlierAttempt(attempt, outcome, duration));
      continue;
    }
    const warnings = [
      ...problems
        .filter(({ code }) => code !== "unverified_goal")
        .map(({ code, message }) => ({ code, message })),
      ...(outcome.warnings ?? []),
    ];
    // The order of the fields is the order in which people read them.
    const { name, ...more } = facts;
    const result: CaseResult = run.mask({
      id,
      ...(name === undefined ? {} : { name }),
      ...outcome,
      ...(warnings.length === 0 ? {} : { warnings }),
      duration_ms: duration,
      ...more,
      started_at: startedAt,
      ...(attempts.length === 0 ? {} : { attempts }),
      ...(attempts.length > 0 && outcome.status === "passed" ? { flaky: true as const } : {}),
    });
    await run.onEvent?.({ type: "case-end", ...run.mask(place), result });
    return result;
  }
}

function skippedByCase({ testCase: { skip } }: PreparedCase): AttemptOutcome | undefined {
  if (skip === undefined || skip === false) return undefined;
  return {
    status: "skipped",
    turns: [],
    final_assertions: [],
    total_turns: 0,
    skip_reason: skip === true ? "skipped by the test case" : skip,
  };
}

/** A mistake of the author is the same every time, and a person need not say twice that it is not good enough. */
function isWorthRetrying({ status, blame, error }: AttemptOutcome): boolean {
  if (error?.startsWith(failedByHand) === true) return false;
  return (status === "failed" || status === "error") && blame !== "author";
}

function earlierAttempt(
  attempt: number,
  { session_id, status, error, blame, turns, usage }: AttemptOutcome,
  duration: number,
): AttemptResult {
  return {
    attempt,
    ...(session_id === undefined ? {} : { session_id }),
    status,
    ...(error === undefined ? {} : { error }),
    ...(blame === undefined ? {} : { blame }),
    turns,
    ...(usage === undefined ? {} : { usage }),
    duration_ms: duration,
  };
}

/** What is known of a row before it is run. */
function factsOf(
  { testCase, target, simulator }: PreparedCase,
  run: CaseRun,
  { trial, trials }: Trial,
): Pick<CaseResult, "run_id" | "trial"> & Partial<CaseResult> {
  const origin = originOf(testCase) ?? {};
  const agent = isAgentLike(run.agent) ? "agent" : target;
  return {
    ...(testCase.name === undefined ? {} : { name: testCase.name }),
    ...(agent === undefined ? {} : { agent }),
    ...(simulator?.kind === "role" ? { simulator: simulator.use } : {}),
    run_id: run.runId ?? randomUUID(),
    trial,
    ...(trials > 1 ? { trials } : {}),
    ...(origin.file === undefined ? {} : { file: origin.file }),
    ...(origin.line === undefined ? {} : { line: origin.line }),
    ...(testCase.tags === undefined ? {} : { tags: [...testCase.tags] }),
  };
}
