import type { NormalReply, ToolCall } from "../contract/agent.js";
import type { RunEvent } from "../contract/event.js";
import type { TurnResult, UsageRow } from "../contract/result.js";
import type { JsonValue } from "../json.js";
import type { TurnObserver } from "./target.js";
import { errorMessage } from "../errors.js";
import { interruptionOf, logOf } from "./deadline.js";
import { addUsage, toolCallRow } from "./record.js";

type WithoutPlace<Event> = Event extends unknown ? Omit<Event, "id" | "trial" | "attempt"> : never;
/** What an event inside a case says beside where it belongs. */
export type CaseEvent = WithoutPlace<
  Extract<
    RunEvent,
    {
      type:
        | "turn-start"
        | "agent-call-start"
        | "agent-call-end"
        | "tool-call"
        | "role-call-start"
        | "role-call-end"
        | "turn-end";
    }
  >
>;

/** Writes down a turn while it goes on: what it had before it broke stays in its row. */
export class TurnRecorder implements TurnObserver {
  readonly calls: ToolCall[] = [];
  usage: UsageRow | undefined;
  state: JsonValue | undefined;
  readonly ignored: string[] = [];
  /** Milliseconds that the agent was at work, without those of mocks in between. */
  spent = 0;
  private started = 0;

  constructor(
    private readonly row: TurnResult,
    private readonly settings: {
      readonly now: () => number;
      readonly emit: (event: CaseEvent) => void;
    },
  ) {}

  asked(): void {
    this.started = this.settings.now();
    this.settings.emit({ type: "agent-call-start", turn: this.row.turn });
  }

  replied(reply: NormalReply): void {
    this.ended({});
    if (reply.state !== undefined) this.state = reply.state;
    this.usage = addUsage(this.usage, reply.usage);
    this.ignored.push(...(reply.ignored ?? []));
    this.log(reply.log);
  }

  failed(error: unknown): void {
    const cancelled = interruptionOf(error)?.kind === "cancelled";
    this.ended({ error: cancelled ? "cancelled" : errorMessage(error) });
    this.log(logOf(error));
  }

  called(calls: readonly ToolCall[]): void {
    const { row } = this;
    for (const call of calls) {
      this.calls.push(call);
      const recorded = toolCallRow(call);
      (row.tool_calls ??= []).push(recorded);
      this.settings.emit({ type: "tool-call", turn: row.turn, call: recorded });
    }
  }

  private ended(more: { error?: string }): void {
    const duration = Math.round((this.settings.now() - this.started) * 1_000) / 1_000;
    this.spent += duration;
    const { turn } = this.row;
    this.settings.emit({ type: "agent-call-end", turn, duration_ms: duration, ...more });
  }

  private log(text: string | undefined): void {
    if (text === undefined) return;
    const { row } = this;
    row.log = row.log === undefined ? text : `${row.log}\n${text}`;
  }
}
