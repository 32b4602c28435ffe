import type { Problem } from "../problem.js";
import type { Project } from "../project/project.js";
import type { ResolvedReference } from "../project/resolved-reference.js";
import { TurnwiseError, errorMessage } from "../errors.js";
import { loadScript } from "../script/load-script.js";
import { helperLacks } from "./check-connectors.js";

type Found = Pick<Problem, "code" | "message" | "hint">;

/** What stands in the way of calling an agent in a role, or a script, if anything does. */
export async function uncallable(
  resolved: ResolvedReference,
  project: Project,
  /** The connector that the agent is asked to use. */
  connector?: string,
): Promise<Found | undefined> {
  if (resolved.kind === "agents") return helperLacks(resolved, project, connector);
  try {
    await loadScript(project, resolved);
    return undefined;
  } catch (error) {
    const code = TurnwiseError.isInstance(error) && error.code === "cannot_load";
    return { code: code ? "cannot_load" : "unknown_script", message: errorMessage(error) };
  }
}
