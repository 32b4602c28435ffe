import type { Agent, AgentTool } from "../contract/agent.js";
import type { GeneratorReply } from "../contract/role.js";
import type { Problem, ProblemCode } from "../problem.js";
import type { ResolvedReference } from "../project/resolved-reference.js";
import type { Source, SourceItem } from "./source.js";
import type { SuiteOptions } from "./suite.js";
import { hasNoInput } from "./suite.js";
import { caseJsonSchema } from "../case/json-schema.js";
import { normaliseCase } from "../case/normalise.js";
import { prepareCase } from "../case/prepare-case.js";
import { uncallable } from "../case/prepare-reference.js";
import { defaultTarget } from "../case/target-of.js";
import { generatorReplySchema } from "../contract/role.js";
import { errorMessage } from "../errors.js";
import { deepestNesting, isObject, isTooDeep, jsonCopy } from "../json.js";
import { RoleCaller } from "../role/call-role.js";
import { heldAgent, releaseAgents } from "../run/release-agents.js";
import { whyRefused } from "./generated-limits.js";

/** Cases that an agent is asked for if nothing is said. */
const usualCount = 5;
/** Most cases that may be asked for, and most that are taken of a script that decides itself. */
const mostCases = 1_000;

/** What generating depends on. */
export interface GenerateOptions extends SuiteOptions {
  /** Gives up asking. */
  readonly signal?: AbortSignal;
}

/**
 * Cases that an agent or a script makes, asked for once. They are not trusted: each is checked for itself, and one that
 * is not valid, or that wants what only people may, is left out with a warning.
 */
export function generatedSource(reference: string, options: GenerateOptions): Source {
  const { project } = options;
  const agents = new Map<string, Agent>();
  const caller = new RoleCaller({
    project,
    agent: (id) => heldAgent(id, { project, agents }),
    testId: "",
    now: () => performance.now(),
    emit: () => undefined,
  });
  let held: Promise<SourceItem[]> | undefined;
  const generate = async (): Promise<SourceItem[]> => {
    try {
      return await generated(reference, caller, options);
    } finally {
      await releaseAgents(agents.values());
      agents.clear();
    }
  };
  return {
    kind: "generated",
    name: reference,
    async *read() {
      yield* await (held ??= generate());
    },
    usage: () => caller.usage,
  };
}

async function generated(
  reference: string,
  caller: RoleCaller,
  options: GenerateOptions,
): Promise<SourceItem[]> {
  const { project, signal } = options;
  const fail = (message: string, code: ProblemCode = "generator_failed"): SourceItem[] => [
    { problem: { code, severity: "error", message, file: reference } },
  ];
  const resolved = await project.resolveReference(reference);
  if ("problem" in resolved) return [{ problem: { ...resolved.problem, severity: "error" } }];
  const lacking = await uncallable(resolved, project);
  if (lacking !== undefined) return fail(lacking.message, lacking.code);
  const { count } = resolved.parameters;
  if (count !== undefined && !isCount(count))
    return fail(`count: expected a whole number from 1 to ${mostCases}, got ${count}`);
  const about = await aboutTarget(options);
  let reply: GeneratorReply;
  try {
    reply = await caller.call<GeneratorReply>(
      {
        role: "generator",
        use: reference,
        messages: [{ role: "user", content: requestText(resolved, about) }],
        metadata: {
          ...about,
          count: usualCount,
          ...resolved.parameters,
          case_schema: caseJsonSchema(project),
        },
        schema: generatorReplySchema,
      },
      { outer: signal },
    );
  } catch (error) {
    return fail(errorMessage(error));
  }
  const raws = Array.isArray(reply) ? reply : reply.cases;
  const wanted = Number(count ?? (resolved.kind === "scripts" ? mostCases : usualCount));
  const items: SourceItem[] = [];
  const ids = new Set<string>();
  const leaveOut = (message: string): void => {
    const code = "refused_case";
    items.push({ problem: { code, severity: "warning", message, file: reference } });
  };
  let taken = 0;
  for (const [index, made] of raws.slice(0, wanted).entries()) {
    const raw = adapted(made, index, reference);
    const id = isObject(raw) && typeof raw["id"] === "string" ? raw["id"] : undefined;
    const why = ids.has(id ?? "") ? "its id is taken already" : await whatIsWrong(raw, options);
    if (why === undefined) {
      taken++;
      ids.add(id ?? "");
      items.push({ raw, origin: { folder: project.root } });
    } else leaveOut(`the case ${id === undefined ? index + 1 : `"${id}"`} was left out: ${why}`);
  }
  if (raws.length > wanted)
    leaveOut(`${raws.length} cases were made where ${wanted} are taken; the rest was left out`);
  if (taken > 0) return items;
  if (raws.length === 0) return fail("it made no case");
  return [
    ...items,
    ...fail(
      raws.length === 1 ? "its case cannot be run" : `none of its ${raws.length} cases can be run`,
    ),
  ];
}

function isCount(value: unknown): boolean {
  const count = typeof value === "number" ? value : 0;
  return Number.isInteger(count) && count >= 1 && count <= mostCases;
}

/** A case with an id, and with the turns that may stand in `input`. */
function adapted(made: unknown, index: number, reference: string): unknown {
  if (!isObject(made) || isTooDeep(made)) return made;
  const { input } = made;
  const isTurns =
    made["turns"] === undefined &&
    Array.isArray(input) &&
    input.length > 0 &&
    input.every(
      (turn) => isObject(turn) && (Object.hasOwn(turn, "input") || Object.hasOwn(turn, "answer")),
    );
  const { input: _, ...rest } = made;
  const name = reference.replace(/^\w+:/, "").replace(/\?.*$/, "");
  return {
    ...(made["id"] === undefined ? { id: `${name}-${index + 1}` } : {}),
    ...(isTurns ? { ...rest, turns: input } : made),
  };
}

/** Everything that is wrong with a case, in one sentence. */
async function whatIsWrong(
  raw: unknown,
  { project, ...options }: GenerateOptions,
): Promise<string | undefined> {
  if (isTooDeep(raw)) return `it has more than ${deepestNesting} levels of nesting`;
  const refused = whyRefused(raw, project.root);
  if (refused !== undefined) return refused;
  const { testCase, problems } = normaliseCase(raw, { folder: project.root });
  if (testCase !== undefined && hasNoInput(testCase, options))
    return 'it has neither "input" nor "turns"';
  const found =
    testCase === undefined
      ? problems
      : // What a run lacks is lacking for all cases, and has no place in this one: that is for the suite to say.
        (await prepareCase(testCase, project, options)).problems.filter(({ path }) => path);
  const errors = found.filter(({ severity }) => severity === "error");
  return errors.length === 0 ? undefined : errors.map(inWords).join("; ");
}

function inWords({ path = [], message }: Problem): string {
  return path.length === 0 ? message : `${path.join(".")}: ${message}`;
}

/** What a generator is told of the agent to test. */
interface AboutTarget {
  readonly target_agent: string;
  readonly target_description?: string;
  readonly target_tools?: readonly AgentTool[];
}

async function aboutTarget({ agent, project }: GenerateOptions): Promise<AboutTarget> {
  const name = agent ?? (agent === null ? undefined : defaultTarget(project));
  if (name === undefined) return { target_agent: "" };
  const resolved = await project.resolveReference(name);
  // That there is no such agent is said with the cases.
  if ("problem" in resolved || resolved.kind !== "agents") return { target_agent: name };
  try {
    const { description, tools } = await project.agent(resolved.id);
    const copy = jsonCopy(tools) as unknown as readonly AgentTool[] | undefined;
    return {
      target_agent: resolved.id,
      ...(description === undefined ? {} : { target_description: description }),
      ...(copy === undefined ? {} : { target_tools: copy }),
    };
  } catch {
    return { target_agent: resolved.id };
  }
}

/** The request in words, for agents that look at nothing else. */
function requestText({ parameters }: ResolvedReference, about: AboutTarget): string {
  const { count = usualCount, ...others } = parameters;
  const { target_agent: id, target_description: description, target_tools: tools } = about;
  return [
    `Write ${count} test cases for the agent "${id}".`,
    ...(description === undefined ? [] : [`What it does: ${description}`]),
    ...(tools === undefined || tools.length === 0
      ? []
      : [`Its tools: ${tools.map((tool) => tool.name).join(", ")}`]),
    ...Object.entries(others).map(([key, value]) => `${key}: ${value}`),
    'Answer with JSON alone: {"cases": [...]}.',
  ].join("\n");
}
