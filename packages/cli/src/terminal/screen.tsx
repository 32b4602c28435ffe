import type { AssertionTurn, HumanMove, HumanView, RunEvent, TurnResult } from "@turnwise/core";
import { Box, render, useInput, useStdin, useStdout } from "ink";
import type { ReactNode } from "react";
import { useEffect, useSyncExternalStore } from "react";
import {
  headingText,
  historyText,
  inputText,
  replyText,
  requestText,
} from "./conversation-text.js";
import { keysOf } from "./keys.js";
import { onlyColors } from "./only-colors.js";
import { overlay } from "./overlay.js";
import { LiveView } from "./live-view.js";
import { Prompt } from "./prompt.js";
import type { Question } from "./question.js";
import { questionOf } from "./question.js";
import type { RunTracker } from "./run-state.js";

/** How often what is live is drawn anew, in milliseconds. */
const interval = 100;

/** What a screen needs of the program around it. */
export interface ScreenSettings {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WritableStream;
  readonly stdin: NodeJS.ReadStream;
  readonly color: boolean;
  readonly tracker: RunTracker;
  /** What is shown while it goes on: the running cases with the state of the run, or those alone. */
  readonly live: "run" | "case" | false;
  /** Asked after every reply, not only when the agent waits. */
  readonly always?: boolean;
  /** Called for `/save`; returns what to tell the person. */
  readonly save: (view: HumanView, file: string | undefined) => { readonly message: string };
  /** Called for Ctrl-C, which is no signal while keys are read one by one. */
  readonly interrupt: () => void;
}

/** A terminal that shows a run while it goes on, and at which a person can be asked. */
export interface Screen {
  /** Shows the reply of a turn in a conversation of which somebody was asked. */
  onEvent(event: RunEvent): void;
  /** Asks a person, with the conversation so far above. */
  ask(view: HumanView): Promise<HumanMove>;
  /** Leaves on the screen what was written, and gives the streams back. */
  close(): Promise<void>;
}

/** A question that is open. */
interface Asked {
  /** Tells it from every other one. */
  readonly serial: number;
  readonly view: HumanView;
  readonly question: Question;
  readonly until: number;
  readonly done: (move: HumanMove, typed: string) => void;
}

/** What of a conversation stands on the screen. */
interface Shown {
  readonly id: string;
  readonly heading: string;
  turns: number;
  /** The last turn whose input stands there. */
  said: number;
}

/** Takes the terminal. Whatever else writes to it meanwhile appears above what is live. */
export function openScreen(settings: ScreenSettings): Screen {
  return new TerminalScreen(settings);
}

class TerminalScreen implements Screen {
  private readonly typed: string[] = [];
  private readonly shown = new Map<string, Shown>();
  private readonly listeners = new Set<() => void>();
  private readonly timer: NodeJS.Timeout;
  private readonly instance: ReturnType<typeof render>;
  private readonly direct: NodeJS.WriteStream;
  private readonly restore: () => void;
  private asked: Asked | undefined;
  /** The conversation that stands on the screen last. */
  private last: Shown | undefined;
  private version = 0;
  private serial = 0;
  /** Text that waits to be shown, and its last line, which has no end yet. */
  private above = "";
  private part = "";
  private writeAbove: ((text: string) => void) | undefined;

  constructor(private readonly settings: ScreenSettings) {
    const { stdout, stderr, stdin } = settings;
    const diverted = divert(stdout, (text) => this.add(text));
    // What goes to a file is not on the screen.
    const onScreen = (stderr as Partial<NodeJS.WriteStream>).isTTY === true;
    const restoreStderr = onScreen ? divert(stderr, (text) => this.add(text)).restore : undefined;
    this.restore = () => {
      diverted.restore();
      restoreStderr?.();
    };
    this.direct = diverted.direct;
    this.instance = render(<Root screen={this} />, {
      stdout: this.direct,
      stdin: keysOf(stdin),
      exitOnCtrlC: false,
      patchConsole: false,
    });
    this.timer = setInterval(() => this.draw(), interval).unref();
    process.once("exit", this.spill);
    // A terminal that was closed. The signal that comes with it ends the run.
    stdin.on("error", ignore);
  }

  // --- for the components

  interrupt(): void {
    this.settings.interrupt();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  getVersion = (): number => this.version;

  takeWriter(write: (text: string) => void): void {
    this.writeAbove = write;
    this.flush();
  }

  view(): ReactNode {
    const { asked, settings } = this;
    // Some terminals do not know how large they are.
    const rows = settings.stdout.rows || 24;
    const columns = settings.stdout.columns || 80;
    const now = Date.now();
    return (
      <Box flexDirection="column">
        {(settings.live === "run" || (settings.live === "case" && asked === undefined)) && (
          // The question needs the room.
          <LiveView
            state={settings.tracker.state}
            whole={settings.live === "run"}
            now={now}
            rows={asked === undefined ? Math.min(rows, 14) : 5}
          />
        )}
        {asked !== undefined && (
          <Prompt
            key={asked.serial}
            view={asked.view}
            question={asked.question}
            until={asked.until}
            history={this.typed}
            columns={columns}
            color={settings.color}
            talk={settings.always === true}
            rows={rows}
            onMove={asked.done}
            onSave={(file) => settings.save(asked.view, file).message}
          />
        )}
      </Box>
    );
  }

  // --- for the program

  onEvent(event: RunEvent): void {
    if (event.type === "case-end") this.forget(event.id);
    if (event.type !== "turn-end") return;
    const [session, ...others] = [...this.shown.values()].filter(({ id }) => id === event.id);
    // Of several trials at once nobody knows which one it is; the next question tells.
    if (session === undefined || others.length > 0) return;
    const { result } = event;
    if (result.turn <= session.turns || result.output === undefined) return;
    this.enter(session);
    this.add(replyText(turnOf(result), this.settings));
    session.turns = result.turn;
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    this.asked = undefined;
    if (this.part !== "") this.add("\n");
    this.draw();
    this.flush();
    // The last frame is nothing: what stays on the screen is what was written.
    this.instance.rerender(<></>);
    this.instance.unmount();
    await this.instance.waitUntilExit();
    this.restore();
    process.off("exit", this.spill);
  }

  ask(view: HumanView): Promise<HumanMove> {
    this.tell(view);
    this.settings.tracker.asks(view.id, true);
    if (view.signal.aborted) return Promise.reject(view.signal.reason as Error);
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.asked = undefined;
        this.direct.write("\u001B[?2004l");
        this.settings.tracker.asks(view.id, false);
        view.signal.removeEventListener("abort", abort);
        this.changed();
      };
      const abort = (): void => {
        end();
        reject(view.signal.reason as Error);
      };
      const done = (move: HumanMove, typed: string): void => {
        end();
        if (typed.trim() !== "") this.typed.push(typed);
        this.echo(view, move);
        resolve(move);
      };
      view.signal.addEventListener("abort", abort, { once: true });
      // Terminals mark what is pasted, so that a line break in it is none that sends.
      this.direct.write("\u001B[?2004h");
      const until = Date.now() + view.timeout;
      this.asked = { serial: ++this.serial, view, question: questionOf(view), until, done };
      this.changed();
      this.flush();
    });
  }

  /** Writes of the conversation what the person has not seen yet. */
  private tell(view: HumanView): void {
    const { color } = this.settings;
    const before = this.shown.get(view.sessionId);
    const shown = before ?? {
      id: view.id,
      heading: headingText(view, { color }),
      turns: 0,
      said: 0,
    };
    this.shown.set(view.sessionId, shown);
    this.enter(shown);
    if (before === undefined) this.add(historyText(view.history, { color }));
    for (const turn of view.turns.slice(shown.turns)) {
      if (turn.turn > shown.said) this.add(inputText(turn, { color }));
      this.add(replyText(turn, { color }));
    }
    shown.turns = view.turns.length;
    for (const request of view.pending) this.add(requestText(request));
  }

  /** Says which conversation goes on, if it is another one than before. */
  private enter(shown: Shown): void {
    if (this.settings.always !== true && this.last !== shown) this.add(shown.heading);
    this.last = shown;
  }

  private forget(id: string): void {
    // Those of other trials show themselves again when they are asked.
    for (const [session, shown] of this.shown) if (shown.id === id) this.shown.delete(session);
    this.last = undefined;
  }

  /** Writes what the person has said, where it will stand. */
  private echo({ sessionId, turn }: HumanView, move: HumanMove): void {
    const { color } = this.settings;
    if (move.kind !== "say" && move.kind !== "answer") return;
    const input = move.kind === "say" ? move.input : move.answer;
    this.add(inputText({ input }, { color }, "You"));
    const shown = this.shown.get(sessionId);
    if (shown !== undefined) shown.said = turn;
  }

  private add(text: string): void {
    const all = this.part + onlyColors(text);
    const end = all.lastIndexOf("\n") + 1;
    this.above += all.slice(0, end);
    this.part = all.slice(end);
    // Text comes by the case, and what is live need not be moved for each.
    if (this.above.length > 100_000) this.flush();
  }

  /** What is not shown yet when the process is ended, by a second Ctrl-C or by code of the project. */
  private readonly spill = (): void => {
    this.direct.write(`${this.above}${this.part}\u001B[?2004l\u001B[?25h`);
  };

  private flush(): void {
    if (this.above === "" || this.writeAbove === undefined) return;
    const text = this.above;
    this.above = "";
    this.writeAbove(text);
  }

  private draw(): void {
    this.flush();
    if (this.settings.live !== false) this.changed();
  }

  private changed(): void {
    this.version++;
    for (const listener of this.listeners) listener();
  }
}

function Root({ screen }: { readonly screen: TerminalScreen }): ReactNode {
  useSyncExternalStore(screen.subscribe, screen.getVersion);
  // Keys that nobody asked for would be written into what is live, and would answer the next question.
  const { isRawModeSupported } = useStdin();
  useInput(
    (input, key) => {
      if (key.ctrl && input === "c") screen.interrupt();
    },
    { isActive: isRawModeSupported },
  );
  const { write } = useStdout();
  useEffect(() => screen.takeWriter(write), [screen, write]);
  return screen.view();
}

/** The row of a turn as assertions see it. */
function turnOf(row: TurnResult): Pick<AssertionTurn, "toolCalls" | "output" | "detection"> {
  const { awaiting_input: awaiting = false, awaiting_reason: reason = "completed" } = row;
  const { awaiting_kind: kind, evidence } = row;
  return {
    // Only turns that have one come here.
    output: (row.output ?? "") as string,
    toolCalls: (row.tool_calls ?? []).map(({ args, ...call }) => ({
      ...call,
      arguments: args,
    })) as never,
    detection: {
      awaiting,
      reason,
      confidence: 1,
      ...(kind === undefined ? {} : { kind }),
      ...(evidence === undefined ? {} : { evidence }),
    },
  };
}

function ignore(): void {}

/** Takes what is written to a stream. `direct` still writes to it. */
function divert<Stream extends NodeJS.WritableStream>(
  stream: Stream,
  take: (text: string) => void,
): { readonly direct: Stream; readonly restore: () => void } {
  const write = stream.write.bind(stream);
  const diverted = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    take(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8"));
    const done = rest.findLast((one) => typeof one === "function") as (() => void) | undefined;
    if (done !== undefined) process.nextTick(done);
    return true;
  };
  stream.write = diverted;
  const direct = overlay(stream, { write } as Partial<Stream>);
  return { direct, restore: () => void (stream.write = write) };
}
