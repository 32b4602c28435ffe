/**
 * Something wrong with a file, a case or the configuration, found before anything runs. An `error` stops the run, a
 * `warning` is shown and the run goes on.
 */
export interface Problem {
  /** Stable name of the kind of problem, for example `unknown_key`. */
  readonly code: ProblemCode;
  readonly severity: "error" | "warning";
  /** What is wrong and what was expected, in one sentence. */
  readonly message: string;
  /** What to do about it, if the message does not say it already. */
  readonly hint?: string;
  /** Where inside the case or config, from the outside in. */
  readonly path?: readonly (string | number)[];
  readonly file?: string;
  /** 1-based line in `file`. */
  readonly line?: number;
  /** The id of the case, where it could be read. */
  readonly case_id?: string;
}

/** Every kind of problem, each with its meaning. */
export const problemCodes = {
  unknown_key: "a field that does not exist",
  invalid_value: "a value of the wrong type or out of range",
  missing_field: "a required field is absent",
  conflict: "two fields that contradict each other",
  invalid_json: "text that is not JSON",
  invalid_yaml: "text that is not YAML",
  invalid_encoding: "bytes that are not UTF-8",
  duplicate_id: "two cases with the same id",
  invalid_duration: "a duration that cannot be read",
  invalid_pattern: "a regular expression that cannot be compiled",
  invalid_path: "a JSONPath that cannot be read",
  invalid_schema: "a JSON Schema that cannot be compiled",
  invalid_reference: "a reference that is not of the form agents:<id> or scripts:<id>",
  unknown_agent: "an agent id that nothing defines",
  unknown_script: "a script id that nothing defines",
  unknown_assertion: "an assertion type that no plugin defines",
  unknown_adapter: "an agent type that no plugin defines",
  unknown_reporter: "a reporter that no plugin defines",
  duplicate_definition: "two plugins that define the same name",
  cannot_load: "a module, plugin or file that fails to load",
  unknown_checkpoint: "a checkpoint that the case does not have",
  no_target: "no agent to test",
  missing_file: "an input file that does not exist",
  no_cases: "an input without any case",
  unset_variable: "a ${VARIABLE} that is not set",
  not_supported: "a feature that this version does not have yet",
  no_assertions: "a case that checks nothing",
  ignored: "something given that has no effect",
} as const;
/** The stable name of a kind of problem. */
export type ProblemCode = keyof typeof problemCodes;

/** Turns a path into the way one would write it: `turns[0].assertions[1].value`. */
export function formatPath(path: readonly (string | number)[]): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else if (/^[A-Za-z_$][\w$-]*$/.test(part)) text += text === "" ? part : `.${part}`;
    else text += `[${JSON.stringify(part)}]`;
  }
  return text;
}

/** One problem as a line for people: place, case, path, what is wrong, what to do. */
export function formatProblem(problem: Problem): string {
  const place =
    problem.file === undefined
      ? ""
      : `${problem.file}${problem.line === undefined ? "" : `:${problem.line}`}  `;
  const id = problem.case_id === undefined ? "" : `[${problem.case_id}] `;
  const path =
    problem.path === undefined || problem.path.length === 0 ? "" : `${formatPath(problem.path)}: `;
  const hint = problem.hint === undefined ? "" : `\n    ${problem.hint}`;
  return `${place}${id}${path}${problem.message}${hint}`;
}

/** Several problems, a line each (and their hints below them). */
export function formatProblems(problems: readonly Problem[]): string {
  return problems.map(formatProblem).join("\n");
}
