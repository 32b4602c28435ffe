import type { PreparedCase, PrepareOptions } from "../case/prepare-case.js";
import type { TestCase } from "../case/test-case.js";
import type { Project } from "../project/project.js";
import { prepareCase } from "../case/prepare-case.js";
import { originOf } from "../case/test-case.js";
import { SuiteChangedError } from "../errors.js";

/** One trial that is to be run. */
export interface TrialToRun {
  /** The case, compiled once for all of its trials. */
  readonly prepare: () => Promise<PreparedCase>;
  /** 1-based. */
  readonly trial: number;
  readonly trials: number;
}

/** The trials of the cases of a suite, those of a case one after the other. */
export async function* trialsOf(
  suite: AsyncIterable<TestCase>,
  {
    project,
    repeat,
    ...options
  }: PrepareOptions & {
    readonly project: Project;
    /** Trials of each case, over what cases say. */
    readonly repeat: number | undefined;
  },
): AsyncGenerator<TrialToRun> {
  for await (const testCase of suite) {
    let prepared: Promise<PreparedCase> | undefined;
    const prepare = (): Promise<PreparedCase> =>
      (prepared ??= prepareAgain(testCase, project, options));
    const skipped = testCase.skip !== undefined && testCase.skip !== false;
    const trials = skipped
      ? 1
      : (repeat ?? testCase.repeat ?? project.config.defaults?.repeat ?? 1);
    for (let trial = 1; trial <= trials; trial++) yield { prepare, trial, trials };
  }
}

async function prepareAgain(
  testCase: TestCase,
  project: Project,
  options: PrepareOptions,
): Promise<PreparedCase> {
  const { prepared, problems } = await prepareCase(testCase, project, options);
  if (prepared !== undefined) return prepared;
  const reason = problems[0]?.message ?? "unknown";
  throw new SuiteChangedError(
    originOf(testCase)?.file ?? "a case",
    `"${testCase.id}" was valid before, and is not now: ${reason}`,
  );
}
