import type { Detection, Detector } from "../awaiting/detection.js";
import type { PreparedCase, PreparedTurn } from "../case/prepare-case.js";
import type { Agent, AgentRequest, Message, NormalReply, UserInput } from "../contract/agent.js";
import type { AssertionTurn } from "../contract/assertion.js";
import type { MissingInputPolicy } from "../contract/config.js";
import type { RunEvent } from "../contract/event.js";
import type { AssertionRow, CaseResult, TurnResult, UsageRow } from "../contract/result.js";
import type { JsonValue } from "../json.js";
import type { Cause, Verdict } from "./verdict.js";
import { readMedia } from "../case/media.js";
import { readInput } from "../case/prepare-case.js";
import { ToolNotMockedError, errorMessage } from "../errors.js";
import { causeOfAgentError } from "./agent-error.js";
import { Deadline, interruptionOf, isThenable, within } from "./deadline.js";
import { normaliseReply } from "./normalise-reply.js";
import {
  addUsage,
  checkDetection,
  messageOf,
  outputOf,
  pendingRow,
  recordDetection,
  toolCallRow,
} from "./record.js";
import { Progress } from "./progress.js";
import type { Moment } from "./run-assertions.js";
import { runAssertions } from "./run-assertions.js";
import { blamed, verdictOf } from "./verdict.js";

/** What an event inside a case says beside where it belongs. */
type CaseEvent = Extract<
  RunEvent,
  { type: "turn-start" | "agent-call-start" | "agent-call-end" | "tool-call" | "turn-end" }
>;
type WithoutPlace<Event> = Event extends unknown ? Omit<Event, "id" | "trial" | "attempt"> : never;

/** Everything a conversation needs beside its case. */
export interface ConversationSettings {
  readonly agent: Agent;
  readonly detector: Detector;
  readonly sessionId: string;
  /** Milliseconds for the whole conversation. */
  readonly timeout: number;
  /** Milliseconds for one turn that has no limit of its own. */
  readonly turnTimeout: number;
  /** Set when the caller overrules the limits of the turns. */
  readonly turnTimeoutWins: boolean;
  readonly onMissingInput: MissingInputPolicy;
  readonly signal: AbortSignal | undefined;
  /** Folder of the project, for places in its code. */
  readonly root: string;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly emit: (event: WithoutPlace<CaseEvent>) => void;
}

/** How one conversation went. */
export interface ConversationOutcome {
  readonly verdict: Verdict;
  readonly turns: TurnResult[];
  readonly finalAssertions: AssertionRow[];
  readonly totalTurns: number;
  readonly state: JsonValue | undefined;
  readonly usage: CaseResult["usage"];
  /** How far the case got with its checkpoints and invariants. */
  readonly progress: Partial<CaseResult>;
  readonly warnings: { code: string; message: string }[];
}

/** How long a detector of the user's own may take. */
const detectorTimeout = 120_000;

/** How long an agent may take to clean up after a conversation. */
const closeTimeout = 10_000;

/** Runs one conversation from its first input to the verdict. Never throws. */
export async function runConversation(
  prepared: PreparedCase,
  settings: ConversationSettings,
): Promise<ConversationOutcome> {
  return new Conversation(prepared, settings).run();
}

/** What a sent turn means for what comes next. */
interface SentTurn {
  readonly failed: boolean;
  /** Undefined when the conversation cannot go on. */
  readonly detection?: Detection;
}

class Conversation {
  /** The conversation as it was. */
  private readonly messages: Message[] = [];
  /** The conversation as the agent gets it, in objects of its own. */
  private readonly given: Message[] = [];
  private readonly rows: TurnResult[] = [];
  private readonly finished: AssertionTurn[] = [];
  private readonly causes: Cause[] = [];
  private readonly warnings: { code: string; message: string }[] = [];
  private readonly progress: Progress;
  private finalAssertions: AssertionRow[] = [];
  private state: JsonValue | undefined;
  private usage: UsageRow | undefined;
  private sent = 0;

  constructor(
    private readonly prepared: PreparedCase,
    private readonly settings: ConversationSettings,
  ) {
    for (const message of prepared.history) this.say(message);
    this.progress = new Progress(prepared.checkpoints, prepared.invariants);
  }

  async run(): Promise<ConversationOutcome> {
    const { settings } = this;
    const deadline = new Deadline("case", settings.timeout, settings.signal);
    try {
      await this.converse(deadline);
    } finally {
      deadline.dispose();
      await this.close();
    }
    return {
      verdict: verdictOf(this.causes),
      turns: this.rows,
      finalAssertions: this.finalAssertions,
      totalTurns: this.sent,
      state: this.state,
      usage: this.usage === undefined ? undefined : { target: this.usage },
      progress: this.progress.rows(this.prepared.testCase.checkpoints),
      warnings: this.warnings,
    };
  }

  private async converse(deadline: Deadline): Promise<void> {
    const { testCase, turns } = this.prepared;
    if (turns.length === 0) {
      const error = "no initial input";
      this.causes.push({ kind: "failed", blame: "author", error });
      this.rows.push({ turn: 1, status: "failed", error });
      return;
    }
    let last: SentTurn = { failed: false };
    for (const [index, turn] of turns.entries()) {
      last = await this.sendTurn(turn, index + 1, deadline);
      if (last.detection === undefined) {
        this.leaveUnsent(index + 1);
        return;
      }
      const stop =
        (last.failed && testCase.on_turn_failure === "stop") ||
        (testCase.stop_when_complete === true && !last.detection.awaiting);
      if (!stop) continue;
      this.leaveUnsent(index + 1);
      await this.checkEnd(deadline);
      return;
    }
    if (this.missingInput(last.detection!)) await this.checkEnd(deadline);
  }

  /** The agent waits and the script is over. True if the conversation simply ends here. */
  private missingInput(detection: Detection): boolean {
    const { testCase, turns } = this.prepared;
    const { onMissingInput } = this.settings;
    if (!detection.awaiting || testCase.type === "single_turn" || onMissingInput === "end")
      return true;
    const hint = detection.hint === undefined ? {} : { input_hint: detection.hint };
    const reason = "awaiting input";
    const turn = turns.length + 1;
    if (onMissingInput === "fail") {
      this.causes.push({ kind: "failed", blame: "author", error: reason });
      this.rows.push({ turn, status: "failed", error: reason, ...hint });
    } else {
      this.causes.push({ kind: "skipped", reason });
      this.rows.push({ turn, status: "skipped", skip_reason: reason, ...hint });
    }
    return false;
  }

  private async checkEnd(deadline: Deadline): Promise<void> {
    const turn = this.finished.at(-1);
    if (turn === undefined) return;
    const checked = await runAssertions(
      this.prepared.finalAssertions,
      this.moment("final", turn),
      deadline,
      "final assertions: ",
    );
    this.finalAssertions = checked.rows;
    this.causes.push(...checked.causes, ...this.progress.missing());
    this.isOver(deadline);
  }

  /** Nothing more can be done in a conversation whose time is up, or that was cancelled. It has not passed. */
  private isOver({ interruption }: Deadline): boolean {
    if (interruption === undefined) return false;
    this.causes.push(
      interruption.kind === "timeout"
        ? blamed("author", `${interruption.message}, while assertions were checked`)
        : { kind: "cancelled" },
    );
    return true;
  }

  /** What assertions look at now. */
  private moment(scope: Moment["scope"], turn: AssertionTurn): Moment {
    const { finished, messages, state } = this;
    return { scope, turn, turns: finished, messages, state };
  }

  private async sendTurn(
    turn: PreparedTurn,
    number: number,
    caseDeadline: Deadline,
  ): Promise<SentTurn> {
    const { settings } = this;
    const limit = settings.turnTimeoutWins
      ? settings.turnTimeout
      : (turn.timeout ?? settings.turnTimeout);
    const deadline = new Deadline("turn", limit, caseDeadline);
    const row: TurnResult = {
      turn: number,
      status: "passed",
      input: turn.written,
      input_source: "static",
    };
    this.sent++;
    settings.emit({
      type: "turn-start",
      turn: number,
      input: turn.written,
      input_source: "static",
    });
    let outcome: SentTurn = { failed: true };
    try {
      const replied = await this.exchange(turn, row, deadline, caseDeadline);
      // The limit of the turn is the agent's; assertions have limits of their own.
      if (replied !== undefined) outcome = await this.check(turn, row, replied, caseDeadline);
    } finally {
      deadline.dispose();
      this.rows.push(row);
      settings.emit({ type: "turn-end", turn: number, result: row });
    }
    return outcome;
  }

  /** Sends the input and looks at the reply. Fills in the row; undefined if the conversation cannot go on. */
  private async exchange(
    turn: PreparedTurn,
    row: TurnResult,
    deadline: Deadline,
    caseDeadline: Deadline,
  ): Promise<AssertionTurn | undefined> {
    const { settings } = this;
    const number = row.turn;
    const started = settings.now();
    settings.emit({ type: "agent-call-start", turn: number });
    let reply: NormalReply;
    try {
      const { content: input } = this.say({ role: "user", content: readInput(turn.input) });
      const request = this.request(turn, input, number, deadline);
      reply = normaliseReply(await deadline.race(() => settings.agent.respond(request)), number);
      settings.emit({
        type: "agent-call-end",
        turn: number,
        duration_ms: elapsed(settings.now, started),
      });
    } catch (error) {
      row.duration_ms = elapsed(settings.now, started);
      const cause = causeOfAgentError(error, settings.root);
      this.breakOff(row, cause);
      settings.emit({
        type: "agent-call-end",
        turn: number,
        duration_ms: elapsed(settings.now, started),
        error: row.error ?? "cancelled",
      });
      return undefined;
    }
    const durationMs = elapsed(settings.now, started);
    row.duration_ms = durationMs;
    this.record(reply, row);
    try {
      // Not on the time of the agent: it has answered.
      const verdict = settings.detector(reply, {
        messages: this.messages,
        get signal() {
          return caseDeadline.signal;
        },
      });
      const detection = checkDetection(
        isThenable(verdict)
          ? await within("check", detectorTimeout, () => verdict, caseDeadline)
          : verdict,
      );
      recordDetection(row, detection);
      return {
        turn: number,
        input: turn.written,
        content: reply.content,
        ...(reply.data === undefined ? {} : { data: reply.data }),
        output: outputOf(reply),
        toolCalls: reply.toolCalls,
        detection,
        durationMs,
        ...(reply.usage === undefined ? {} : { usage: reply.usage }),
      };
    } catch (error) {
      this.breakOff(
        row,
        interruptionOf(error)?.kind === "cancelled"
          ? { kind: "cancelled" }
          : blamed("detector", `the awaiting-input detector failed: ${errorMessage(error)}`),
      );
      return undefined;
    }
  }

  /** Checks the assertions of the turn. Fills in the row. */
  private async check(
    turn: PreparedTurn,
    row: TurnResult,
    finished: AssertionTurn,
    caseDeadline: Deadline,
  ): Promise<SentTurn> {
    this.finished.push(finished);
    const moment = this.moment("turn", finished);
    const checked = await runAssertions(
      turn.assertions,
      moment,
      caseDeadline,
      `turn ${row.turn}: `,
    );
    const looked =
      this.progress.watches && caseDeadline.interruption === undefined
        ? await this.progress.look(moment, caseDeadline)
        : { failures: [], causes: [] };
    const failures = [...checked.failures, ...looked.failures];
    row.assertions = checked.rows;
    if (failures.length > 0) {
      row.status = "failed";
      row.assertion_errors = failures;
    }
    this.causes.push(...checked.causes, ...looked.causes);
    if (this.isOver(caseDeadline)) return { failed: true };
    return { failed: failures.length > 0, detection: finished.detection };
  }

  /** The turn ends here, and the conversation with it. */
  private breakOff(row: TurnResult, cause: Cause): void {
    this.causes.push(cause);
    if (cause.kind === "failed" || cause.kind === "error") {
      row.status = "failed";
      row.error = cause.error;
    } else {
      row.status = "skipped";
      row.skip_reason = "cancelled";
    }
  }

  private record(reply: NormalReply, row: TurnResult): void {
    row.output = outputOf(reply);
    if (reply.toolCalls.length > 0) row.tool_calls = reply.toolCalls.map(toolCallRow);
    if (reply.pending.length > 0) row.pending = reply.pending.map(pendingRow);
    for (const call of row.tool_calls ?? [])
      this.settings.emit({ type: "tool-call", turn: row.turn, call });
    if (reply.state !== undefined) this.state = reply.state;
    this.usage = addUsage(this.usage, reply.usage);
    this.say(messageOf(reply));
    for (const field of reply.ignored ?? [])
      this.warn("ignored_field", `the reply has a field that is not used: ${field}`);
  }

  /**
   * Adds to the conversation: to ours, which is evidence, and to the agent's, with which it may do as it likes. Returns
   * the agent's copy.
   */
  private say<T extends Message>(message: T): T {
    const copy =
      typeof message.content === "string" && !("toolCalls" in message)
        ? { ...message }
        : structuredClone(message);
    this.messages.push(message);
    this.given.push(copy);
    return copy;
  }

  private warn(code: string, message: string): void {
    if (!this.warnings.some((warning) => warning.message === message))
      this.warnings.push({ code, message });
  }

  private request(
    turn: PreparedTurn,
    input: UserInput,
    number: number,
    deadline: Deadline,
  ): AgentRequest {
    const { metadata, ...options } = turn.options as Partial<AgentRequest["options"]>;
    return {
      sessionId: this.settings.sessionId,
      testId: this.prepared.testCase.id,
      turn: number,
      // Another list each time: agents like to push onto it.
      messages: this.given.slice(),
      input,
      attachments: turn.attachments.map(readMedia),
      options: { ...structuredClone(options), metadata: structuredClone(metadata ?? {}) },
      referer: "agent-test",
      get signal() {
        return deadline.signal;
      },
      resolveTool(name) {
        const refused = Promise.reject(new ToolNotMockedError(name));
        // An agent that does not wait for it has not failed for that.
        refused.catch(() => undefined);
        return refused;
      },
    };
  }

  private leaveUnsent(from: number): void {
    for (const [index, turn] of this.prepared.turns.entries())
      if (index >= from)
        this.rows.push({ turn: index + 1, status: "not_sent", input: turn.written });
  }

  private async close(): Promise<void> {
    const { agent, sessionId } = this.settings;
    if (agent.close === undefined) return;
    try {
      await within("close", closeTimeout, async () => agent.close!(sessionId));
    } catch (error) {
      this.warn("close_failed", `the agent could not close its session: ${errorMessage(error)}`);
    }
  }
}

function elapsed(now: () => number, started: number): number {
  return Math.round((now() - started) * 1_000) / 1_000;
}
