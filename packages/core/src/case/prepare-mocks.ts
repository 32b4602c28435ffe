import type { ScriptMock } from "../contract/script.js";
import type { JsonValue } from "../json.js";
import type { Problem } from "../problem.js";
import type { Project } from "../project/project.js";
import type { ResolvedReference } from "../project/resolved-reference.js";
import type { TestCase } from "./test-case.js";
import { parseDuration } from "../duration.js";
import { loadScript } from "../script/load-script.js";
import { uncallable } from "./prepare-reference.js";

type Script = Extract<ResolvedReference, { kind: "scripts" }>;

/** A mock ready to be called. */
export type PreparedMock = {
  /** Milliseconds before it answers. */
  readonly delay?: number;
} & (
  | { readonly kind: "value"; readonly value: JsonValue }
  | { readonly kind: "sequence"; readonly values: readonly JsonValue[] }
  | { readonly kind: "error"; readonly error: string }
  | { readonly kind: "script"; readonly mock: ScriptMock; readonly reference: Script }
);

/** The mocks of a case. */
export interface PreparedMocks {
  /** By tool name. A map: a tool may be called `__proto__`. */
  readonly tools: ReadonlyMap<string, PreparedMock>;
  /** What a call without a mock means. */
  readonly unmocked: "error" | "passthrough";
}

/** Resolves the scripts of the mocks of a case. Undefined if the case has none, not even for a tool. */
export async function prepareMocks(
  { mocks }: TestCase,
  project: Project,
  report: (problem: Omit<Problem, "severity">) => void,
): Promise<PreparedMocks | undefined> {
  if (mocks === undefined) return undefined;
  const tools = new Map<string, PreparedMock>();
  for (const [name, raw] of Object.entries(mocks.tools ?? {})) {
    const prepared = await prepareMock(raw, project, (problem) =>
      report({ ...problem, path: ["mocks", "tools", name, ...(problem.path ?? [])] }),
    );
    if (prepared !== undefined) tools.set(name, prepared);
  }
  return { tools, unmocked: mocks.unmocked ?? "error" };
}

type RawMock = NonNullable<NonNullable<TestCase["mocks"]>["tools"]>[string];

async function prepareMock(
  raw: RawMock,
  project: Project,
  report: (problem: Omit<Problem, "severity">) => void,
): Promise<PreparedMock | undefined> {
  const delay = raw.delay ? { delay: parseDuration(raw.delay) } : {};
  if (raw.error !== undefined) return { ...delay, kind: "error", error: raw.error };
  if (raw.sequence !== undefined)
    return { ...delay, kind: "sequence", values: raw.sequence as JsonValue[] };
  if (raw.use === undefined)
    return { ...delay, kind: "value", value: (raw.returns ?? null) as JsonValue };
  const path = ["use"];
  if (!raw.use.startsWith("scripts:")) {
    report({
      code: "invalid_reference",
      path,
      message: `expected a script, got "${raw.use}"`,
      hint: `Write "scripts:${raw.use.replace(/^\w+:/, "")}" for a function in scripts/.`,
    });
    return undefined;
  }
  const resolved = await project.resolveReference(raw.use);
  if ("problem" in resolved) {
    report({ ...resolved.problem, path });
    return undefined;
  }
  if (resolved.kind !== "scripts") return undefined;
  const problem = await uncallable(resolved, project);
  if (problem === undefined) {
    const mock = (await loadScript(project, resolved)) as ScriptMock;
    return { ...delay, kind: "script", mock, reference: resolved };
  }
  report({ ...problem, path, hint: "A mock is a function (args, context) => result." });
  return undefined;
}
