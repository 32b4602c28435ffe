import { resolve } from "node:path";
import type * as Core from "@turnwise/core";
import type { LazyPlugin, Problem, Project, ReporterUse, RunSummary } from "@turnwise/core";
import type { Output } from "../output.js";
import type { OptionValues } from "../option/option.js";
import type { testOptions } from "../option/test-options.js";
import { useColor, write } from "../output.js";
import { problemReport } from "./problem-report.js";

/** What a command gets from the program around it. */
export interface CommandEnvironment {
  readonly cwd: string;
  readonly env: Record<string, string | undefined>;
  readonly output: Output;
  readonly plugins: readonly LazyPlugin[];
  readonly alias: Readonly<Record<string, string>>;
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal;
}

/** Exit codes of `turnwise test`. */
const exitCodes = { passed: 0, failed: 1, usage: 2, error: 3, interrupted: 130 } as const;

/** Runs the cases of the inputs and reports them. Returns the exit code. */
export async function test(
  values: OptionValues<typeof testOptions>,
  environment: CommandEnvironment,
): Promise<number> {
  const core = await import("@turnwise/core");
  const { cwd, env, output } = environment;
  const style = { color: useColor(output.stderr, env), cwd };
  const fail = async (problems: readonly Problem[]): Promise<number> => {
    await write(output.stderr, problemReport(problems, style));
    return exitCodes.usage;
  };
  try {
    const project = await loadProject(core, values.config, environment);
    if (values.input === undefined)
      return await fail([
        {
          code: "no_cases",
          severity: "error",
          message: "there is nothing to run",
          hint: 'Name a case file or a message: turnwise test -i tests/first.jsonl, or -i "Hello".',
        },
      ]);
    const loaded = await core.loadSuite(values.input, {
      project,
      cwd,
      ...(values.name === undefined ? {} : { agent: values.name }),
    });
    if (loaded.suite === undefined) return await fail(loaded.problems);
    const reporters = reportersOf(values, project, environment);
    if ("problems" in reporters) return await fail(reporters.problems);
    if (loaded.suite.warnings.length > 0)
      await write(output.stderr, problemReport(loaded.suite.warnings, style));
    const summary = await core.runSuite({
      suite: loaded.suite,
      project,
      reporters: reporters.uses,
      signal: environment.signal,
      ...(values.name === undefined ? {} : { agent: values.name }),
      limits: {
        ...(values.parallel === undefined ? {} : { parallel: values.parallel }),
        ...(values.timeout === undefined ? {} : { timeout: values.timeout }),
        ...(values.turnTimeout === undefined ? {} : { turnTimeout: values.turnTimeout }),
        ...(values.onMissingInput === undefined ? {} : { onMissingInput: values.onMissingInput }),
      },
    });
    for (const { reporter, message } of summary.reporter_errors)
      await write(output.stderr, `The reporter "${reporter}" failed: ${message}\n`);
    return exitCodeOf(summary);
  } catch (error) {
    if (core.InvalidProjectError.isInstance(error)) return fail(error.problems);
    // Whatever else Turnwise throws itself is for people; the rest is a bug and keeps its stack.
    if (!core.TurnwiseError.isInstance(error)) throw error;
    await write(output.stderr, `${error.message}\n`);
    return exitCodes.usage;
  }
}

async function loadProject(
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

/** The exit code for a run: the first that holds, from the most to the least urgent. */
function exitCodeOf(summary: RunSummary): number {
  if (summary.interrupted) return exitCodes.interrupted;
  if (summary.failed > 0) return exitCodes.failed;
  if (summary.errors > 0 || summary.reporter_errors.length > 0) return exitCodes.error;
  return exitCodes.passed;
}

/** The console, what the config adds, and the files of `-o`. */
function reportersOf(
  values: OptionValues<typeof testOptions>,
  project: Project,
  { cwd, env, output }: CommandEnvironment,
): { readonly uses: ReporterUse[] } | { readonly problems: Problem[] } {
  const uses: ReporterUse[] = [
    {
      reporter: "console",
      options: { verbose: values.verbose === true, color: useColor(output.stdout, env) },
      stream: { write: (text) => write(output.stdout, text) },
    },
  ];
  for (const entry of project.config.reporters ?? []) {
    const { name, path, options } =
      typeof entry === "string"
        ? { name: entry }
        : (entry as { name: string; path?: string; options?: unknown });
    if (name === "console" && path === undefined) continue;
    uses.push({
      reporter: name,
      ...(options === undefined ? {} : { options }),
      ...(path === undefined ? {} : { path: resolve(project.root, path) }),
    });
  }
  const problems: Problem[] = [];
  for (const file of values.output ?? []) {
    const found = [...project.reporters.values()].find((reporter) =>
      reporter.extensions?.some((extension) => file.toLowerCase().endsWith(extension)),
    );
    if (found !== undefined) uses.push({ reporter: found.name, path: resolve(cwd, file) });
    else {
      const known = [...project.reporters.values()].flatMap(
        (reporter) => reporter.extensions ?? [],
      );
      problems.push({
        code: "unknown_reporter",
        severity: "error",
        message: `no reporter writes files such as ${file}`,
        hint: `Extensions that are known: ${known.join(", ")}.`,
      });
    }
  }
  return problems.length > 0 ? { problems } : { uses };
}
