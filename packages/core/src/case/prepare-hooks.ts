import type { Problem } from "../problem.js";
import type { Project } from "../project/project.js";
import { uncallable } from "./prepare-reference.js";

/** Checks references to hooks: each must name a function. */
export async function checkHooks(
  references: readonly string[],
  project: Project,
  report: (index: number, problem: Omit<Problem, "severity">) => void,
): Promise<void> {
  for (const [index, reference] of references.entries()) {
    if (!reference.startsWith("scripts:")) {
      report(index, {
        code: "invalid_reference",
        message: `expected a script, got "${reference}"`,
        hint: `Write "scripts:${reference.replace(/^\w+:/, "")}" for a function in scripts/.`,
      });
      continue;
    }
    const resolved = await project.resolveReference(reference);
    const problem = "problem" in resolved ? resolved.problem : await uncallable(resolved, project);
    if (problem !== undefined) report(index, problem);
  }
}

/** References as a list. */
export function hooksOf(references: string | readonly string[] | undefined): readonly string[] {
  return typeof references === "string" ? [references] : (references ?? []);
}
