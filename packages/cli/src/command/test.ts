import { resolve } from "node:path";
import type { Problem, Project, ReporterUse, RunSummary } from "@turnwise/core";
import type { OptionValues } from "../option/option.js";
import type { testOptions } from "../option/test-options.js";
import type { CommandEnvironment } from "./command.js";
import { useColor, write } from "../output.js";
import { exitCodes } from "./command.js";
import { writeCases } from "./write-cases.js";
import { withSuite } from "./with-suite.js";

/** Runs the cases of the inputs and reports them. Returns the exit code. */
export function test(
  values: OptionValues<typeof testOptions>,
  environment: CommandEnvironment,
): Promise<number> {
  return withSuite(values, environment, { target: true }, async (loaded) => {
    const { core, project, suite, refuse } = loaded;
    const { output } = environment;
    if (values.dryRun === true) return writeCases(loaded, values.output, environment);
    const reporters = reportersOf(values, project, environment);
    if ("problems" in reporters) return refuse(reporters.problems);
    const summary = await core.runSuite({
      suite,
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
    return exitCodeOf(summary, { strict: values.strict === true });
  });
}

/** The exit code for a run: the first that holds, from the most to the least urgent. */
function exitCodeOf(summary: RunSummary, { strict }: { readonly strict: boolean }): number {
  if (summary.interrupted) return exitCodes.interrupted;
  if (summary.failed > 0) return exitCodes.failed;
  if (summary.errors > 0 || summary.reporter_errors.length > 0) return exitCodes.error;
  if (strict && summary.warnings.length > 0) return exitCodes.usage;
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
      options: {
        verbose: values.verbose === true,
        quiet: values.quiet === true,
        color: values.color !== false && useColor(output.stdout, env),
      },
      stream: { write: (text) => write(output.stdout, text) },
    },
  ];
  for (const entry of project.config.reporters ?? []) {
    const use = typeof entry === "string" ? { name: entry } : entry;
    if (use.name === "console" && use.path === undefined) continue;
    uses.push({
      reporter: use.name,
      ...(use.options === undefined ? {} : { options: use.options }),
      ...(use.path === undefined ? {} : { path: resolve(project.root, use.path) }),
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
