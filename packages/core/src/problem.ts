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

/** Every kind of problem: what it is, and what to do about it. */
export const problemCodes = {
  unknown_key: {
    meaning: "a field that does not exist",
    remedy: "Correct its name or remove it. Data of your own belongs into options.metadata.",
  },
  invalid_value: {
    meaning: "a value of the wrong type, or out of range",
    remedy: "Give a value of the kind that the message names.",
  },
  missing_field: {
    meaning: "a required field is absent",
    remedy: "Add it.",
  },
  conflict: {
    meaning: "two fields that contradict each other",
    remedy: "Keep one of them.",
  },
  duplicate_key: {
    meaning: "an object that has a key twice",
    remedy: "Rename or remove one of them: the first would be lost.",
  },
  invalid_json: {
    meaning: "text that is not JSON",
    remedy: "Correct it at the place that the message names.",
  },
  invalid_yaml: {
    meaning: "text that is not YAML 1.2",
    remedy: "Correct it at the place that the message names.",
  },
  invalid_encoding: {
    meaning: "bytes that are not UTF-8, or text with half a character",
    remedy: "Save the file as UTF-8, and write characters beyond U+FFFF whole.",
  },
  too_large: {
    meaning: "a line or file that is too large to be read",
    remedy: "Split it, or put large attachments into files of their own.",
  },
  duplicate_id: {
    meaning: "two cases, or two checkpoints of a case, with the same id",
    remedy: "Give one of them another id.",
  },
  invalid_duration: {
    meaning: "a duration that cannot be read",
    remedy: 'Write "30s", "5m", "1h" or a number of milliseconds, up to a day.',
  },
  invalid_pattern: {
    meaning: "a regular expression that cannot be compiled",
    remedy: 'Write it in RE2 syntax; a regex assertion with look-around needs "engine": "js".',
  },
  invalid_path: {
    meaning: "a JSONPath that cannot be read",
    remedy: "See docs/json-path.md for what a path can be.",
  },
  invalid_schema: {
    meaning: "a JSON Schema that cannot be compiled",
    remedy: "Correct the schema: keywords and formats are those of the draft that it names.",
  },
  invalid_reference: {
    meaning: "a reference that is not of the form agents:<id> or scripts:<id>",
    remedy: "Write agents:<id> or scripts:<id>.",
  },
  unknown_agent: {
    meaning: "an agent that nothing defines",
    remedy: "Correct the id, put the agent into agents/, or add it to the config.",
  },
  unknown_script: {
    meaning: "a script that nothing defines",
    remedy: "Correct the id, put the script into scripts/, or add it to the config.",
  },
  unknown_assertion: {
    meaning: "an assertion type that no plugin defines",
    remedy: "Correct the type, or add the plugin that brings it.",
  },
  unknown_adapter: {
    meaning: "an agent type that no plugin defines",
    remedy: "Correct the type, or add the plugin that brings it.",
  },
  unknown_connector: {
    meaning: "a connector that the config does not have",
    remedy: 'Correct its name, or add it under "connectors" in the config.',
  },
  no_connector: {
    meaning: "an agent that calls a model, without what is needed to call it",
    remedy: "Name a connector with -c or in the config, and set its key.",
  },
  unknown_reporter: {
    meaning: "a reporter that no plugin defines",
    remedy: "Correct the name or the extension, or add the plugin that brings it.",
  },
  unknown_checkpoint: {
    meaning: "a checkpoint that the case does not have",
    remedy: "Correct the id, or add the checkpoint.",
  },
  duplicate_definition: {
    meaning: "two plugins that define the same name",
    remedy: "Remove one of the plugins.",
  },
  cannot_load: {
    meaning: "a module, plugin or file that fails to load",
    remedy: "Correct the error that the message gives; it comes from the file itself.",
  },
  no_target: {
    meaning: "no agent to test",
    remedy: "Name one with -n, in the case, or as defaults.agent of the config.",
  },
  missing_file: {
    meaning: "a file that does not exist",
    remedy: "Correct the path. Paths of a case begin at its file, others at the working directory.",
  },
  no_cases: {
    meaning: "nothing to run",
    remedy: "Add a case, or widen the filter.",
  },
  unset_variable: {
    meaning: "a ${VARIABLE} that is not set",
    remedy: "Set it, or put it into .env in the project root.",
  },
  not_supported: {
    meaning: "a feature that this version does not have yet",
    remedy: "Leave it out until it is there.",
  },
  unverified_goal: {
    meaning: "a simulated case in which nothing checks what the simulated user claims",
    remedy: "Add final_assertions, checkpoints or invariants.",
  },
  generator_failed: {
    meaning: "a generator that made no case that can be run",
    remedy: "Correct the generator, or what it is told.",
  },
  refused_case: {
    meaning: "a generated case that was left out",
    remedy: "Nothing has to be done; a generator that is told what is wrong makes better cases.",
  },
  no_assertions: {
    meaning: "a case that checks nothing",
    remedy: "Say what must hold: add an assertion, a required checkpoint or an invariant.",
  },
  ignored: {
    meaning: "something given that has no effect",
    remedy: "Remove it, or give what it needs.",
  },
} as const satisfies Readonly<Record<string, { meaning: string; remedy: string }>>;
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
  // An id may be what is wrong: a line break in it would take the line apart.
  const name = problem.case_id?.replaceAll(/\s+/g, " ") ?? "";
  const id = name === "" ? "" : `[${name}] `;
  const path =
    problem.path === undefined || problem.path.length === 0 ? "" : `${formatPath(problem.path)}: `;
  const hint = problem.hint === undefined ? "" : `\n    ${problem.hint}`;
  return `${place}${id}${path}${problem.message}${hint}`;
}

/** Several problems, a line each (and their hints below them). */
export function formatProblems(problems: readonly Problem[]): string {
  return problems.map(formatProblem).join("\n");
}
