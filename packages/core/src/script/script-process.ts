import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";

/** Memory of a script. Node itself takes some 10 MB of it; an assertion looks at one conversation. */
export const memory = 256;
/** What V8 prints before the stack of a process that has no memory left. */
const dump = "\n<--- Last few GCs --->";
/** What the process prints that sees itself outgrow its memory in buffers, of which V8 knows nothing. */
const outgrown = "<--- Out of memory --->";

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
      [JSON.stringify({ ...settings, memory, outgrown })],
      {
        execArgv: [`--max-old-space-size=${memory}`],
        serialization: "advanced",
        stdio: ["ignore", "pipe", "pipe", "ipc"],
      },
    );
    // Standard output belongs to reports.
    this.child.stdout!.on("data", (text: Buffer) => process.stderr.write(text));
    this.child.stderr!.on("data", (text: Buffer) => this.print(text));
    // Also told as an end to whoever waits; without a listener it would be thrown.
    this.child.on("error", () => undefined);
  }

  /** @throws Error if it cannot be cloned. What does not arrive is told by the end of the process. */
  send(message: "ping" | object): void {
    this.child.send(message, () => undefined);
  }

  /** Whether it holds the process that started it. */
  hold(how: "ref" | "unref"): void {
    this.child[how]();
    this.child.channel?.[how]();
    (this.child.stdout as Socket)[how]();
    (this.child.stderr as Socket)[how]();
  }

  /** Hears what it says, and its end once all that it printed is there. The function returned stops that. */
  listen(hear: (answer: Answer) => void, ended: (end: End) => void): () => void {
    const close = (code: number | null, signal: string | null): void =>
      ended(this.endOf(code, signal));
    const error = (thrown: Error): void => ended({ kind: "not started", error: thrown });
    this.child.on("message", hear).on("close", close).on("error", error);
    return () => void this.child.off("message", hear).off("close", close).off("error", error);
  }

  /** How it has ended, if it has. */
  end(): End | undefined {
    const { exitCode, signalCode } = this.child;
    return exitCode === null && signalCode === null ? undefined : this.endOf(exitCode, signalCode);
  }

  /** Resolves when it is gone. */
  kill(): Promise<void> {
    if (this.child.pid === undefined || this.end() !== undefined) return Promise.resolve();
    return new Promise((resolve) => {
      this.child.once("exit", () => resolve());
      this.child.kill("SIGKILL");
    });
  }

  private endOf(code: number | null, signal: string | null): End {
    if (!this.memoryLeft) return { kind: "memory" };
    return code === null ? { kind: "killed", signal: String(signal) } : { kind: "left", code };
  }

  private print(text: Buffer): void {
    if (!this.memoryLeft) return;
    const all = this.tail + text.toString();
    const mark = [dump, outgrown].map((one) => all.indexOf(one)).find((at) => at >= 0);
    this.memoryLeft = mark === undefined;
    this.tail = all.slice(1 - dump.length);
    process.stderr.write(mark === undefined ? text : all.slice(all.length - text.length, mark));
  }
}
