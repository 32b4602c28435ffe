import type { AttemptOutcome } from "../run/run-attempt.js";
import type { Project } from "../project/project.js";
import { interruptionOf, within } from "../conversation/deadline.js";
import { errorMessage, errorPlace } from "../errors.js";
import { loadScript } from "./load-script.js";

/** How long a hook may take. */
const hookTimeout = 30_000;

/** The first hook that failed. */
export interface HookFailure {
  readonly hook: string;
  readonly message: string;
  /** The run was cancelled meanwhile. */
  readonly cancelled: boolean;
}

/** Runs hooks one after the other, each with objects of its own, up to the first that fails. */
export async function firstHookFailure(
  references: readonly string[],
  given: object,
  project: Project,
  signal?: AbortSignal,
): Promise<HookFailure | undefined> {
  for (const hook of references) {
    try {
      const resolved = await project.resolveReference(hook);
      if ("problem" in resolved) throw new Error(resolved.problem.message);
      if (resolved.kind !== "scripts") throw new Error("it is an agent, not a script");
      const script = await loadScript(project, resolved);
      await within("hook", hookTimeout, async () => script(structuredClone(given)), signal);
    } catch (error) {
      const place = errorPlace(error, project.root);
      return {
        hook,
        message: `the hook ${hook} failed: ${errorMessage(error)}${place === undefined ? "" : ` (${place})`}`,
        cancelled: interruptionOf(error)?.kind === "cancelled",
      };
    }
  }
  return undefined;
}

/** Runs the hooks of a case. What it returns is the outcome of an attempt that a hook ended. */
export async function runHooks(
  references: readonly string[],
  given: object,
  project: Project,
  signal?: AbortSignal,
): Promise<AttemptOutcome | undefined> {
  const failure = await firstHookFailure(references, given, project, signal);
  if (failure === undefined) return undefined;
  const empty = { turns: [], final_assertions: [], total_turns: 0 };
  return failure.cancelled
    ? { ...empty, status: "skipped", skip_reason: "cancelled" }
    : { ...empty, status: "error", error: failure.message, blame: "author" };
}
