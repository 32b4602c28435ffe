import type { Problem } from "../problem.js";
import type { Project } from "../project/project.js";
import type { ResolvedReference } from "../project/resolved-reference.js";
import type { PrepareOptions, PreparedTurn } from "./prepare-case.js";
import type { TestCase } from "./test-case.js";
import { isObject, own } from "../json.js";
import { nearest } from "../suggest.js";

type ResolvedAgent = Extract<ResolvedReference, { kind: "agents" }>;
type Lacking = Pick<Problem, "code" | "message" | "hint">;

/** Whose connectors are checked. */
interface Checked {
  readonly testCase: TestCase;
  readonly turns: readonly Pick<PreparedTurn, "options">[];
  /** Undefined when the caller brings the agent itself. */
  readonly target: ResolvedAgent | undefined;
  readonly project: Project;
}

/**
 * Checks the connectors that the turns of a case will use: they must be in the config, and enough to call a model. An
 * agent that is no adapter may mean anything by the name, as long as the config has no connectors.
 */
export function checkConnectors(
  { testCase, turns, target, project }: Checked,
  { connector: override, needsTarget = true }: PrepareOptions,
  /** Takes a problem of the case. */
  report: (problem: Omit<Problem, "severity">) => void,
  /** Takes a problem of the run, which is the same for every case. */
  reportRun: (problem: Omit<Problem, "severity"> & Partial<Pick<Problem, "severity">>) => void,
): void {
  const { config } = project;
  const connectors = config.connectors ?? {};
  const adapter = target !== undefined && "adapter" in target.spec ? target.spec : undefined;
  const connects = adapter?.adapter.connects !== undefined;
  if (override !== undefined && adapter !== undefined && !connects)
    reportRun({
      code: "ignored",
      severity: "warning",
      message: `the connector "${override}" has no effect: the agent "${target!.id}" calls no model through connectors`,
    });
  const seen = new Set<string | undefined>();
  for (const [index, { options }] of turns.entries()) {
    const name =
      options.connector ??
      (connects ? (named(adapter.options) ?? config.defaults?.connector) : undefined);
    if (seen.has(name)) continue;
    seen.add(name);
    const path = override === undefined ? placeOf(testCase, index) : undefined;
    const tell = (problem: Omit<Problem, "severity">): void =>
      path === undefined ? reportRun(problem) : report({ ...problem, path });
    if (name !== undefined && own(connectors, name) === undefined) {
      if (!connects && Object.keys(connectors).length === 0) continue;
      tell(unknownConnector(name, Object.keys(connectors)));
      continue;
    }
    const lacking =
      needsTarget && target !== undefined ? modelLacks(target, name, project) : undefined;
    if (lacking !== undefined) tell(lacking);
  }
}

/** What an agent that is asked for help lacks to call its model, if it is one that calls models. */
export function helperLacks(
  agent: ResolvedAgent,
  project: Project,
  /** The connector that it is asked to use, before its own. */
  connector?: string,
): Lacking | undefined {
  const { spec } = agent;
  if (!("adapter" in spec) || spec.adapter.connects === undefined) return undefined;
  const { connectors, defaults } = project.config;
  const name = connector ?? named(spec.options) ?? defaults?.connector;
  if (name !== undefined && own(connectors, name) === undefined)
    return unknownConnector(name, Object.keys(connectors ?? {}));
  const lacking = modelLacks(agent, name, project);
  if (lacking === undefined || name !== undefined) return lacking;
  const hint =
    'Add a model under "connectors" in the config, and its name as "defaults.connector" or as "options.connector" here.';
  return { ...lacking, hint };
}

/** What an agent lacks to call its model through the connector of this name, if it calls models at all. */
function modelLacks(
  { id, spec }: ResolvedAgent,
  name: string | undefined,
  { config, env, root }: Project,
): Lacking | undefined {
  if (!("adapter" in spec)) return undefined;
  const connector = name === undefined ? undefined : own(config.connectors, name);
  const missing = spec.adapter.connects?.(spec.options, {
    env,
    projectRoot: root,
    ...(connector && { connector }),
  });
  return missing === undefined
    ? undefined
    : { code: "no_connector", message: `the agent "${id}" cannot call its model: ${missing}` };
}

/** The connector that the options of an agent name. */
export function named(options: unknown): string | undefined {
  const name = isObject(options) ? options["connector"] : undefined;
  return typeof name === "string" ? name : undefined;
}

/** A connector that the config does not have. */
export function unknownConnector(name: string, known: readonly string[]): Lacking {
  const near = nearest(name, known);
  return {
    code: "unknown_connector",
    message: `there is no connector "${name}"${near === undefined ? "" : `; did you mean "${near}"?`}`,
    hint:
      known.length === 0
        ? 'Add it under "connectors" in turnwise.config.*.'
        : `Connectors of the config: ${known.join(", ")}.`,
  };
}

/** Where the case names its connector, if it does. */
function placeOf({ turns, options }: TestCase, turn: number): (string | number)[] | undefined {
  if (turns[turn]?.options?.connector !== undefined) return ["turns", turn, "options", "connector"];
  return options?.connector === undefined ? undefined : ["options", "connector"];
}
