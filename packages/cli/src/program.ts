import { Command, CommanderError } from "commander";
import type { LazyPlugin } from "@turnwise/core";
import type { CommandEnvironment } from "./command/command.js";
import type { CommandDefinition } from "./commands.js";
import type { Output } from "./output.js";
import { commands, exitCodeMeanings } from "./commands.js";
import { plannedFlags } from "./option/test-options.js";
import { addOptions } from "./option/to-commander.js";
import { reserveStdout, write } from "./output.js";

/** What the app wires into the program. */
export interface ProgramOptions {
  readonly version: string;
  /** The built-in plugins. Loaded by the commands that need them, never for `--help`. */
  readonly plugins: readonly LazyPlugin[];
  /** Package names that must mean the running copies in modules of a project, with their entry files. */
  readonly alias?: Readonly<Record<string, string>>;
  /** Default: the working directory of the process. */
  readonly cwd?: string;
  /** Default: the environment of the process. `.env` of the project is added to it. */
  readonly env?: Record<string, string | undefined>;
  /** Default: the standard streams of the process. */
  readonly output?: Output;
  /** Default: standard input. */
  readonly stdin?: AsyncIterable<Buffer>;
  /** Aborting it cancels a run. */
  readonly signal?: AbortSignal;
}

/** The program, ready to be run with the arguments after the program name. */
export interface Program {
  /** Resolves to the exit code, never rejects. */
  run(args: readonly string[]): Promise<number>;
}

const usageError = 2;
/** As sysexits.h has it: an internal error. */
const bug = 70;

/** Builds the command line. Nothing but commander is loaded before a command runs. */
export function createProgram(options: ProgramOptions): Program {
  let output = options.output ?? { stdout: process.stdout, stderr: process.stderr };
  const environment: CommandEnvironment = {
    version: options.version,
    cwd: options.cwd ?? process.cwd(),
    env: options.env ?? process.env,
    get output() {
      return output;
    },
    // Looked at only when something reads it: touching standard input opens it.
    get stdin() {
      return options.stdin ?? process.stdin;
    },
    plugins: options.plugins,
    alias: options.alias ?? {},
    signal: options.signal ?? new AbortController().signal,
  };
  return {
    async run(args) {
      let exitCode = 0;
      const written: Promise<void>[] = [];
      const root = new Command("turnwise")
        .description("Tests conversational AI agents turn by turn.")
        .version(options.version)
        .exitOverride()
        .configureOutput({
          writeOut: (text) => void written.push(write(output.stdout, text)),
          writeErr: (text) => void written.push(write(output.stderr, text)),
        });
      for (const definition of commands)
        addCommand(root, definition, async (values) => {
          if (definition.writesData?.(values) === true) output = reserveStdout(output);
          exitCode = await definition.run(values, environment);
        });
      try {
        if (args.length === 0) root.outputHelp();
        else await root.parseAsync(args, { from: "user" });
      } catch (error) {
        if (error instanceof CommanderError) exitCode = error.exitCode === 0 ? 0 : usageError;
        else {
          exitCode = bug;
          const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
          written.push(write(output.stderr, `This is a bug in Turnwise:\n${text}\n`));
        }
      }
      await Promise.all(written);
      return exitCode;
    },
  };
}

function addCommand(
  root: Command,
  { name, description, options, examples }: CommandDefinition,
  action: (values: Readonly<Record<string, unknown>>) => Promise<void>,
): void {
  const command = root
    .command(name)
    .description(description)
    .showHelpAfterError(`(turnwise ${name} --help lists the options)`)
    .addHelpText(
      "after",
      helpAfter(examples, options["output"] !== undefined || name === "validate"),
    )
    .allowExcessArguments()
    .action(async (values: Readonly<Record<string, unknown>>) => {
      const [surplus] = command.args;
      if (surplus !== undefined)
        command.error(
          `error: unexpected argument '${surplus}'${options["input"] === undefined ? "" : `; inputs are given with -i: turnwise ${name} -i ${surplus}`}`,
        );
      await action(values);
    });
  addOptions(command, options);
  // What is planned is refused by name: "unknown option" would sound like a typo.
  const parseOptions = command.parseOptions.bind(command);
  command.parseOptions = (args) => {
    const parsed = parseOptions(args);
    const planned = parsed.unknown
      .map((arg) => arg.split("=")[0]!)
      .find((flag) => plannedFlags.includes(flag));
    if (planned !== undefined) command.error(`error: ${planned} is not supported yet`);
    return parsed;
  };
}

function helpAfter(examples: readonly string[], judges: boolean): string {
  const codes = exitCodeMeanings.map(
    ([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`,
  );
  return [
    "",
    "Examples:",
    ...examples.map((example) => `  $ ${example}`),
    ...(judges ? ["", "Exit codes:", ...codes] : []),
  ].join("\n");
}
