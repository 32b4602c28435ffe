import type { SuiteInput } from "../contract/event.js";
import type { RoleUsage } from "../contract/result.js";
import type { CaseOrigin, TestCase } from "../case/test-case.js";
import type { Problem } from "../problem.js";
import type { RawRecord } from "./parts-of.js";
import type { Project } from "../project/project.js";
import type { Source, SourceItem } from "./source.js";
import { normaliseCase } from "../case/normalise.js";
import { located } from "../case/place.js";
import { prepareCase, verifiesNothing } from "../case/prepare-case.js";
import { withOrigin } from "../case/test-case.js";
import { SuiteChangedError, errorMessage } from "../errors.js";
import { isObject } from "../json.js";
import { sumRoleUsage } from "../role/call-role.js";
import { IdTable } from "./id-table.js";
import { partsOf } from "./parts-of.js";

/** Cases that were checked and can be run. Iterating reads the files again; it can be done more than once. */
export interface Suite extends AsyncIterable<TestCase> {
  /** The project against which it was checked. */
  readonly project: Project;
  /** Cases that will come. */
  readonly count: number;
  readonly inputs: readonly SuiteInput[];
  /** What was found suspicious while checking. */
  readonly warnings: readonly Problem[];
  /** What generators have spent. */
  readonly usage?: RoleUsage;
  /** What the cases were checked for. A run takes from it what it is not told. */
  readonly checkedFor?: Pick<
    SuiteOptions,
    "agent" | "maxTurns" | "connector" | "simulator" | "interactive"
  >;
}

/** What the checks of a suite depend on. */
export interface SuiteOptions {
  readonly project: Project;
  /** Id of the target, over those of the cases. `null`: the caller brings the agent itself. */
  readonly agent?: string | null;
  /** Whether it is a problem that nothing says which agent to test. Default true. */
  readonly needsTarget?: boolean;
  /** As `maxTurns` of the limits. */
  readonly maxTurns?: number | undefined;
  /** Connector of the target, over that of the cases. */
  readonly connector?: string | undefined;
  /** Simulator of cases that have none, as of `PrepareOptions`. */
  readonly simulator?: string | undefined;
  /** Whether a human is asked in all cases (`true`) or in none (`false`), as of `RunCaseOptions`. */
  readonly interactive?: boolean | undefined;
  /** Selects cases. All are checked, only the selected ones run. */
  readonly filter?: (testCase: TestCase) => boolean;
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
  const pass = new FirstPass(options, () =>
    sources.reduce<RoleUsage>((usage, source) => sumRoleUsage(usage, source.usage?.()), {}),
  );
  const fingerprints = sources.map((source) => source.fingerprint?.());
  // Ids belong to who wrote them down: a generated case gives way.
  const isGenerated = ({ kind }: Source): boolean => kind === "generated";
  for (const source of sources.filter((one) => !isGenerated(one))) await pass.check(source);
  for (const source of sources.filter(isGenerated)) await pass.check(source);
  return pass.finish(sources, (selects) => secondPass(sources, fingerprints, selects));
}

class FirstPass {
  private readonly problems = new ProblemList();
  private readonly ids = new IdRegistry();
  private readonly inputs = new Map<Source, SuiteInput>();
  /** Generated cases whose id is taken. */
  private readonly leftOut = new Set<unknown>();
  private cases = 0;
  private selected = 0;
  private onlyMarked = 0;

  constructor(
    private readonly options: SuiteOptions,
    private readonly usage: () => RoleUsage,
  ) {}

  async check(source: Source): Promise<void> {
    let cases = 0;
    const leftOut = this.leftOut.size;
    this.ids.begin(source.name);
    try {
      for await (const item of source.read()) {
        if ("problem" in item) {
          this.problems.add(item.problem);
          // A generated case that was left out is no case.
          if (item.problem.severity === "warning") continue;
          cases++;
        } else {
          cases++;
          const isCase = await this.checkCase(item.raw, { ...item.origin, index: cases }, source);
          if (!isCase) cases--;
        }
      }
    } catch (error) {
      // One file that cannot be read must not hide what is wrong with the others.
      this.problems.add({
        code: "cannot_load",
        severity: "error",
        message: `it cannot be read: ${errorMessage(error)}`,
        file: source.name,
      });
      cases++;
    }
    if (cases === 0 && this.leftOut.size === leftOut)
      this.problems.add({
        code: "no_cases",
        severity: "error",
        message: "there is no test case in it",
        file: source.name,
      });
    this.cases += cases;
    this.inputs.set(source, { kind: source.kind, name: source.name, cases });
  }

  /** False if it is none, since it was left out. */
  private async checkCase(raw: unknown, origin: CaseOrigin, source: Source): Promise<boolean> {
    const { testCase, problems } = normaliseCase(raw, origin);
    let found = [...problems];
    // Whatever else is wrong with a case, it has taken its id.
    const id: unknown = testCase?.id ?? (isObject(raw) ? raw["id"] : undefined);
    const earlier = typeof id === "string" ? await this.ids.claim(id, origin) : undefined;
    if (earlier !== undefined && source.kind === "generated") {
      this.leftOut.add(raw);
      this.problems.add({
        code: "refused_case",
        severity: "warning",
        message: `the case "${String(id)}" was left out: its id is taken already, by ${earlier}`,
        file: source.name,
      });
      return false;
    }
    if (earlier !== undefined) found.push(duplicate(String(id), earlier, origin));
    if (testCase === undefined) found.push(...(await this.otherProblems(raw, origin)));
    else {
      found.push(...(await prepareCase(testCase, this.options.project, this.options)).problems);
      const written = source.kind === "file" || source.kind === "generated";
      if (written && hasNoInput(testCase, this.options)) found.push(noInput(testCase.id, origin));
      if (written && checksNothing(testCase, this.options))
        found.push(noAssertions(testCase.id, origin));
      if (this.options.filter?.(testCase) ?? true) {
        this.selected++;
        if (testCase.only === true) this.onlyMarked++;
      } else found = found.filter(({ severity }) => severity === "error");
    }
    for (const problem of found) this.problems.add(await located(problem, origin));
    return true;
  }

  /**
   * What is wrong with the assertions and references of a case that has other problems: all problems are shown at
   * once, not those of one stage after the other.
   */
  private async otherProblems(raw: unknown, origin: CaseOrigin): Promise<readonly Problem[]> {
    const parts = partsOf(raw);
    if (parts === undefined) return [];
    withOrigin(parts, { ...origin, raw: raw as RawRecord });
    return (await prepareCase(parts, this.options.project, this.options)).problems;
  }

  finish(
    sources: readonly Source[],
    read: (selects: (raw: unknown, testCase: TestCase) => boolean) => AsyncGenerator<TestCase>,
  ): LoadedSuite {
    const { problems, options } = this;
    if (sources.length === 0)
      problems.add({ code: "no_cases", severity: "error", message: "there is nothing to run" });
    else if (this.selected === 0 && this.cases > 0 && problems.errors.length === 0)
      problems.add({
        code: "no_cases",
        severity: "error",
        message:
          this.cases === 1
            ? "the only case is not selected by the filter"
            : `none of the ${this.cases} cases is selected by the filter`,
        hint: "Without a filter, turnwise list shows what there is.",
      });
    if (problems.errors.length > 0) return { problems: [...problems.errors, ...problems.warnings] };
    const marked = this.onlyMarked > 0;
    if (marked && this.onlyMarked < this.selected)
      problems.add({
        code: "ignored",
        severity: "warning",
        message: `${this.onlyMarked} of ${this.selected} cases are marked "only"; the others are left out`,
        hint: 'Remove "only" where it was meant for a moment.',
      });
    const selects = (raw: unknown, testCase: TestCase): boolean =>
      !this.leftOut.has(raw) &&
      (!marked || testCase.only === true) &&
      (options.filter?.(testCase) ?? true);
    return {
      suite: {
        project: options.project,
        count: marked ? this.onlyMarked : this.selected,
        inputs: sources.map((source) => this.inputs.get(source)!),
        checkedFor: options,
        warnings: problems.warnings,
        usage: this.usage(),
        [Symbol.asyncIterator]: () => read(selects),
      },
    };
  }
}

/** The second pass: streams what the first one has checked. */
async function* secondPass(
  sources: readonly Source[],
  fingerprints: readonly (string | undefined)[],
  selects: (raw: unknown, testCase: TestCase) => boolean,
): AsyncGenerator<TestCase> {
  for (const [index, source] of sources.entries()) {
    const same = (): void => {
      if (source.fingerprint?.() !== fingerprints[index])
        throw new SuiteChangedError(source.name, "the file was saved, or is gone");
    };
    same();
    for await (const item of readAgain(source)) {
      // What was left out the first time is left out again.
      if ("problem" in item && item.problem.severity === "warning") continue;
      const raw = "raw" in item ? item.raw : undefined;
      const testCase = "raw" in item ? normaliseCase(raw, item.origin).testCase : undefined;
      if (testCase === undefined)
        throw new SuiteChangedError(source.name, "a case that was valid is not any more");
      if (selects(raw, testCase)) yield testCase;
    }
    same();
  }
}

async function* readAgain(source: Source): AsyncGenerator<SourceItem> {
  try {
    yield* source.read();
  } catch (error) {
    throw new SuiteChangedError(source.name, `it cannot be read any more: ${errorMessage(error)}`);
  }
}

/** True for a case that nothing the agent says can fail. */
function checksNothing(testCase: TestCase, options: SuiteOptions): boolean {
  const { skip, turns, on_missing_input, interactive, simulator = options.simulator } = testCase;
  // Of a simulated user it is said in other words.
  const claims = typeof simulator === "string" || (simulator !== undefined && "use" in simulator);
  return (
    (skip === undefined || skip === false) &&
    turns.length > 0 &&
    on_missing_input !== "fail" &&
    !claims &&
    // The person decides.
    options.interactive !== true &&
    interactive?.enabled !== true &&
    verifiesNothing(testCase)
  );
}

function duplicate(id: string, earlier: string, origin: CaseOrigin): Problem {
  return {
    code: "duplicate_id",
    severity: "error",
    message: `the id "${id}" is taken already, by ${earlier}`,
    hint: "Ids must be unique in a run: results are told apart by them.",
    path: ["id"],
    case_id: id,
    ...placeOf(origin),
  };
}

/** Nothing in the case opens the conversation. Options of the command line may. */
export function hasNoInput(
  { skip, turns, simulator, interactive }: TestCase,
  options: Pick<SuiteOptions, "simulator" | "interactive">,
): boolean {
  const user = simulator ?? options.simulator;
  // Answers wait for a question.
  const opens = user !== undefined && (typeof user === "string" || "use" in user);
  return (
    (skip === undefined || skip === false) &&
    turns.length === 0 &&
    !opens &&
    options.interactive !== true &&
    interactive?.enabled !== true
  );
}

function noInput(id: string, origin: CaseOrigin): Problem {
  return {
    code: "missing_field",
    severity: "warning",
    message: 'this case has neither "input" nor "turns": nobody says anything',
    hint: 'Add "input", or "turns" with an "input" each.',
    case_id: id,
    ...placeOf(origin),
  };
}

function noAssertions(id: string, origin: CaseOrigin): Problem {
  return {
    code: "no_assertions",
    severity: "warning",
    message: "this case checks nothing: it passes whatever the agent says",
    hint: 'Add "assertions" to a turn, or "final_assertions".',
    case_id: id,
    ...placeOf(origin),
  };
}

function placeOf({ file, line }: CaseOrigin): Pick<Problem, "file" | "line"> {
  return { ...(file === undefined ? {} : { file }), ...(line === undefined ? {} : { line }) };
}

/** Remembers who has which id. There may be a million, so all that is kept of a place is a number. */
class IdRegistry {
  private readonly ids = new IdTable();
  /** Where the numbers of a source begin. */
  private readonly starts: { readonly source: string; readonly from: number; lines: boolean }[] =
    [];
  /** Origins that can find lines; such sources are held in memory anyway. */
  private readonly origins = new Map<number, CaseOrigin>();
  private next = 0;

  begin(source: string): void {
    this.starts.push({ source, from: this.next, lines: false });
  }

  /** Takes the id, or says in words who has it. */
  async claim(id: string, origin: CaseOrigin): Promise<string | undefined> {
    const start = this.starts.at(-1)!;
    start.lines = origin.line !== undefined;
    const number = start.from + (origin.line ?? origin.index ?? 1);
    this.next = Math.max(this.next, number);
    const earlier = this.ids.claim(id, number);
    if (earlier !== undefined) return this.describe(earlier);
    if (origin.locate !== undefined) this.origins.set(number, origin);
    return undefined;
  }

  private async describe(number: number): Promise<string> {
    const { source, from, lines } = this.starts.findLast((start) => start.from < number)!;
    if (lines) return `${source}:${number - from}`;
    const line = await this.origins.get(number)?.locate!([]);
    return line === undefined ? `case ${number - from} of ${source}` : `${source}:${line}`;
  }
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
