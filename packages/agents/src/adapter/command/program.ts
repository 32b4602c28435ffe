import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setImmediate, setTimeout } from "node:timers/promises";
import { AgentError, AuthorError } from "@turnwise/core";
import type { Mask } from "../../wire/excerpt.js";
import { excerpt } from "../../wire/excerpt.js";
import { longestReply } from "../../connector/http-client.js";
import { LineReader } from "./line-reader.js";
import { killTree, start } from "./process-tree.js";

/** How much of stderr is kept of a turn, in bytes: the end of it. */
const longestLog = 64 * 1024;

/** How long a program may take to end by itself when its input is over, in milliseconds. */
const patience = 500;

/** The end of a log, from the beginning of a line: half a secret would not be recognised any more. */
function ending(log: Buffer, length: number): Buffer {
  if (log.length <= length) return log;
  const line = log.indexOf(10, log.length - length);
  const whole = line !== -1 && line < log.length - 1;
  return log.subarray(whole ? line + 1 : -length);
}

/** Waits for what ought to happen soon, and no longer. Leaves no timer and no listener. */
async function withPatience(wait: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  const given = [wait(signal), setTimeout(patience, undefined, { signal })];
  await Promise.race(given.map((one) => one.catch(() => undefined)));
  controller.abort();
}

interface Waiting {
  readonly resolve: (line: string) => void;
  readonly reject: (error: Error) => void;
}

/** One running program that answers lines with lines. */
export class Program {
  private readonly child: ChildProcess;
  private readonly lines = new LineReader(longestReply);
  /** The first line that nobody had asked for. */
  private early: string | undefined;
  private log: Buffer = Buffer.alloc(0);
  private waiting: Waiting | undefined;
  private over: Error | undefined;
  private readonly ended: Promise<void>;
  /** It has ended, and nothing of it is open here any more. */
  private readonly closed: Promise<unknown>;

  constructor(
    private readonly command: readonly string[],
    private readonly options: {
      readonly cwd: string;
      readonly env: NodeJS.ProcessEnv;
      readonly mask: Mask;
    },
  ) {
    let child: ChildProcess;
    try {
      child = start(command, { cwd: options.cwd, env: options.env });
    } catch (error) {
      throw this.startError(error as Error, options.cwd);
    }
    this.child = child;
    this.closed = once(child, "close").catch(() => undefined);
    this.ended = new Promise((resolve) => {
      child.once("exit", (code, signal) => {
        void this.drained().finally(() => {
          this.end(this.exitError(code, signal));
          resolve();
        });
      });
      child.once("error", (error) => {
        this.end(this.startError(error, options.cwd));
        if (child.pid === undefined) resolve();
      });
    });
    child.stdout!.on("end", () => this.readRest());
    child.stdout!.on("data", (chunk: Buffer) => this.read(chunk));
    child.stderr!.on("data", (chunk: Buffer) => {
      this.log = ending(Buffer.concat([this.log, chunk]), longestLog);
    });
    // A program that ends while it is written to says why by its exit.
    child.stdin!.on("error", () => undefined);
  }

  /**
   * Writes a line and waits for the line that answers it.
   * @throws AgentError if the program ends before that, or writes too long a line.
   */
  async ask(line: string, signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    if (this.over !== undefined) throw this.over;
    if (this.early !== undefined)
      throw new AgentError(
        `the program wrote a line that nobody asked for: ${excerpt(this.early, 200, this.options.mask)}; one line answers one line, and what is for people goes to stderr`,
        this.takeLog(),
      );
    // The time of the turn is up: whoever is still running would answer into the next conversation.
    const abort = (): void => {
      killTree(this.child);
      this.waiting?.reject(new AgentError("the program was ended", this.takeLog()));
    };
    signal.addEventListener("abort", abort, { once: true });
    try {
      const answer = new Promise<string>((resolve, reject) => {
        this.waiting = { resolve, reject };
      });
      this.child.stdin!.write(`${line}\n`);
      const text = await answer;
      // What the program wrote to stderr before it answered may come in a moment later.
      await setImmediate();
      return text;
    } finally {
      signal.removeEventListener("abort", abort);
      this.waiting = undefined;
    }
  }

  /** What the program wrote to stderr since it was last asked for. */
  takeLog(): { log?: string } {
    const log = this.log.toString("utf8").trimEnd();
    this.log = Buffer.alloc(0);
    return log === "" ? {} : { log };
  }

  /** Ends its input, gives it a moment to end by itself, and makes sure that neither it nor a child of it is left. */
  async close(): Promise<void> {
    if (this.child.pid === undefined) return;
    this.child.stdin!.end();
    await withPatience(async (signal) => {
      if (this.child.exitCode === null) await once(this.child, "exit", { signal });
    });
    killTree(this.child);
    for (const stream of [this.child.stdin, this.child.stdout, this.child.stderr])
      stream!.destroy();
    await Promise.all([this.ended, this.closed]);
  }

  /** What the program wrote before it ended is read. Somebody else may have its output open, and keep it so. */
  private async drained(): Promise<void> {
    const { stderr, stdout } = this.child;
    await withPatience((signal) =>
      Promise.all(
        [stdout!, stderr!]
          .filter((stream) => !stream.readableEnded && !stream.destroyed)
          .map((stream) => once(stream, "close", { signal })),
      ),
    );
    stdout!.destroy();
    stderr!.destroy();
  }

  /** A last line needs no end. */
  private readRest(): void {
    const line = this.lines.rest();
    if (line !== undefined && line.trim() !== "") this.take(line);
  }

  private read(chunk: Buffer): void {
    for (const line of this.lines.feed(chunk)) {
      const { waiting } = this;
      if (line === undefined) {
        const error = "the program wrote a line of more than the 10 MB that are taken";
        waiting?.reject(new AgentError(error, this.takeLog()));
        killTree(this.child);
        return;
      }
      if (line.trim() !== "") this.take(line);
    }
  }

  private take(line: string): void {
    const { waiting } = this;
    if (waiting === undefined) this.early ??= line;
    this.waiting = undefined;
    waiting?.resolve(line);
  }

  private end(error: Error): void {
    this.over ??= error;
    this.waiting?.reject(this.over);
  }

  private exitError(code: number | null, signal: NodeJS.Signals | null): Error {
    const how = signal === null ? `ended with code ${code}` : `was ended by ${signal}`;
    const { log } = this.takeLog();
    const last = log?.split("\n").at(-1);
    return new AgentError(
      `the program ${this.command[0]} ${how} before it answered${last === undefined ? "" : `: ${excerpt(last, 500, this.options.mask)}`}`,
      log === undefined ? {} : { log },
    );
  }

  private startError(error: Error & { code?: string }, cwd: string): Error {
    const [program] = this.command;
    const reason =
      error.code === "ENOENT"
        ? `there is no such program, or no folder ${cwd}`
        : error.code === "EACCES"
          ? "it is not executable"
          : error.message;
    return new AuthorError(`cannot start ${program}: ${reason}`, { cause: error });
  }
}
