import { Command, CommanderError } from "commander";
import type { LazyPlugin } from "@turnwise/core";
import type { CommandEnvironment } from "./command/test.js";
import type { OptionValues } from "./option/option.js";
import type { Output } from "./output.js";
import { plannedFlags, testOptions } from "./option/test-options.js";
import { addOptions } from "./option/to-commander.js";
import { write } from "./output.js";

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
  /** Aborting it cancels a run. */
  readonly signal?: AbortSignal;
}

/** The program, ready to be run with the arguments after the program name. */
export interface Program {
  /** Resolves to the exit code, never rejects. */
  run(args: readonly string[]): Promise<number>;
}

const usageError = 2;
const bug = 70;

/** Builds the command line. Nothing but commander is loaded before a command runs. */
export function createProgram(options: ProgramOptions): Program {
  const output = options.output ?? { stdout: process.stdout, stderr: process.stderr };
  return {
    async run(args) {
      let exitCode = 0;
      const written: Promise<void>[] = [];
      const root = new Command("turnwise")
        .description("Tests conversational AI agents turn by turn.")
        .version(options.version)
        .exitOverride()
        .showHelpAfterError("(turnwise test --help lists the options)")
        .configureOutput({
          writeOut: (text) => void written.push(write(output.stdout, text)),
          writeErr: (text) => void written.push(write(output.stderr, text)),
        });
      const environment: CommandEnvironment = {
        cwd: options.cwd ?? process.cwd(),
        env: options.env ?? process.env,
        output,
        plugins: options.plugins,
        alias: options.alias ?? {},
        signal: options.signal ?? new AbortController().signal,
      };
      const testCommand = root
        .command("test")
        .description("Run test cases against an agent.")
        .addHelpText("after", examples)
        .allowExcessArguments()
        .action(async (values: OptionValues<typeof testOptions>, command: Command) => {
          const [surplus] = command.args;
          if (surplus !== undefined)
            command.error(
              `error: unexpected argument '${surplus}'; inputs are given with -i: turnwise test -i ${surplus}`,
            );
          const { test } = await import("./command/test.js");
          exitCode = await test(values, environment);
        });
      addOptions(testCommand, testOptions);
      try {
        if (args.length === 0) root.outputHelp();
        else {
          const planned = args.find((arg) => plannedFlags.includes(arg.split("=")[0]!));
          if (planned !== undefined && args[0] === "test")
            root.error(`error: ${planned.split("=")[0]} is not supported yet`);
          await root.parseAsync(args, { from: "user" });
        }
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

const examples = `
Examples:
  $ turnwise test -i tests/expense.jsonl -n assistants.expense
  $ turnwise test -i tests/a.jsonl -i tests/b.jsonl --parallel 10 -o results.jsonl
  $ turnwise test -i "Hello, what can you do?" -n assistants.expense

Exit codes: 0 all passed or skipped, 1 a case failed, 2 wrong usage or nothing to run,
3 a case could not be judged (not the agent's fault), 130 interrupted.
`;
