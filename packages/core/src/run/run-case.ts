import { randomUUID } from "node:crypto";
import type { Detector } from "../awaiting/detection.js";
import type { PrepareOptions, PreparedCase } from "../case/prepare-case.js";
import type { TestCase } from "../case/test-case.js";
import type { Agent, AgentLike } from "../contract/agent.js";
import type { MissingInputPolicy } from "../contract/config.js";
import type { RunEvent } from "../contract/event.js";
import type { Problem } from "../problem.js";
import type { LazyPlugin } from "../contract/plugin.js";
import type { CaseResult } from "../contract/result.js";
import type { Duration } from "../duration.js";
import type { Project } from "../project/project.js";
import type { Mask } from "./mask.js";
import { detectAwaitingInput } from "../awaiting/detect.js";
import { prepareCase } from "../case/prepare-case.js";
import { originOf } from "../case/test-case.js";
import { isAgentLike, toAgent } from "../contract/to-agent.js";
import { interruptionOf, within } from "../conversation/deadline.js";
import { runConversation } from "../conversation/run-conversation.js";
import { parseDuration } from "../duration.js";
import { AuthorError, InvalidCaseError, TurnwiseError, errorMessage } from "../errors.js";
import { projectOfPlugins } from "../project/project.js";
import { normaliseOrThrow } from "../source/load-suite.js";
import { createMask } from "./mask.js";
import { ReporterQueue } from "./reporter-queue.js";

/** Limits and policies that win over those of the cases. */
export interface RunLimits {
  /** Cases at once. Default 1. */
  readonly parallel?: number;
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
  const run: CaseRun = {
    ...options,
    limits: checkLimits(options.limits),
    project,
    mask: createMask(project.secrets),
    agents: new Map(),
    onEvent: (event) => queue.send(event),
  };
  const normalised = normaliseOrThrow(testCase);
  const { prepared, problems } = await prepareCase(
    normalised.testCase,
    project,
    prepareOptionsOf(options.agent),
  );
  if (prepared === undefined) throw new InvalidCaseError(problems);
  const result = await runPrepared(prepared, run, [...normalised.problems, ...problems]);
  if (queue.error !== undefined) throw new AuthorError(`onEvent threw: ${queue.error}`);
  return result;
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
  const { parallel, timeout, turnTimeout } = limits;
  if (parallel !== undefined && (!Number.isSafeInteger(parallel) || parallel < 1))
    throw new AuthorError(
      `limits.parallel: expected a whole number of at least 1, got ${parallel}`,
    );
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
}

const fallback = { timeout: 300_000, turnTimeout: 120_000 };

/** Runs a prepared case. Never throws. `problems` are warnings about the case, for its row. */
export async function runPrepared(
  prepared: PreparedCase,
  run: CaseRun,
  problems: readonly Problem[] = [],
): Promise<CaseResult> {
  const { testCase } = prepared;
  const now = run.now ?? (() => performance.now());
  const trial = run.trial ?? 1;
  const place = { id: testCase.id, trial, attempt: 1 };
  const emit = (event: RunEvent): void => {
    void run.onEvent?.(run.mask(event));
  };
  const started = now();
  const base = rowOf(prepared, run, trial);
  emit({
    type: "case-start",
    ...place,
    ...(base.name === undefined ? {} : { name: base.name }),
    ...(base.agent === undefined ? {} : { agent: base.agent }),
  });
  const rest = await restOfRow(prepared, run, now, (event) => emit({ ...event, ...place }));
  const warnings = [
    ...problems.map(({ code, message }) => ({ code, message })),
    ...(rest.warnings ?? []),
  ];
  // The order of the fields is the order in which people read them.
  const { id, name, ...more } = base;
  const result: CaseResult = run.mask({
    id,
    ...(name === undefined ? {} : { name }),
    ...rest,
    ...(warnings.length === 0 ? {} : { warnings }),
    duration_ms: Math.round((now() - started) * 1_000) / 1_000,
    ...more,
  });
  await run.onEvent?.({ type: "case-end", ...run.mask(place), result });
  return result;
}

type RestOfRow = Pick<CaseResult, "status" | "turns" | "final_assertions" | "total_turns"> &
  Partial<CaseResult>;

async function restOfRow(
  prepared: PreparedCase,
  run: CaseRun,
  now: () => number,
  emit: Parameters<typeof runConversation>[1]["emit"],
): Promise<RestOfRow> {
  const { skip } = prepared.testCase;
  const empty = { turns: [], final_assertions: [], total_turns: 0 };
  if (skip !== undefined && skip !== false)
    return {
      status: "skipped",
      ...empty,
      skip_reason: skip === true ? "skipped by the test case" : skip,
    };
  try {
    return await converse(prepared, run, now, emit);
  } catch (error) {
    // One broken case never takes the run down.
    if (interruptionOf(error)?.kind === "cancelled")
      return { status: "skipped", ...empty, skip_reason: "cancelled" };
    return {
      status: "error",
      ...empty,
      error: errorMessage(error),
      blame: TurnwiseError.isInstance(error) ? error.blame : "author",
    };
  }
}

async function converse(
  prepared: PreparedCase,
  run: CaseRun,
  now: () => number,
  emit: Parameters<typeof runConversation>[1]["emit"],
): Promise<RestOfRow> {
  const { testCase } = prepared;
  const { defaults } = run.project.config;
  const limits = run.limits ?? {};
  const timeout = milliseconds(
    limits.timeout,
    testCase.timeout,
    defaults?.timeout,
    fallback.timeout,
  );
  let agent: Agent;
  try {
    agent =
      knownAgent(prepared, run) ??
      (await within("case", timeout, () => makeAgent(prepared, run), run.signal));
  } catch (error) {
    if (interruptionOf(error)?.kind === "cancelled") throw error;
    const blame = TurnwiseError.isInstance(error) ? error.blame : "author";
    const message = `the agent cannot be made: ${errorMessage(error)}`;
    throw new TurnwiseError(message, { code: "agent_not_made", blame, cause: error });
  }
  const sessionId = run.newSessionId?.() ?? randomUUID();
  const outcome = await runConversation(prepared, {
    agent,
    detector: run.detector ?? ((reply) => detectAwaitingInput(reply)),
    sessionId,
    timeout,
    turnTimeout: milliseconds(
      limits.turnTimeout,
      testCase.turn_timeout,
      defaults?.turn_timeout,
      fallback.turnTimeout,
    ),
    turnTimeoutWins: limits.turnTimeout !== undefined,
    onMissingInput:
      limits.onMissingInput ?? testCase.on_missing_input ?? defaults?.on_missing_input ?? "skip",
    signal: run.signal,
    root: run.project.root,
    now,
    emit,
  });
  const { verdict } = outcome;
  return {
    status: verdict.status,
    turns: outcome.turns,
    final_assertions: outcome.finalAssertions,
    total_turns: outcome.totalTurns,
    session_id: sessionId,
    ...(verdict.error === undefined ? {} : { error: verdict.error }),
    ...(verdict.blame === undefined ? {} : { blame: verdict.blame }),
    ...(verdict.skipReason === undefined ? {} : { skip_reason: verdict.skipReason }),
    ...(outcome.state === undefined ? {} : { state: outcome.state }),
    ...(outcome.usage === undefined ? {} : { usage: outcome.usage }),
    ...(outcome.warnings.length === 0 ? {} : { warnings: outcome.warnings }),
  };
}

/** The agent, if it is there already: most cases find one that an earlier case has made. */
function knownAgent(prepared: PreparedCase, run: CaseRun): Agent | undefined {
  if (isAgentLike(run.agent)) return toAgent(run.agent, "agent");
  return prepared.target === undefined ? undefined : run.agents.get(prepared.target);
}

async function makeAgent({ target }: PreparedCase, run: CaseRun): Promise<Agent> {
  if (target === undefined) throw new AuthorError("no agent to test");
  const agent = await run.project.agent(target);
  run.agents.set(target, agent);
  return agent;
}

function rowOf(
  prepared: PreparedCase,
  run: CaseRun,
  trial: number,
): Pick<CaseResult, "id" | "started_at" | "run_id" | "trial"> & Partial<CaseResult> {
  const { testCase } = prepared;
  const origin = originOf(testCase) ?? {};
  const agent = isAgentLike(run.agent) ? "agent" : prepared.target;
  return {
    id: testCase.id,
    ...(testCase.name === undefined ? {} : { name: testCase.name }),
    ...(agent === undefined ? {} : { agent }),
    run_id: run.runId ?? randomUUID(),
    trial,
    started_at: (run.date?.() ?? new Date()).toISOString(),
    ...(origin.file === undefined ? {} : { file: origin.file }),
    ...(origin.line === undefined ? {} : { line: origin.line }),
    ...(testCase.tags === undefined ? {} : { tags: [...testCase.tags] }),
  };
}

function milliseconds(...candidates: (Duration | undefined)[]): number {
  return parseDuration(candidates.find((candidate) => candidate !== undefined));
}
