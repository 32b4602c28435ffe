import { availableParallelism } from "node:os";
import { AuthorError, errorMessage, errorPlace } from "../errors.js";
import { formatDuration } from "../duration.js";
import { Places } from "../places.js";
import { noFunction } from "./load-script.js";
import type { Answer, End, Thrown } from "./script-process.js";
import { memory, ScriptProcess } from "./script-process.js";

/** How long a script may take once its module is there, in milliseconds. */
const usualTimeout = 10_000;
/** How long its process and its module may take to start, in milliseconds. */
const usualLoadTimeout = 30_000;
/** How long a process has to show that it still listens, in milliseconds. */
const pingTimeout = 250;
/** How long a process is kept without work, in milliseconds. */
const idleTime = 5_000;
/** Processes at once. */
const mostProcesses = Math.max(1, Math.min(4, availableParallelism()));

/** A script to be run. */
export interface ScriptRun {
  readonly file: string;
  readonly exportName: string;
  /** How errors call it. */
  readonly label: string;
  /** What it is given: anything that can be cloned. */
  readonly data: object;
  /** Milliseconds for the call itself. Default 10,000. */
  readonly timeout?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs scripts in processes of their own, where an endless loop, too much memory or `process.exit` end nothing else. A
 * worker thread would not do: V8 ends the whole process when it cannot get one large piece of memory, as for a `Map` that
 * grows. Processes and the modules in them are kept for the next run; they do not hold the process of the run.
 */
export class ScriptProcesses {
  /** Those that have nothing to do, and when they are ended. */
  private readonly idle = new Map<ScriptProcess, NodeJS.Timeout>();
  /** Those that have run a script before: something of it may still be alive in them. */
  private readonly used = new WeakSet<ScriptProcess>();
  private readonly ending = new Set<Promise<unknown>>();
  private readonly places = new Places(mostProcesses);

  constructor(
    private readonly settings: {
      /** Folder of the project. */
      readonly root: string;
      readonly alias?: Readonly<Record<string, string>>;
      /** How long a process and its module may take to start, in milliseconds. Default 30,000. */
      readonly loadTimeout?: number;
    },
  ) {}

  /**
   * Runs a script and returns what it returned. It is run a second time if its process breaks that had run others.
   * @throws AuthorError if it breaks or does not come to an end, the reason of the signal if that is aborted.
   */
  async run(script: ScriptRun): Promise<unknown> {
    // Waiting for a place is not the script's time.
    const leave = await this.places.take(script.signal);
    try {
      const used = await this.take();
      let outcome = await this.runIn(used, script);
      // A timer or the memory of an earlier script may have broken it. A fresh process shows whose fault it was.
      if (outcome.process === "broken" && this.used.has(used))
        outcome = await this.runIn(this.start(), script);
      if ("error" in outcome) throw outcome.error;
      return outcome.result;
    } finally {
      leave();
    }
  }

  /** Ends the processes that have nothing to do. Resolves when none is left but those at work. */
  async dispose(): Promise<void> {
    for (const process of this.idle.keys()) this.end(process);
    await Promise.all(this.ending);
  }

  private async runIn(process: ScriptProcess, script: ScriptRun): Promise<Outcome> {
    const outcome = await this.ask(process, script);
    if (outcome.process === "fine") this.keep(process);
    else this.end(process);
    return outcome;
  }

  private end(process: ScriptProcess): void {
    this.forget(process);
    const end = process.kill().finally(() => this.ending.delete(end));
    this.ending.add(end);
  }

  /** The one that was at work last has the most modules ready. One that does not listen is of no use. */
  private async take(): Promise<ScriptProcess> {
    const process = [...this.idle.keys()].at(-1);
    if (process === undefined) return this.start();
    this.forget(process);
    process.hold("ref");
    if (await process.answers(pingTimeout)) return process;
    this.end(process);
    return this.take();
  }

  private keep(process: ScriptProcess): void {
    process.hold("unref");
    this.used.add(process);
    this.idle.set(process, setTimeout(() => this.end(process), idleTime).unref());
  }

  private forget(process: ScriptProcess): void {
    clearTimeout(this.idle.get(process));
    this.idle.delete(process);
  }

  private start(): ScriptProcess {
    const { root, alias = {} } = this.settings;
    const process = new ScriptProcess({ root, alias });
    // One that breaks when its script has answered already is just not used again.
    const forget = (): void => this.forget(process);
    process.listen(() => undefined, forget);
    return process;
  }

  private ask(process: ScriptProcess, script: ScriptRun): Promise<Outcome> {
    const { exportName, label, data, timeout = usualTimeout, signal } = script;
    return new Promise((resolve) => {
      let pinged: NodeJS.Timeout | undefined;
      const finish = (outcome: Outcome): void => {
        clearTimeout(timer);
        clearTimeout(pinged);
        deafen();
        signal?.removeEventListener("abort", stop);
        resolve(outcome);
      };
      const wrong = (message: string, state: Outcome["process"]): void =>
        finish({ process: state, error: new AuthorError(`${label} ${message}`) });
      let limit = this.settings.loadTimeout ?? usualLoadTimeout;
      let began = false;
      const hear = (answer: Answer): void => {
        // It has come to an end, and too late. Its answer to the ping must not reach who comes next.
        if (pinged !== undefined && answer.kind !== "pong")
          return wrong(`did not come to an end within ${formatDuration(limit)}`, "late");
        if (answer.kind === "began") {
          began = true;
          clearTimeout(timer);
          limit = timeout;
          timer = setTimeout(late, limit);
        } else if (answer.kind === "returned") finish({ process: "fine", result: answer.result });
        else if (answer.kind === "pong")
          wrong(
            `did not settle the promise that it returned within ${formatDuration(limit)}`,
            "late",
          );
        else wrong(this.reasonOf(answer, exportName), answer.kind === "late" ? "broken" : "fine");
      };
      const ended = (end: End): void => wrong(reasonOfEnd(end), "broken");
      const stop = (): void => finish({ process: "late", error: signal!.reason });
      const late = (): void => {
        // What it started may still hold its output, and with it the news of its end.
        const end = process.end();
        if (end !== undefined) return ended(end);
        if (!began) return wrong(`was not loaded within ${formatDuration(limit)}`, "late");
        process.send("ping");
        pinged = setTimeout(
          () =>
            wrong(
              `did not come to an end within ${formatDuration(limit)}: it never gives control back (an endless loop?)`,
              "late",
            ),
          pingTimeout,
        );
      };
      let timer = setTimeout(late, limit);
      const deafen = process.listen(hear, ended);
      signal?.addEventListener("abort", stop, { once: true });
      // It may have been while there was no place yet.
      if (signal?.aborted === true) return stop();
      try {
        process.send({ file: script.file, exportName, data });
      } catch (error) {
        wrong(`cannot be given its data: ${errorMessage(error)}`, "fine");
      }
    });
  }

  private reasonOf(
    answer: Exclude<Answer, { kind: "pong" | "began" | "returned" }>,
    exportName: string,
  ): string {
    if (answer.kind === "export") return noFunction(exportName, answer.names);
    const error = errorOf(answer);
    switch (answer.kind) {
      case "load":
        return `cannot be loaded: ${this.at(error)}`;
      case "threw":
        return `threw: ${this.at(error)}`;
      case "late":
        return `threw outside of its call, in a timer or a promise that nobody waits for: ${this.at(error)}`;
      case "uncloneable":
        return `returned what cannot be handed on: ${answer.message}`;
    }
  }

  /** The message with its place in the project. */
  private at(error: Error): string {
    const place = errorPlace(error, this.settings.root);
    return `${errorMessage(error)}${place === undefined ? "" : ` (${place})`}`;
  }
}

function reasonOfEnd(end: End): string {
  switch (end.kind) {
    case "memory":
      return `took more than ${memory} MB of memory`;
    case "left":
      return `ended its process with process.exit(${end.code}); an assertion returns its verdict`;
    case "killed":
      return `had its process ended by ${end.signal}`;
    case "not started":
      return `cannot be run: its process did not start: ${errorMessage(end.error)}`;
  }
}

function errorOf({ message, stack = "", cause }: Thrown): Error {
  const error = new Error(message, cause === undefined ? undefined : { cause: errorOf(cause) });
  return Object.assign(error, { stack });
}

/** How a run ended, and what has become of its process: only one that is fine can be used again. */
type Outcome = { readonly process: "fine" | "late" | "broken" } & (
  | { readonly result: unknown }
  | { readonly error: unknown }
);
