import { writeSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { Program } from "./program.js";
import { exitCodes } from "./command/command.js";
import { isGone, write } from "./output.js";

/** How long what was left behind has to go wrong, in milliseconds. Whoever is later may not be waited for. */
const lastMoment = 2;

/**
 * Runs a program as the whole process. Ctrl-C (or SIGTERM, or SIGHUP) cancels what is running, a second one ends at
 * once. What an agent throws outside of a turn, in a timer or an unawaited promise, is shown and never lets a run look
 * green, but does not end it; neither does an agent that ends the process. The process ends when everything has been
 * written, even if an agent left a timer or a socket open.
 */
export async function runAndExit(
  create: (signal: AbortSignal) => Program,
  args: readonly string[],
): Promise<never> {
  const controller = new AbortController();
  let interrupts = 0;
  let strays = 0;
  let finished = false;
  let starved = false;
  process.on("beforeExit", () => (starved = true));
  const interrupt = (): void => {
    interrupts++;
    finished = interrupts > 1;
    if (finished) process.exit(exitCodes.interrupted);
    controller.abort();
  };
  // CI systems and closed terminals end a run as well: what it has started must not outlive it.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, interrupt);
  for (const event of ["uncaughtException", "unhandledRejection"] as const)
    process.on(event, (error: unknown) => {
      strays++;
      void write(process.stderr, `\nThrown outside of any turn (${event}): ${shortStack(error)}\n`);
    });
  process.on("exit", (code) => {
    if (finished) return;
    writeSync(
      2,
      starved
        ? "\nNothing is left to wait for: code of the project awaits what never comes. The run is not complete.\n"
        : `\nThe process was ended from outside of Turnwise (code ${code}), for example by process.exit in an agent. The run is not complete.\n`,
    );
    process.exitCode = exitCodes.error;
  });
  // A pipe whose reader has gone, as in `turnwise test ... | head`, or a terminal that was closed: thrown, it would be
  // written to what is not there, without end.
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: unknown) => {
      if (!isGone(error)) throw error;
    });
  const code = await create(controller.signal).run(args);
  // A run of agents that answer at once is over before Node has told of a rejection, or come to a timer.
  await setTimeout(lastMoment);
  if (strays > 0)
    await write(
      process.stderr,
      `\n${strays === 1 ? "An error was" : `${strays} errors were`} thrown outside of any turn (shown above): the run does not count as passed.\n`,
    );
  await Promise.all([write(process.stdout, ""), write(process.stderr, "")]);
  finished = true;
  process.exit(code === exitCodes.passed && strays > 0 ? exitCodes.error : code);
}

/** As `plainText` of core, which is not loaded at this place. */
// oxlint-disable-next-line no-control-regex -- control characters are the point
const controls = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;

/** An error with the frames of the user's code: the rest of the stack is ours and Node's. */
function shortStack(error: unknown): string {
  if (!(error instanceof Error)) return String(error).replaceAll(controls, "");
  const frames = (error.stack ?? "")
    .split("\n")
    .filter(
      (line) => /^\s+at /.test(line) && !/node:|node_modules|\/(core|cli)\/dist\//.test(line),
    );
  return [`${error.name}: ${error.message}`, ...frames.slice(0, 3)]
    .join("\n")
    .replaceAll(controls, "");
}
