// oxlint-disable unicorn/require-post-message-target-origin -- of a thread, not of a window
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { AuthorError, errorMessage, errorPlace } from "../errors.js";
import { formatDuration } from "../duration.js";
import { noFunction } from "./load-script.js";

/** How long a script may take once its module is there, in milliseconds. */
const usualTimeout = 10_000;
/** How long its thread and its module may take to start, in milliseconds. */
const loadTimeout = 30_000;
/** Memory of a script. Node itself takes some 10 MB of it; an assertion looks at one conversation. */
const memory = 256;
/** How long a thread has to show that it still listens, in milliseconds. */
const pingTimeout = 250;
/** How long a thread is kept without work, in milliseconds. */
const idleTime = 5_000;
/** Threads at once. */
const mostThreads = Math.max(1, Math.min(4, availableParallelism()));

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

/** What comes back from a thread. */
type Answer =
  | { readonly kind: "pong" }
  | { readonly kind: "began" }
  | { readonly kind: "returned"; readonly result: unknown }
  | { readonly kind: "export"; readonly names: readonly string[] }
  | {
      readonly kind: "load" | "threw" | "uncloneable";
      readonly message: string;
      readonly stack?: string;
    };

/**
 * Runs scripts in threads, where an endless loop, too much memory or `process.exit` end the thread and nothing else.
 * Threads and the modules in them are kept for the next run; they do not hold the process.
 */
export class ScriptThreads {
  /** Threads that have nothing to do, and when they are ended. */
  private readonly idle = new Map<Worker, NodeJS.Timeout>();
  private readonly queue = new Set<() => void>();
  private running = 0;

  constructor(
    private readonly settings: {
      /** Folder of the project. */
      readonly root: string;
      readonly alias?: Readonly<Record<string, string>>;
    },
  ) {}

  /**
   * Runs a script and returns what it returned.
   * @throws AuthorError if it breaks or does not come to an end, the reason of the signal if that is aborted.
   */
  async run(script: ScriptRun): Promise<unknown> {
    await this.place(script.signal);
    try {
      const worker = this.take();
      const outcome = await this.ask(worker, script);
      if (outcome.spoilt) await worker.terminate();
      else this.keep(worker);
      if ("error" in outcome) throw outcome.error;
      return outcome.result;
    } finally {
      this.leave();
    }
  }

  /** Ends the threads that have nothing to do. */
  async dispose(): Promise<void> {
    const workers = [...this.idle.keys()];
    workers.forEach((worker) => this.forget(worker));
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  /** The thread that was at work last has the most modules ready. */
  private take(): Worker {
    const worker = [...this.idle.keys()].at(-1) ?? this.start();
    this.forget(worker);
    worker.ref();
    return worker;
  }

  private keep(worker: Worker): void {
    worker.unref();
    const end = (): void => {
      this.forget(worker);
      void worker.terminate();
    };
    this.idle.set(worker, setTimeout(end, idleTime).unref());
  }

  private forget(worker: Worker): void {
    clearTimeout(this.idle.get(worker));
    this.idle.delete(worker);
  }

  /** Waits for a place. That is not the script's time. */
  private place(signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    if (this.running < mostThreads) {
      this.running++;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const give = (): void => {
        this.queue.delete(enter);
        reject(signal!.reason as Error);
      };
      const enter = (): void => {
        signal?.removeEventListener("abort", give);
        resolve();
      };
      this.queue.add(enter);
      signal?.addEventListener("abort", give, { once: true });
    });
  }

  /** The place goes to who has waited longest. */
  private leave(): void {
    const [next] = this.queue;
    if (next === undefined) this.running--;
    else {
      this.queue.delete(next);
      next();
    }
  }

  private start(): Worker {
    const { root, alias = {} } = this.settings;
    const worker = new Worker(new URL("./script-worker.js", import.meta.url), {
      workerData: { root, alias },
      resourceLimits: { maxOldGenerationSizeMb: memory },
      stdout: true,
      stderr: true,
    });
    // Standard output belongs to reports.
    worker.stdout.on("data", (text: Buffer) => process.stderr.write(text));
    worker.stderr.on("data", (text: Buffer) => process.stderr.write(text));
    const forget = (): void => this.forget(worker);
    // One that breaks when its script has answered already is just not used again.
    worker.on("error", forget);
    worker.on("exit", forget);
    return worker;
  }

  private ask(worker: Worker, script: ScriptRun): Promise<Outcome> {
    const { file, exportName, label, data, timeout = usualTimeout, signal } = script;
    return new Promise((resolve) => {
      let pinged: NodeJS.Timeout | undefined;
      const finish = (outcome: Outcome): void => {
        clearTimeout(timer);
        clearTimeout(pinged);
        worker.off("message", hear).off("error", broke).off("exit", left);
        signal?.removeEventListener("abort", stop);
        resolve(outcome);
      };
      const wrong = (message: string, spoilt: boolean): void =>
        finish({ spoilt, error: new AuthorError(`${label} ${message}`) });
      let limit = loadTimeout;
      const hear = (answer: Answer): void => {
        // It has come to an end, and too late. Its answer to the ping must not reach who comes next.
        if (pinged !== undefined && answer.kind !== "pong")
          return wrong(`did not come to an end within ${formatDuration(limit)}`, true);
        if (answer.kind === "began") {
          clearTimeout(timer);
          limit = timeout;
          timer = setTimeout(late, limit);
        } else if (answer.kind === "returned") finish({ spoilt: false, result: answer.result });
        else if (answer.kind === "pong")
          wrong(
            `did not settle the promise that it returned within ${formatDuration(limit)}`,
            true,
          );
        else wrong(this.reasonOf(answer, exportName), false);
      };
      const broke = (error: Error): void => {
        const outOfMemory = (error as { code?: unknown }).code === "ERR_WORKER_OUT_OF_MEMORY";
        wrong(
          outOfMemory
            ? `took more than ${memory} MB of memory`
            : `threw outside of its call, in a timer or a promise that nobody waits for: ${this.at(error)}`,
          true,
        );
      };
      const left = (code: number): void =>
        wrong(
          `ended its thread with process.exit(${code}); an assertion returns its verdict`,
          true,
        );
      const stop = (): void => finish({ spoilt: true, error: signal!.reason });
      const late = (): void => {
        worker.postMessage("ping");
        pinged = setTimeout(
          () =>
            wrong(
              `did not come to an end within ${formatDuration(limit)}: it never gives control back (an endless loop?)`,
              true,
            ),
          pingTimeout,
        );
      };
      let timer = setTimeout(late, limit);
      worker.on("message", hear).on("error", broke).on("exit", left);
      signal?.addEventListener("abort", stop, { once: true });
      // It may have been while there was no place yet.
      if (signal?.aborted === true) return stop();
      try {
        worker.postMessage({ file, exportName, data });
      } catch (error) {
        wrong(`cannot be given its data: ${errorMessage(error)}`, false);
      }
    });
  }

  private reasonOf(
    answer: Exclude<Answer, { kind: "pong" | "began" | "returned" }>,
    exportName: string,
  ): string {
    if (answer.kind === "export") return noFunction(exportName, answer.names);
    const error = Object.assign(new Error(answer.message), { stack: answer.stack ?? "" });
    switch (answer.kind) {
      case "load":
        return `cannot be loaded: ${this.at(error)}`;
      case "threw":
        return `threw: ${this.at(error)}`;
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

/** How a run ended, and whether its thread can be used again. */
type Outcome = { readonly spoilt: boolean } & (
  | { readonly result: unknown }
  | { readonly error: unknown }
);
