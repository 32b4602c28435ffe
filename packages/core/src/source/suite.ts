import type { SuiteInput } from "../contract/event.js";
import type { CaseOrigin, TestCase } from "../case/test-case.js";
import type { Problem } from "../problem.js";
import type { Project } from "../project/project.js";
import type { Source } from "./source.js";
import { normaliseCase } from "../case/normalise.js";
import { prepareCase } from "../case/prepare-case.js";
import { SuiteChangedError } from "../errors.js";

/** Cases that were checked and can be run. Iterating reads the files again; it can be done more than once. */
export interface Suite extends AsyncIterable<TestCase> {
  /** Cases that will come. */
  readonly count: number;
  readonly inputs: readonly SuiteInput[];
  /** What was found suspicious while checking. */
  readonly warnings: readonly Problem[];
}

/** What the checks of a suite depend on. */
export interface SuiteOptions {
  readonly project: Project;
  /** Id of the target, over those of the cases. `null`: the caller brings the agent itself. */
  readonly agent?: string | null;
}

/** A suite that can run, or everything that is wrong with it. */
export type LoadedSuite =
  | { readonly suite: Suite; readonly problems?: undefined }
  | { readonly suite?: undefined; readonly problems: readonly Problem[] };

/** Problems kept of one load. A broken file of a million lines must not fill the memory. */
const mostProblems = 1_000;

/** The first pass: checks every case of the sources, keeping only their ids. */
export async function checkSources(
  sources: readonly Source[],
  options: SuiteOptions,
): Promise<LoadedSuite> {
  const collected = new ProblemList();
  const ids = new Map<string, string | CaseOrigin>();
  const inputs: SuiteInput[] = [];
  const fingerprints = sources.map((source) => source.fingerprint?.());
  const selection = { count: 0, only: 0 };
  for (const source of sources) {
    let cases = 0;
    for await (const item of source.read()) {
      cases++;
      if ("problem" in item) {
        collected.add(item.problem);
        continue;
      }
      const normalised = normaliseCase(item.raw, item.origin);
      const problems = [...normalised.problems];
      const { testCase } = normalised;
      if (testCase !== undefined) {
        problems.push(...(await prepareCase(testCase, options.project, options)).problems);
        problems.push(...(await duplicate(testCase, ids, item.origin)));
        if (source.kind === "file" && !hasAssertions(testCase) && testCase.skip === undefined)
          problems.push({
            code: "no_assertions",
            severity: "warning",
            message: "this case checks nothing: it passes whatever the agent says",
            hint: 'Add "assertions" to a turn, or "final_assertions".',
            case_id: testCase.id,
            ...(item.origin.file === undefined ? {} : { file: item.origin.file }),
            ...(item.origin.line === undefined ? {} : { line: item.origin.line }),
          });
        selection.count++;
        if (testCase.only === true) selection.only++;
      }
      for (const problem of problems) {
        const line =
          problem.line ??
          (problem.file === undefined ? undefined : await item.origin.locate?.(problem.path ?? []));
        collected.add(line === undefined ? problem : { ...problem, line });
      }
    }
    if (cases === 0)
      collected.add({
        code: "no_cases",
        severity: "error",
        message: "there is no test case in it",
        file: source.name,
      });
    inputs.push({ kind: source.kind, name: source.name, cases });
  }
  if (sources.length === 0)
    collected.add({ code: "no_cases", severity: "error", message: "there is nothing to run" });
  if (collected.errors.length > 0) return { problems: collected.errors };
  const onlyMarked = selection.only > 0;
  return {
    suite: {
      count: onlyMarked ? selection.only : selection.count,
      inputs,
      warnings: collected.warnings,
      [Symbol.asyncIterator]: () => secondPass(sources, fingerprints, onlyMarked),
    },
  };
}

/** The second pass: streams what the first one has checked. */
async function* secondPass(
  sources: readonly Source[],
  fingerprints: readonly (string | undefined)[],
  onlyMarked: boolean,
): AsyncGenerator<TestCase> {
  for (const [index, source] of sources.entries()) {
    const same = (): void => {
      if (source.fingerprint?.() !== fingerprints[index])
        throw new SuiteChangedError(source.name, "the file was saved");
    };
    same();
    for await (const item of source.read()) {
      const testCase = "raw" in item ? normaliseCase(item.raw, item.origin).testCase : undefined;
      if (testCase === undefined)
        throw new SuiteChangedError(source.name, "a case that was valid is not any more");
      if (!onlyMarked || testCase.only === true) yield testCase;
    }
    same();
  }
}

function hasAssertions(testCase: TestCase): boolean {
  return (
    (testCase.final_assertions ?? []).length > 0 ||
    testCase.turns.some((turn) => turn.assertions.length > 0)
  );
}

async function duplicate(
  testCase: TestCase,
  ids: Map<string, string | CaseOrigin>,
  origin: CaseOrigin,
): Promise<Problem[]> {
  const earlier = ids.get(testCase.id);
  if (earlier === undefined) {
    // Only the place is kept, as a text: there may be a million.
    ids.set(testCase.id, origin.locate === undefined ? await placeOf(origin) : origin);
    return [];
  }
  const place = typeof earlier === "string" ? earlier : await placeOf(earlier);
  return [
    {
      code: "duplicate_id",
      severity: "error",
      message: `the id "${testCase.id}" is taken already, by ${place}`,
      hint: "Ids must be unique in a run: results are told apart by them.",
      path: ["id"],
      case_id: testCase.id,
      ...(origin.file === undefined ? {} : { file: origin.file }),
      ...(origin.line === undefined ? {} : { line: origin.line }),
    },
  ];
}

async function placeOf(origin: CaseOrigin): Promise<string> {
  if (origin.file === undefined) return "another case";
  const line = origin.line ?? (await origin.locate?.([]));
  return line === undefined ? origin.file : `${origin.file}:${line}`;
}

class ProblemList {
  readonly errors: Problem[] = [];
  readonly warnings: Problem[] = [];
  /** A problem of the run, such as an unknown target, comes up with every case. */
  private readonly seen = new Set<string>();
  private readonly more = { error: 0, warning: 0 };

  add(problem: Problem): void {
    const list = problem.severity === "error" ? this.errors : this.warnings;
    if (list.length > mostProblems) {
      const more = ++this.more[problem.severity];
      list[mostProblems] = {
        code: problem.code,
        severity: problem.severity,
        message: `and ${more + 1} more`,
      };
      return;
    }
    const key = JSON.stringify(problem);
    if (this.seen.has(key)) return;
    this.seen.add(key);
    list.push(problem);
  }
}
