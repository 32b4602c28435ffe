import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";

/** Memory of a script. Node itself takes some 10 MB of it; an assertion looks at one conversation. */
export const memory = 256;
/** What V8 prints before the stack of a process that has no memory left. */
const dump = "\n<--- Last few GCs --->";
/** What the process prints that sees itself outgrow its memory in buffers, of which V8 knows nothing. */
const outgrown = "<--- Out of memory --->";

/** How long what a process has printed may take to come, when it is gone, in milliseconds. */
const lastWords = 100;

/** What is known of something that was thrown in a process. */
export interface Thrown {
  readonly message: string;
  readonly stack?: string;
  readonly cause?: Thrown;
}

/** What comes back from a process. */
export type Answer =
  | { readonly kind: "pong" }
  | { readonly kind: "began" }
  | { readonly kind: "returned"; readonly result: unknown }
  | { readonly kind: "export"; readonly names: readonly string[] }
  | ({ readonly kind: "load" | "threw" | "uncloneable" | "late" } & Thrown);

/** How a process ended. */
export type End =
  | { readonly kind: "left"; readonly code: number }
  | { readonly kind: "killed"; readonly signal: string }
  | { readonly kind: "memory" }
  | { readonly kind: "not started"; readonly error: Error };

/** A process of its own that loads and calls scripts, one at a time. It ends with the process that started it. */
export class ScriptProcess {
  private readonly child: ChildProcess;
  /** The end of what it has printed, where a mark may have begun. */
  private tail = "";
  private memoryLeft = true;

  constructor(settings: {
    readonly root: string;
    readonly alias: Readonly<Record<string, string>>;
  }) {
    this.child = fork(
      new URL("./script-worker.js", import.meta.url),
      [JSON.stringify({ ...settings, memory, outgrown, parent: process.pid })],
      {
        execArgv: [`--max-old-space-size=${memory}`],
        serialization: "advanced",
        stdio: ["ignore", "pipe", "pipe", "ipc"],
      },
    );
    // Also told as an end to whoever waits; without a listener it would be thrown.
    this.child.on("error", () => undefined);
    const { stdout, stderr } = this.child;
    // Not there if the system has no more files to open.
    stdout?.setEncoding("utf8").on("data", (text: string) => this.pour(text, stdout));
    stderr?.setEncoding("utf8").on("data", (text: string) => this.print(text, stderr));
  }

  /** @throws Error if it cannot be cloned. What does not arrive is told by the end of the process. */
  send(message: "ping" | object): void {
    this.child.send(message, () => undefined);
  }

  /** Whether it holds the process that started it. */
  hold(how: "ref" | "unref"): void {
    this.child[how]();
    this.child.channel?.[how]();
    (this.child.stdout as Socket | null)?.[how]();
    (this.child.stderr as Socket | null)?.[how]();
  }

  /** Hears what it says, and its end with all that it printed. The function returned stops that. */
  listen(hear: (answer: Answer) => void, ended: (end: End) => void): () => void {
    let grace: NodeJS.Timeout | undefined;
    const close = (code: number | null, signal: string | null): void =>
      ended(this.endOf(code, signal));
    // What it started may hold its output for as long as it likes.
    const exit = (code: number | null, signal: string | null): void => {
      grace = setTimeout(close, lastWords, code, signal);
    };
    const error = (thrown: Error): void => ended({ kind: "not started", error: thrown });
    this.child.on("message", hear).on("exit", exit).on("close", close).on("error", error);
    return () => {
      clearTimeout(grace);
      this.child.off("message", hear).off("exit", exit).off("close", close).off("error", error);
    };
  }

  /** Whether it still listens. A script may be at work in it that has given its answer already. */
  async answers(within: number): Promise<boolean> {
    if (this.end() !== undefined) return false;
    return new Promise((resolve) => {
      const done = (answered: boolean): void => {
        clearTimeout(timer);
        deafen();
        resolve(answered);
      };
      const timer = setTimeout(done, within, false);
      const deafen = this.listen(
        ({ kind }) => done(kind === "pong"),
        () => done(false),
      );
      this.send("ping");
    });
  }

  /** How it has ended, if it has. */
  end(): End | undefined {
    const { exitCode, signalCode } = this.child;
    return exitCode === null && signalCode === null ? undefined : this.endOf(exitCode, signalCode);
  }

  /** Resolves when it is gone. */
  async kill(): Promise<void> {
    if (this.child.pid !== undefined && this.end() === undefined)
      await new Promise<void>((resolve) => {
        this.hold("ref");
        this.child.once("exit", () => resolve());
        this.child.kill("SIGKILL");
      });
    this.child.stdout?.destroy();
    this.child.stderr?.destroy();
  }

  private endOf(code: number | null, signal: string | null): End {
    // V8 aborts, which is a code on Windows; we kill.
    const forced = signal === "SIGABRT" || signal === "SIGKILL" || code === 134;
    if (!this.memoryLeft && forced) return { kind: "memory" };
    return code === null ? { kind: "killed", signal: String(signal) } : { kind: "left", code };
  }

  private print(text: string, from: Readable): void {
    if (!this.memoryLeft) return;
    const all = this.tail + text;
    const mark = [dump, outgrown].map((one) => all.indexOf(one)).find((at) => at >= 0);
    this.memoryLeft = mark === undefined;
    this.pour(mark === undefined ? text : all.slice(this.tail.length, mark), from);
    this.tail = all.slice(1 - dump.length);
  }

  /** Standard output belongs to reports. Whoever reads slowly slows the script down, and fills no memory. */
  private pour(text: string, from: Readable): void {
    if (process.stderr.write(text)) return;
    from.pause();
    process.stderr.once("drain", () => from.resume());
  }
}
