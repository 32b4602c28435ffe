import { randomUUID } from "node:crypto";
import type { PreparedCase } from "../case/prepare-case.js";
import type { Agent } from "../contract/agent.js";
import type { CaseResult } from "../contract/result.js";
import type { HookResult } from "../contract/script.js";
import type { Duration } from "../duration.js";
import type { CaseRun } from "./run-case.js";
import type { Detector } from "../awaiting/detection.js";
import { askingDetector } from "../awaiting/ask-agent.js";
import { detectAwaitingInput } from "../awaiting/detect.js";
import { isAgentLike, toAgent } from "../contract/to-agent.js";
import { interruptionOf, within } from "../conversation/deadline.js";
import { runConversation } from "../conversation/run-conversation.js";
import { parseDuration } from "../duration.js";
import { RoleCaller } from "../role/call-role.js";
import { hooksOf } from "../case/prepare-hooks.js";
import { runHooks } from "../script/run-hooks.js";
import { heldAgent } from "./release-agents.js";
import { AuthorError, TurnwiseError, errorMessage } from "../errors.js";

const fallback = { timeout: 300_000, turnTimeout: 120_000 };

/** What one conversation adds to the row of its case. */
export type AttemptOutcome = Pick<
  CaseResult,
  "status" | "turns" | "final_assertions" | "total_turns"
> &
  Partial<CaseResult>;

/** What an attempt needs beside its case and its run. */
export interface AttemptSettings {
  readonly now: () => number;
  readonly emit: Parameters<typeof runConversation>[1]["emit"];
  /** What is known of the row before it is run. */
  readonly facts: Pick<CaseResult, "run_id" | "trial"> & Partial<CaseResult>;
}

/** Runs one conversation between its hooks. Never throws. */
export async function runAttempt(
  prepared: PreparedCase,
  run: CaseRun,
  { now, emit, facts }: AttemptSettings,
): Promise<AttemptOutcome> {
  const { testCase } = prepared;
  const { hooks } = run.project.config;
  const before = [...hooksOf(hooks?.before_each), ...(testCase.before ?? [])];
  const after = [...(testCase.after ?? []), ...hooksOf(hooks?.after_each)];
  if (before.length === 0 && after.length === 0) return runWithAgent(prepared, run, now, emit);
  const failed = await runHooks(before, { case: testCase }, run.project, run.signal);
  const outcome = failed ?? (await runWithAgent(prepared, run, now, emit));
  // What was set up is cleaned up, whatever came of it, also when the run was cancelled.
  const result: HookResult = { id: testCase.id, ...facts, ...outcome };
  return afterHooks(outcome, await runHooks(after, { case: testCase, result }, run.project));
}

/** A hook that fails is a mistake of the author, which a pass does not outweigh and a failure does. */
function afterHooks(outcome: AttemptOutcome, failed: AttemptOutcome | undefined): AttemptOutcome {
  if (failed === undefined) return outcome;
  const { error, blame } = failed;
  if (
    outcome.status === "failed" ||
    outcome.status === "error" ||
    outcome.skip_reason === "cancelled"
  ) {
    const warning = { code: "hook_failed", message: error! };
    return { ...outcome, warnings: [...(outcome.warnings ?? []), warning] };
  }
  const { skip_reason: _, ...rest } = outcome;
  return { ...rest, status: "error", error: error!, blame: blame! };
}

/** Makes the agent if need be, and runs one conversation with it. Never throws. */
async function runWithAgent(
  prepared: PreparedCase,
  run: CaseRun,
  now: () => number,
  emit: Parameters<typeof runConversation>[1]["emit"],
): Promise<AttemptOutcome> {
  const empty = { turns: [], final_assertions: [], total_turns: 0 };
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
): Promise<AttemptOutcome> {
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
  const { project } = run;
  const roles = new RoleCaller({
    project,
    agent: (id) => heldAgent(id, run),
    testId: testCase.id,
    now,
    emit,
  });
  const outcome = await runConversation(prepared, {
    agent,
    helpers: {
      roles,
      runScript: (reference, data, signal) => project.runScript(reference, data, signal),
    },
    human: { human: run.human, disabled: run.interactive === false, prompts: run.prompts },
    detector: run.detector ?? (await detectorOf(prepared, run)),
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
    ...outcome.progress,
    ...outcome.simulated,
    ...(outcome.state === undefined ? {} : { state: outcome.state }),
    ...(outcome.usage === undefined ? {} : { usage: outcome.usage }),
    ...(outcome.warnings.length === 0 ? {} : { warnings: outcome.warnings }),
  };
}

async function detectorOf(
  { detection, detectingAgent }: PreparedCase,
  run: CaseRun,
): Promise<Detector> {
  if (detectingAgent === undefined) return (reply) => detectAwaitingInput(reply, detection);
  try {
    const agent = await heldAgent(detectingAgent, run);
    return askingDetector(agent, detection);
  } catch (error) {
    const message = `the agent to ask whether a reply waits cannot be made: ${errorMessage(error)}`;
    throw new TurnwiseError(message, { code: "agent_not_made", blame: "detector", cause: error });
  }
}

/** The agent, if it is there already: most cases find one that an earlier case has made. */
function knownAgent(prepared: PreparedCase, run: CaseRun): Agent | undefined {
  if (isAgentLike(run.agent)) return toAgent(run.agent, "agent");
  return prepared.target === undefined ? undefined : run.agents.get(prepared.target);
}

async function makeAgent({ target }: PreparedCase, run: CaseRun): Promise<Agent> {
  if (target === undefined) throw new AuthorError("no agent to test");
  return heldAgent(target, run);
}

function milliseconds(...candidates: (Duration | undefined)[]): number {
  return parseDuration(candidates.find((candidate) => candidate !== undefined));
}
