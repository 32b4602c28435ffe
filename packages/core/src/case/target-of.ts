import type { Problem } from "../problem.js";
import type { Project } from "../project/project.js";
import type { ResolvedReference } from "../project/resolved-reference.js";
import type { PrepareOptions } from "./prepare-case.js";
import type { TestCase } from "./test-case.js";
import { nearest } from "../suggest.js";

type Target = Extract<ResolvedReference, { kind: "agents" }>;

/** The agent to test, or a problem. Undefined when nobody needs one, too. */
export async function targetOf(
  testCase: TestCase,
  project: Project,
  { agent: override, needsTarget = true }: PrepareOptions,
  report: (problem: Omit<Problem, "severity">) => void,
  problems: Problem[],
): Promise<Target | undefined> {
  if (override === null) return undefined;
  const own = override === undefined ? testCase.agent : undefined;
  const name = override ?? own ?? defaultTarget(project);
  if (name === undefined) {
    if (!needsTarget) return undefined;
    const candidates = project.agentIds();
    // The same for every case without an agent of its own, so it names no place and is shown once.
    problems.push({
      code: "no_target",
      severity: "error",
      message: "no agent to test",
      hint:
        candidates.length === 0
          ? `Put one into ${project.root}/agents, for example agents/assistant.ts, and name it with -n; in a harness, pass "agent".`
          : `Choose one with -n: ${candidates.join(", ")}.`,
    });
    return undefined;
  }
  const resolved = await project.resolveReference(name);
  if ("problem" in resolved) {
    if (own === undefined) problems.push(resolved.problem);
    else report({ ...resolved.problem, path: ["agent"] });
    return undefined;
  }
  if (resolved.kind !== "agents") {
    const near = nearest(resolved.id, project.agentIds());
    const problem = {
      code: "invalid_reference" as const,
      message: `"${name}" is a script; the target must be an agent`,
      ...(near === undefined ? {} : { hint: `Did you mean agents:${near}?` }),
    };
    if (own === undefined) problems.push({ severity: "error", ...problem });
    else report({ ...problem, path: ["agent"] });
    return undefined;
  }
  if (Object.keys(resolved.parameters).length > 0)
    report({
      code: "ignored",
      ...(own === undefined ? {} : { path: ["agent"] }),
      message: `a target takes no parameters (${name}); give them as options.metadata`,
    });
  return resolved;
}

/** The target of cases that name none: that of the config, else the only agent there. */
export function defaultTarget(project: Project): string | undefined {
  const { defaults } = project.config;
  if (defaults?.agent !== undefined) return defaults.agent;
  const ids = project.agentIds();
  return ids.length === 1 ? ids[0] : undefined;
}
