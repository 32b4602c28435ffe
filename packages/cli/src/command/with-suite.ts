import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type * as Core from "@turnwise/core";
import type { Problem, Project, Suite, TestCase } from "@turnwise/core";
import type { OptionValues } from "../option/option.js";
import type { selectOptions } from "../option/select-options.js";
import type { CommandEnvironment } from "./command.js";
import { useColor, write } from "../output.js";
import { exitCodes } from "./command.js";
import { problemReport } from "./problem-report.js";

/** What a command that reads cases works with. */
export interface LoadedCases {
  readonly core: typeof Core;
  readonly project: Project;
  readonly suite: Suite;
  /** Prints problems and gives the exit code for them. */
  readonly refuse: (problems: readonly Problem[]) => Promise<number>;
}

/**
 * Loads project and cases, shows what is wrong with them, and hands them to the command. Returns the exit code: that
 * of the command, or the one for wrong usage when nothing could be loaded.
 */
export async function withSuite(
  values: OptionValues<typeof selectOptions>,
  environment: CommandEnvironment,
  {
    running,
    maxTurns,
    interactive,
    talk = { id: "talk" },
  }: {
    /** Whether cases are going to be run, and so need an agent to test. */
    readonly running: boolean;
    readonly maxTurns?: number | undefined;
    readonly interactive?: boolean | undefined;
    /** The case that somebody at the terminal begins, when there is no input. */
    readonly talk?: object;
  },
  command: (loaded: LoadedCases) => Promise<number>,
): Promise<number> {
  const core = await import("@turnwise/core");
  const { cwd, env, output } = environment;
  const style = { running, color: values.color !== false && useColor(output.stderr, env), cwd };
  const refuse = async (problems: readonly Problem[]): Promise<number> => {
    await write(output.stderr, problemReport(problems, style));
    return exitCodes.usage;
  };
  try {
    const project = await loadProject(core, values.config, environment);
    // With somebody at the terminal a conversation needs no input: they begin.
    if (values.input === undefined && interactive !== true)
      return await refuse([
        {
          code: "no_cases",
          severity: "error",
          message: "there is nothing to run",
          hint: 'Name a case file or a message: turnwise test -i tests/first.jsonl, or -i "Hello".',
        },
      ]);
    const filter = await filterOf(core, values);
    if (filter !== undefined && "problem" in filter) return await refuse([filter.problem]);
    const options = {
      project,
      ...(filter === undefined ? {} : { filter: filter.selects }),
      needsTarget: running,
      maxTurns,
      connector: values.connector,
      simulator: values.simulator,
      interactive,
      ...(values.name === undefined ? {} : { agent: values.name }),
    };
    const { stdin, signal } = environment;
    const loaded =
      values.input === undefined
        ? await core.suiteOfCases([talk], options, "you")
        : await core.loadSuite(await expand(core, values.input, cwd), {
            ...options,
            cwd,
            stdin,
            signal,
          });
    if (environment.signal.aborted) return exitCodes.interrupted;
    const strictly = (problems: readonly Problem[]): readonly Problem[] =>
      values.strict === true
        ? problems.map((problem) => ({ ...problem, severity: "error" }))
        : problems;
    if (loaded.suite === undefined) return await refuse(strictly(loaded.problems));
    const { warnings } = loaded.suite;
    if (warnings.length > 0 && values.strict === true) return await refuse(strictly(warnings));
    if (warnings.length > 0) await write(output.stderr, problemReport(warnings, style));
    return await command({ core, project, suite: loaded.suite, refuse });
  } catch (error) {
    if (core.InvalidProjectError.isInstance(error)) return refuse(error.problems);
    // Whatever else Turnwise throws itself is for people; the rest is a bug and keeps its stack.
    if (!core.TurnwiseError.isInstance(error)) throw error;
    await write(output.stderr, `error ${core.plainText(error.message)}\n`);
    return exitCodes.usage;
  }
}

/** Loads the project of the working directory, with its `.env`. */
export async function loadProject(
  core: typeof Core,
  config: string | undefined,
  { cwd, env, plugins, alias }: CommandEnvironment,
): Promise<Project> {
  const configFile = config === undefined ? core.findConfig(cwd) : resolve(cwd, config);
  // Agents and configs written as modules read the process environment, so .env must be there before they load.
  const root = configFile === undefined ? cwd : resolve(configFile, "..");
  for (const [name, value] of Object.entries(core.readEnvironment(root, env))) env[name] ??= value;
  return core.loadProject({
    root: cwd,
    plugins,
    env,
    alias,
    ...(config === undefined ? {} : { config }),
  });
}

async function filterOf(
  core: typeof Core,
  { grep, tag }: OptionValues<typeof selectOptions>,
): Promise<
  { readonly selects: (testCase: TestCase) => boolean } | { readonly problem: Problem } | undefined
> {
  if (grep === undefined && tag === undefined) return undefined;
  try {
    const pattern = grep === undefined ? undefined : await core.compilePattern(grep);
    return {
      selects: ({ id, name, tags }) =>
        (pattern === undefined || pattern.test(id) || (name !== undefined && pattern.test(name))) &&
        (tag === undefined || tag.some((wanted) => tags?.includes(wanted) === true)),
    };
  } catch (error) {
    return {
      problem: {
        code: "invalid_pattern",
        severity: "error",
        message: `--grep: ${core.errorMessage(error)}`,
      },
    };
  }
}

/** Replaces patterns by the files that match, in order. One that matches nothing stays, and is refused later. */
async function expand(
  core: typeof Core,
  inputs: readonly string[],
  cwd: string,
): Promise<readonly string[]> {
  const expanded: string[] = [];
  /** A file that is named and matched by a pattern too is one file. */
  const files = new Set<string>();
  const addFile = (file: string): void => {
    const path = resolve(cwd, file);
    if (!files.has(path)) expanded.push(file);
    files.add(path);
  };
  for (const input of inputs) {
    if (existsSync(resolve(cwd, input))) {
      addFile(input);
      continue;
    }
    if (!core.isGlob(input)) {
      expanded.push(input);
      continue;
    }
    const { glob } = await import("tinyglobby");
    const found = await glob(input, {
      cwd,
      ignore: ["**/node_modules/**"],
      expandDirectories: false,
    });
    if (found.length === 0) expanded.push(input);
    for (const file of found.toSorted()) addFile(file);
  }
  return expanded;
}
