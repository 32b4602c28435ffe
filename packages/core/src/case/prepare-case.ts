import type { Answer, Message, UserInput } from "../contract/agent.js";
import type { PreparedAssertion } from "../contract/assertion.js";
import type { Problem } from "../problem.js";
import type { Project } from "../project/project.js";
import type { PreparedMedia, PreparedPart, RawMedia } from "./media.js";
import type { RawMessage } from "./schema.js";
import type { CaseOptions, TestCase, TestTurn } from "./test-case.js";
import type { DetectionOptions } from "../awaiting/detect.js";
import { compileDetection } from "../awaiting/settings.js";
import { jsonCopy, mergeDeep } from "../json.js";
import { checkConnectors, helperLacks } from "./check-connectors.js";
import { prepareMedia, readMedia } from "./media.js";
import { placed, writtenPath } from "./place.js";
import { prepareAssertion } from "./prepare-assertion.js";
import type { PreparedMocks } from "./prepare-mocks.js";
import { prepareMocks } from "./prepare-mocks.js";
import type { PreparedCheckpoint } from "./prepare-checkpoints.js";
import { prepareCheckpoints } from "./prepare-checkpoints.js";
import { checkHooks } from "./prepare-hooks.js";
import type { PreparedSimulator } from "./prepare-simulator.js";
import { prepareSimulator } from "./prepare-simulator.js";
import { targetOf } from "./target-of.js";
import { originOf } from "./test-case.js";

type Path = readonly (string | number)[];

/** A turn ready to be sent. */
export interface PreparedTurn {
  readonly input: string | readonly PreparedPart[];
  /** The input as the case gives it, for reports. */
  readonly written: NonNullable<TestTurn["input"]>;
  /** Answers a request of the agent; there is no input then. */
  readonly answer?: Answer;
  readonly attachments: readonly PreparedMedia[];
  readonly assertions: readonly PreparedAssertion[];
  /** Case and turn options together. */
  readonly options: CaseOptions;
  /** Milliseconds, if the turn has a limit of its own. */
  readonly timeout?: number;
}

/** A case whose references were resolved and whose assertions were compiled: ready to run. */
export interface PreparedCase {
  readonly testCase: TestCase;
  /** Id of the agent to test. Undefined only when the caller brings the agent itself. */
  readonly target?: string;
  readonly history: readonly Message[];
  readonly turns: readonly PreparedTurn[];
  /** What turns that nobody has written have in common. */
  readonly unwritten: Pick<PreparedTurn, "options" | "attachments" | "assertions">;
  /** Who speaks when the script is over. */
  readonly simulator?: PreparedSimulator;
  /** Whether all there is to go by is what a simulated user claims. */
  readonly unverified: boolean;
  /** Turns after which nobody is asked for another one. */
  readonly maxTurns: number;
  /** Whether an agent that waits at the end misses something. */
  readonly multiTurn: boolean;
  /** Set if a human may be asked: milliseconds until nobody waits for an answer any more. */
  readonly interactive?: { readonly timeout: number };
  readonly finalAssertions: readonly PreparedAssertion[];
  /** Each stands behind those it comes after. */
  readonly checkpoints: readonly PreparedCheckpoint[];
  readonly invariants: readonly PreparedAssertion[];
  readonly detection: DetectionOptions;
  /** Undefined if the case says nothing about tools. */
  readonly mocks?: PreparedMocks;
  /** Id of the agent to ask whether a text waits, if one is to be asked. */
  readonly detectingAgent?: string;
}

/** How long a person may think about an answer, in milliseconds. */
const promptTimeout = 300_000;

/** Settings of the run that preparing depends on. */
export interface PrepareOptions {
  /** Id of the target, over that of the case. `null`: the caller brings the agent itself. */
  readonly agent?: string | null;
  /** Whether it is a problem that nothing says which agent to test. Default true. */
  readonly needsTarget?: boolean;
  /** Turns after which a simulator or human is not asked for another one, over that of the case. */
  readonly maxTurns?: number | undefined;
  /** Connector of the target, over that of the case. */
  readonly connector?: string | undefined;
  /** Simulator of cases that have none and do not say that they are of a single turn. */
  readonly simulator?: string | undefined;
  /** Whether a human may be asked in all cases that do not say that they are of a single turn. */
  readonly interactive?: boolean | undefined;
}

/**
 * Resolves the references of a case and compiles its assertions. Creates no agent and sends nothing. Warnings come
 * with a prepared case, errors without one.
 */
export async function prepareCase(
  testCase: TestCase,
  project: Project,
  options: PrepareOptions = {},
): Promise<
  | { readonly prepared: PreparedCase; readonly problems: readonly Problem[] }
  | { readonly prepared?: undefined; readonly problems: readonly Problem[] }
> {
  const origin = originOf(testCase) ?? {};
  const problems: Problem[] = [];
  const report = (
    problem: Omit<Problem, "severity"> & Partial<Pick<Problem, "severity">>,
  ): void => {
    const path =
      problem.path === undefined || origin.raw === undefined
        ? problem.path
        : writtenPath(origin.raw, problem.path);
    problems.push(
      placed(
        { severity: "error", ...problem, ...(path === undefined ? {} : { path }) },
        origin,
        testCase.id === "" ? undefined : testCase.id,
      ),
    );
  };

  const { maxTurns } = options;
  if (maxTurns !== undefined && testCase.turns.length > maxTurns)
    report({
      code: "ignored",
      severity: "warning",
      path: ["turns"],
      message: `the limit of ${maxTurns} turns does not shorten this script of ${testCase.turns.length}: it bounds simulators and humans`,
      hint: "All turns are said. Leave the limit out, or shorten the script.",
    });

  const running = options.needsTarget !== false;
  const target = await targetOf(testCase, project, options, report, problems);
  const assertions = async (
    list: TestTurn["assertions"] | undefined,
    path: Path,
  ): Promise<PreparedAssertion[]> => {
    const prepared: PreparedAssertion[] = [];
    for (const [index, raw] of (list ?? []).entries()) {
      const one = await prepareAssertion(raw, [...path, index], project, report, running);
      if (one !== undefined) prepared.push(one);
    }
    return prepared;
  };

  const folders = [...(origin.folder === undefined ? [] : [origin.folder]), project.root];
  const media = (raw: RawMedia, path: Path): PreparedMedia[] => {
    const found = prepareMedia(raw, folders);
    if (!("problem" in found)) return [found];
    report({ ...found.problem, path: [...path, "source"] });
    return [];
  };
  const content = (
    input: NonNullable<TestTurn["input"]>,
    path: Path,
  ): string | readonly PreparedPart[] =>
    typeof input === "string"
      ? input
      : input.flatMap((part, index): PreparedPart[] =>
          part.type === "text" ? [part] : media(part, [...path, index]),
        );

  const optionsOf = (turn?: CaseOptions): CaseOptions => ({
    ...mergeDeep(testCase.options ?? {}, turn),
    ...(options.connector === undefined ? {} : { connector: options.connector }),
  });
  const turns: PreparedTurn[] = [];
  for (const [index, turn] of testCase.turns.entries())
    turns.push({
      input: content(turn.input ?? "", ["turns", index, "input"]),
      written: turn.input ?? "",
      ...(turn.answer === undefined ? {} : { answer: turn.answer as Answer }),
      attachments: (turn.attachments ?? []).flatMap((raw, position) =>
        media(raw, ["turns", index, "attachments", position]),
      ),
      assertions: await assertions(turn.assertions, ["turns", index, "assertions"]),
      options: optionsOf(turn.options),
      ...(turn.timeout === undefined ? {} : { timeout: turn.timeout }),
    });
  const unwritten = {
    options: optionsOf(),
    assertions: await assertions(testCase.assertions, ["assertions"]),
    attachments: (testCase.attachments ?? []).flatMap((raw, index) =>
      media(raw, ["attachments", index]),
    ),
  };
  const explicitSingle = originOf(testCase)?.raw?.["type"] === "single_turn";
  const fallback = explicitSingle ? undefined : options.simulator;
  const interactive =
    !explicitSingle && (options.interactive === true || testCase.interactive?.enabled === true);
  const written = testCase.simulator ?? fallback;
  const simulator =
    written === undefined
      ? undefined
      : await prepareSimulator(written, project, {
          running,
          report: ({ path = [], ...problem }) =>
            testCase.simulator === undefined
              ? problems.push({ severity: "error", ...problem })
              : report({ ...problem, path: ["simulator", ...path] }),
        });
  if (testCase.on_max_turns !== undefined && written === undefined && !interactive)
    report({
      code: "ignored",
      severity: "warning",
      path: ["on_max_turns"],
      message: "it has no effect: only a simulator or a human comes to the most turns of a case",
      hint: 'Add "simulator" or "interactive", or leave it out.',
    });
  const unverified = simulator?.kind === "role" && verifiesNothing(testCase);
  if (unverified)
    report({
      code: "unverified_goal",
      severity: "warning",
      path: ["simulator"],
      message:
        "nothing checks what the simulated user claims: it may say that its goal is reached when it is not",
      hint: 'Add "final_assertions", "checkpoints" or "invariants" that the agent has to satisfy.',
    });
  await checkHooks(testCase.before ?? [], project, (index, problem) =>
    report({ ...problem, path: ["before", index] }),
  );
  await checkHooks(testCase.after ?? [], project, (index, problem) =>
    report({ ...problem, path: ["after", index] }),
  );
  const finalAssertions = await assertions(testCase.final_assertions, ["final_assertions"]);
  const checkpoints = await prepareCheckpoints(testCase.checkpoints ?? [], assertions, report);
  const invariants = await assertions(testCase.invariants, ["invariants"]);
  const settings = { ...project.config.detection, ...testCase.detection };
  const detectingAgent = await detectingAgentOf(settings.detect, project, {
    needed: options.needsTarget !== false,
    report,
  });
  const detection = await compileDetection(settings, (path, message) =>
    report({ code: "invalid_pattern", path: ["detection", ...path], message }),
  );
  checkConnectors(
    { testCase, turns: [...turns, unwritten], target, project },
    options,
    report,
    (problem) => problems.push({ severity: "error", ...problem }),
  );
  const mocks = await prepareMocks(testCase, project, report);
  const history = (testCase.input ?? []).flatMap((message, index) =>
    toMessage(message, ["input", index], content, report),
  );
  if (problems.some((problem) => problem.severity === "error")) return { problems };
  return {
    prepared: {
      testCase,
      ...(target === undefined ? {} : { target: target.id }),
      history,
      turns,
      unwritten,
      ...(simulator === undefined ? {} : { simulator }),
      unverified,
      maxTurns:
        maxTurns ??
        testCase.max_turns ??
        project.config.defaults?.max_turns ??
        Math.max(20, turns.length + 10),
      multiTurn: testCase.type === "multi_turn" || fallback !== undefined || interactive,
      ...(interactive
        ? { interactive: { timeout: testCase.interactive?.timeout ?? promptTimeout } }
        : {}),
      finalAssertions,
      checkpoints,
      invariants,
      detection,
      ...(mocks === undefined ? {} : { mocks }),
      ...(detectingAgent === undefined ? {} : { detectingAgent }),
    },
    problems,
  };
}

async function detectingAgentOf(
  reference: string | undefined,
  project: Project,
  {
    needed,
    report,
  }: { readonly needed: boolean; readonly report: (problem: Omit<Problem, "severity">) => void },
): Promise<string | undefined> {
  if (reference === undefined) return undefined;
  const path = ["detection", "detect"];
  const resolved = await project.resolveReference(reference);
  if ("problem" in resolved) report({ ...resolved.problem, path });
  else if (resolved.kind === "agents") {
    const lacking = needed ? helperLacks(resolved, project) : undefined;
    if (lacking !== undefined) report({ ...lacking, path });
    return resolved.id;
  } else
    report({
      code: "invalid_reference",
      path,
      message: `"${reference}" is a script; expected an agent`,
    });
  return undefined;
}

/** True for a case that nothing the agent says can fail. */
export function verifiesNothing(testCase: TestCase): boolean {
  const { turns, assertions = [], final_assertions = [], invariants = [] } = testCase;
  return (
    assertions.length === 0 &&
    final_assertions.length === 0 &&
    invariants.length === 0 &&
    (testCase.checkpoints ?? []).every(({ required }) => required === false) &&
    turns.every((turn) => turn.assertions.length === 0)
  );
}

/** What an agent gets of an input: files are read now. */
export function readInput(input: string | readonly PreparedPart[]): UserInput {
  if (typeof input === "string") return input;
  return input.map((part) => (part.type === "text" ? part : readMedia(part)));
}

function toMessage(
  message: RawMessage,
  path: Path,
  content: (input: NonNullable<TestTurn["input"]>, path: Path) => string | readonly PreparedPart[],
  report: (problem: Omit<Problem, "severity">) => void,
): Message[] {
  const misplaced = (field: string, role: string): void =>
    report({
      code: "conflict",
      path: [...path, field],
      message: `"${field}" belongs to a message of the role "${role}", not "${message.role}"`,
    });
  if (message.tool_calls !== undefined && message.role !== "assistant")
    misplaced("tool_calls", "assistant");
  if (message.tool_call_id !== undefined && message.role !== "tool")
    misplaced("tool_call_id", "tool");
  if (message.role !== "user" && Array.isArray(message.content))
    for (const [index, part] of message.content.entries())
      if (part.type !== "text")
        report({
          code: "conflict",
          path: [...path, "content", index],
          message: `only messages of the role "user" can hold an ${part.type}`,
          hint: "Leave it out, or put it into a message of the user.",
        });
  const text =
    typeof message.content === "string"
      ? message.content
      : message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
  switch (message.role) {
    case "user":
      return [{ role: "user", content: readInput(content(message.content, [...path, "content"])) }];
    case "system":
      return [{ role: "system", content: text }];
    case "tool":
      if (message.tool_call_id !== undefined)
        return [{ role: "tool", toolCallId: message.tool_call_id, content: text }];
      report({
        code: "missing_field",
        path: [...path, "tool_call_id"],
        message: "a tool message needs the id of the call that it answers",
      });
      return [];
    case "assistant":
      return [
        {
          role: "assistant",
          content: text,
          ...(message.tool_calls === undefined
            ? {}
            : {
                toolCalls: message.tool_calls.map((call, index) => ({
                  id: call.id ?? `call-${index + 1}`,
                  name: call.name,
                  arguments: jsonCopy(call.args) ?? {},
                })),
              }),
        },
      ];
  }
}
