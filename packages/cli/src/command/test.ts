import { existsSync, realpathSync } from "node:fs";
import { relative, resolve } from "node:path";
import type * as Core from "@turnwise/core";
import type {
  CaseResult,
  Problem,
  Project,
  ReporterConfig,
  ReporterUse,
  RunSummary,
  Suite,
} from "@turnwise/core";
import type { OptionValues } from "../option/option.js";
import type { CommandEnvironment } from "./command.js";
import { testOptions } from "../option/test-options.js";
import { useColor, write } from "../output.js";
import { CaseSaver } from "../terminal/case-saver.js";
import { exitCodes } from "./command.js";
import { terminalOf, whileOpen, whyNoTerminal } from "./terminal.js";
import { writeCases } from "./write-cases.js";
import { withSuite } from "./with-suite.js";

/** Runs the cases of the inputs and reports them. Returns the exit code. */
export function test(
  values: OptionValues<typeof testOptions>,
  environment: CommandEnvironment,
): Promise<number> {
  const interactive = values.skipInteractive === true ? false : values.interactive;
  const options = { running: values.dryRun !== true, maxTurns: values.maxTurns, interactive };
  return withSuite(values, environment, options, async (loaded) => {
    const { core, project, suite, refuse } = loaded;
    const { output } = environment;
    const durations = badDurations(core, values);
    if (durations.length > 0) return refuse(durations);
    const { cwd } = environment;
    const reporters =
      values.dryRun === true ? { uses: [] } : reportersOf(values, project, environment);
    if ("problems" in reporters) return refuse(reporters.problems);
    const outputs = [
      ...(values.output ?? []).map((file) => resolve(cwd, file)),
      ...reporters.uses.flatMap(({ path }) => (path === undefined ? [] : [path])),
    ];
    const overwritten = overwrites(outputs, suite, project, cwd);
    if (overwritten.length > 0) return refuse(overwritten);
    if (values.dryRun === true) return writeCases(loaded, values.output, environment);
    const saver = new CaseSaver({ cwd, suite, suggest: false });
    const terminal =
      values.json === true
        ? undefined
        : await terminalOf(environment, {
            live: values.quiet === true ? false : "run",
            color: values.color,
            save: (view, file) => saver.want(view, file),
          });
    if (values.input === undefined && terminal?.human === undefined) {
      await terminal?.close();
      return refuse([
        {
          code: "no_cases",
          severity: "error",
          message: `without -i you begin, which needs a terminal, and ${whyNoTerminal(environment)}`,
          hint: 'Name a case file or a message with -i: turnwise test -i "Hello".',
        },
      ]);
    }
    const save = async (result: CaseResult): Promise<void> => {
      const saved = await saver.take(result);
      if (saved !== undefined) await write(output.stdout, saved);
    };
    const run = (): Promise<RunSummary> =>
      core.runSuite({
        suite,
        project,
        reporters: reporters.uses,
        signal: environment.signal,
        ...(terminal?.human === undefined ? {} : { human: terminal.human }),
        ...(terminal === undefined
          ? {}
          : {
              onEvent(event) {
                terminal.onEvent(event);
                return event.type === "case-end" ? save(event.result) : undefined;
              },
            }),
        limits: {
          ...(values.parallel === undefined ? {} : { parallel: values.parallel }),
          ...(values.timeout === undefined ? {} : { timeout: values.timeout }),
          ...(values.turnTimeout === undefined ? {} : { turnTimeout: values.turnTimeout }),
          ...(values.onMissingInput === undefined ? {} : { onMissingInput: values.onMissingInput }),
          ...(values.repeat === undefined ? {} : { repeat: values.repeat }),
          ...(values.retries === undefined ? {} : { retries: values.retries }),
          ...(values.failFast === true ? { failFast: true } : {}),
        },
      });
    const summary = await whileOpen(terminal, run);
    if (values.output !== undefined && values.quiet !== true && values.json !== true)
      await write(output.stdout, `\nResults: ${values.output.join(", ")}\n`);
    for (const { reporter, message } of summary.reporter_errors)
      await write(output.stderr, core.plainText(`The reporter "${reporter}" failed: ${message}\n`));
    for (const { message } of summary.hook_errors)
      await write(output.stderr, core.plainText(`${message}\n`));
    const code = exitCodeOf(summary, values);
    if (code === exitCodes.failed && summary.failed === 0)
      await write(
        output.stderr,
        `\n${summary.skipped === 1 ? "A case was" : `${summary.skipped} cases were`} skipped, which --fail-on-skip does not allow.\n`,
      );
    return code;
  });
}

function badDurations(core: typeof Core, values: OptionValues<typeof testOptions>): Problem[] {
  return (["timeout", "turnTimeout"] as const).flatMap((key) => {
    const value = values[key];
    if (value === undefined) return [];
    try {
      core.parseDuration(value);
      return [];
    } catch (error) {
      const flag = testOptions[key].flags.split(" ")[0]!;
      const message = `${flag}: ${core.errorMessage(error)}`;
      return [{ code: "invalid_duration" as const, severity: "error" as const, message }];
    }
  });
}

/** Outputs that would destroy what the run reads. */
function overwrites(
  outputs: readonly string[],
  suite: Suite,
  project: Project,
  cwd: string,
): Problem[] {
  const read = new Map<string, string>();
  for (const { kind, name } of suite.inputs)
    if (kind === "file") read.set(realPath(resolve(cwd, name)), "a case file of this run");
  if (project.configFile !== undefined) read.set(realPath(project.configFile), "the config");
  return [...new Set(outputs)].flatMap((path) => {
    const what = read.get(realPath(path));
    if (what === undefined) return [];
    const message = `the results in ${relative(cwd, path)} would overwrite ${what}`;
    const hint = "Name another file for the results.";
    return [{ code: "conflict" as const, severity: "error" as const, message, hint }];
  });
}

/** The file behind links, if it is there. */
function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

/** The exit code for a run: the first that holds, from the most to the least urgent. */
function exitCodeOf(
  summary: RunSummary,
  { strict, failOnSkip }: OptionValues<typeof testOptions>,
): number {
  if (summary.interrupted) return exitCodes.interrupted;
  if (summary.failed > 0) return exitCodes.failed;
  if (failOnSkip === true && summary.skipped > summary.cancelled) return exitCodes.failed;
  if (summary.errors + summary.reporter_errors.length + summary.hook_errors.length > 0)
    return exitCodes.error;
  if (strict === true && summary.warnings.length > 0) return exitCodes.usage;
  return exitCodes.passed;
}

function configuredReporters(project: Project): readonly Exclude<ReporterConfig, string>[] {
  return (project.config.reporters ?? []).map((entry) =>
    typeof entry === "string" ? { name: entry } : entry,
  );
}

/** Options that the config gives to the console that is there anyway. */
function consoleOptions(project: Project): object {
  const configured = configuredReporters(project).find(
    ({ name, path }) => name === "console" && path === undefined,
  );
  return typeof configured?.options === "object" ? { ...configured.options } : {};
}

/** What a run of one of the cases needs beside the case. */
function argumentsOf(values: OptionValues<typeof testOptions>): string[] {
  const keys = [
    "name",
    "connector",
    "simulator",
    "config",
    "timeout",
    "turnTimeout",
    "maxTurns",
    "onMissingInput",
    "interactive",
    "skipInteractive",
  ] as const;
  return keys.flatMap((key) => {
    const value = values[key];
    // The shortest form, as people type it.
    const flag = testOptions[key].flags.split(/[ ,]/)[0]!;
    if (value === undefined || value === false) return [];
    return value === true ? [flag] : [flag, String(value)];
  });
}

/** The console, what the config adds, and the files of `-o`. */
function reportersOf(
  values: OptionValues<typeof testOptions>,
  project: Project,
  { cwd, env, output }: CommandEnvironment,
): { readonly uses: ReporterUse[] } | { readonly problems: Problem[] } {
  const stdout = { write: (text: string) => write(output.stdout, text) };
  const { columns } = output.stdout as Partial<NodeJS.WriteStream>;
  const uses: ReporterUse[] = [];
  if (values.json === true) uses.push({ reporter: "events", stream: stdout });
  else
    uses.push({
      reporter: "console",
      options: {
        ...consoleOptions(project),
        ...(values.verbose === true ? { verbose: true } : {}),
        ...(values.quiet === true ? { quiet: true } : {}),
        color: values.color !== false && useColor(output.stdout, env),
        // A terminal that does not know its size says 0.
        ...(columns === undefined || columns < 1 ? {} : { columns }),
        arguments: argumentsOf(values),
      },
      stream: stdout,
    });
  for (const use of configuredReporters(project)) {
    if (use.name === "console" && use.path === undefined) continue;
    uses.push({
      reporter: use.name,
      ...(use.options === undefined ? {} : { options: use.options }),
      ...(use.path === undefined ? {} : { path: resolve(project.root, use.path) }),
      // Standard output belongs to the events.
      stream: values.json === true ? { write: (text) => write(output.stderr, text) } : stdout,
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
