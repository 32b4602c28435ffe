import type { Answer, AwaitingKind } from "../contract/agent.js";
import type { Pattern } from "../pattern.js";
import type { Problem } from "../problem.js";
import type { Project } from "../project/project.js";
import type { CaseOptions, TestCase } from "./test-case.js";
import { awaitingKinds } from "../contract/agent.js";
import { errorMessage } from "../errors.js";
import { compilePattern } from "../pattern.js";
import { uncallable } from "./prepare-reference.js";

type Report = (problem: Omit<Problem, "severity">) => void;

/** An answer of a simulator without a model. */
export interface PreparedAnswer {
  /** As the case gives it. */
  readonly when: string;
  /** What the agent must ask for, or how its question must read. */
  readonly matches: { readonly kind: AwaitingKind } | { readonly pattern: Pattern };
  readonly reply: { readonly say: string } | { readonly answer: Answer };
  /** How often it may be given. */
  readonly times: number;
}

/** A simulated user ready to be asked. */
export type PreparedSimulator =
  | {
      readonly kind: "role";
      /** Reference of the agent or script that plays the user. */
      readonly use: string;
      readonly options: CaseOptions;
      readonly knowledge?: readonly unknown[];
      /** Whether what is usually a warning makes an answer unusable. */
      readonly strict: boolean;
    }
  | {
      readonly kind: "answers";
      readonly answers: readonly PreparedAnswer[];
      /** Said when no answer fits. */
      readonly otherwise?: string;
    };

/** Resolves the simulator of a case, or that of the run. Undefined if there is none, or it has problems. */
export async function prepareSimulator(
  simulator: NonNullable<TestCase["simulator"]>,
  project: Project,
  {
    running,
    report,
  }: {
    /** Whether it has to be callable now. */
    readonly running: boolean;
    readonly report: Report;
  },
): Promise<PreparedSimulator | undefined> {
  if (typeof simulator === "object" && "answers" in simulator)
    return prepareAnswers(simulator, report);
  const { use, options, strict, knowledge } =
    typeof simulator === "string" ? { use: simulator } : simulator;
  const path = typeof simulator === "string" ? [] : ["use"];
  const resolved = await project.resolveReference(use);
  const problem =
    "problem" in resolved
      ? resolved.problem
      : running || resolved.kind === "scripts"
        ? await uncallable(resolved, project, options?.connector)
        : undefined;
  if (problem !== undefined) {
    report({ ...problem, path });
    return undefined;
  }
  return {
    kind: "role",
    use,
    options: options ?? {},
    strict: strict === true,
    ...(knowledge === undefined ? {} : { knowledge }),
  };
}

type RawAnswers = Extract<NonNullable<TestCase["simulator"]>, { answers: unknown }>;

async function prepareAnswers(
  { answers, otherwise }: RawAnswers,
  report: Report,
): Promise<PreparedSimulator> {
  const prepared: PreparedAnswer[] = [];
  for (const [index, { when, say, answer, times }] of answers.entries()) {
    const path = ["answers", index];
    if ((say === undefined) === (answer === undefined))
      report({
        code: say === undefined ? "missing_field" : "conflict",
        path,
        message: 'expected exactly one of "say" and "answer"',
        hint: '"say" is what the user says; "answer" replies to a pending request.',
      });
    const matches = await matcherOf(when, (message) =>
      report({ code: "invalid_pattern", path: [...path, "when"], message }),
    );
    if (matches === undefined) continue;
    prepared.push({
      when,
      matches,
      reply: say === undefined ? { answer: answer as Answer } : { say },
      times: times ?? Number.POSITIVE_INFINITY,
    });
  }
  return { kind: "answers", answers: prepared, ...(otherwise === undefined ? {} : { otherwise }) };
}

/** A kind, or a pattern that ignores case: nobody knows how an agent will begin its sentence. */
async function matcherOf(
  when: string,
  report: (message: string) => void,
): Promise<PreparedAnswer["matches"] | undefined> {
  const kind = awaitingKinds.find((one) => one === when);
  if (kind !== undefined) return { kind };
  try {
    return { pattern: await compilePattern(`(?i)${when}`) };
  } catch (error) {
    report(errorMessage(error).replaceAll("(?i)", ""));
    return undefined;
  }
}
