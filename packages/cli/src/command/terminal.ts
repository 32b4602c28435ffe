import type { Human, RunEvent } from "@turnwise/core";
import { RunTracker } from "../terminal/run-state.js";
import type { Screen, ScreenSettings } from "../terminal/screen.js";
import type { CommandEnvironment } from "./command.js";
import { useColor } from "../output.js";

/** How long a run goes on before it is shown live, in milliseconds: a short one is over before the screen is loaded. */
const patience = 300;

/** What a command wants of a terminal. */
type Wanted = Pick<ScreenSettings, "live" | "always" | "save"> & {
  /** What `--no-color` says. */
  readonly color: boolean | undefined;
};

/** The terminal of a command, for as long as a run goes on. */
export interface Terminal {
  onEvent(event: RunEvent): void;
  /** Undefined if nobody can answer. */
  readonly human: Human | undefined;
  /** Gives the terminal back. */
  close(): Promise<void>;
}

/** Loads what draws. Its library of colours knows neither NO_COLOR nor our flag, and decides when it is loaded. */
export async function withColor<T>(color: boolean, load: () => Promise<T>): Promise<T> {
  const before = process.env["FORCE_COLOR"];
  if (!color) process.env["FORCE_COLOR"] = "0";
  try {
    return await load();
  } finally {
    if (before === undefined) delete process.env["FORCE_COLOR"];
    else process.env["FORCE_COLOR"] = before;
  }
}

/** Why nobody can be asked. */
export function whyNoTerminal({ output, env }: CommandEnvironment): string {
  if (output.stdout.isTTY !== true) return "standard output is none";
  if (env["TERM"] === "dumb") return "TERM is dumb";
  return "standard input is none, or the environment says that this is CI";
}

interface Streams {
  readonly stdout: NodeJS.WriteStream;
  readonly stdin: NodeJS.ReadStream;
}

/** The streams, if standard output is a terminal that can be drawn on. */
async function screenOf(environment: CommandEnvironment): Promise<Streams | undefined> {
  const { output, env } = environment;
  if (output.stdout.isTTY !== true || env["TERM"] === "dumb") return undefined;
  const { default: isInCi } = await import("is-in-ci");
  if (isInCi) return undefined;
  return {
    stdout: output.stdout as NodeJS.WriteStream,
    stdin: environment.stdin as unknown as NodeJS.ReadStream,
  };
}

/** The streams, if somebody sits in front of them. */
export async function keyboardOf(environment: CommandEnvironment): Promise<Streams | undefined> {
  const streams = await screenOf(environment);
  return streams?.stdin.isTTY === true ? streams : undefined;
}

/**
 * The terminal, if there is one. What draws on it is loaded when there is something to draw, and never in a pipe, in CI or
 * beside data on standard output.
 */
export async function terminalOf(
  environment: CommandEnvironment,
  { color, ...wanted }: Wanted,
): Promise<Terminal | undefined> {
  const { output, env } = environment;
  const streams = await screenOf(environment);
  if (streams === undefined) return undefined;
  const { stdout, stdin } = streams;
  const tracker = new RunTracker(Date.now);
  const colored = color !== false && useColor(stdout, env);
  let opening: Promise<Screen> | undefined;
  let screen: Screen | undefined;
  let closed = false;
  const open = (): Promise<Screen> =>
    (opening ??= withColor(colored, () => import("../terminal/screen.js")).then(
      ({ openScreen }) =>
        (screen = openScreen({
          ...wanted,
          tracker,
          stdout,
          stderr: output.stderr,
          stdin,
          color: colored,
          // Where keys are read one by one, Ctrl-C is a key. On Windows a real signal would end the process at once.
          interrupt: () => void process.emit("SIGINT"),
        })),
    ));
  const timer =
    wanted.live !== false
      ? setTimeout(() => void open().catch(() => undefined), patience)
      : undefined;
  return {
    onEvent(event) {
      tracker.take(event);
      screen?.onEvent(event);
    },
    human: stdin.isTTY
      ? {
          always: wanted.always === true,
          async ask(view) {
            const opened = await open();
            return closed ? { kind: "end" } : opened.ask(view);
          },
        }
      : undefined,
    async close() {
      closed = true;
      clearTimeout(timer);
      // Whoever needed a screen that cannot be opened has been told.
      await (await opening?.catch(() => undefined))?.close();
    },
  };
}

/** Gives the terminal back when the work is done, whatever comes of it. */
export async function whileOpen<T>(
  terminal: Terminal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } finally {
    await terminal?.close();
  }
}
