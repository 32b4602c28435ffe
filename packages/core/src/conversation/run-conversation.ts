import type { Detection, Detector } from "../awaiting/detection.js";
import type { PreparedCase, PreparedTurn } from "../case/prepare-case.js";
import type {
  Agent,
  AgentRequest,
  Message,
  NormalReply,
  ToolCall,
  UserInput,
} from "../contract/agent.js";
import type { AssertionTurn } from "../contract/assertion.js";
import type { MissingInputPolicy } from "../contract/config.js";
import type { RunEvent } from "../contract/event.js";
import type {
  AssertionRow,
  CaseResult,
  ToolCallRow,
  TurnResult,
  UsageRow,
} from "../contract/result.js";
import type { JsonValue } from "../json.js";
import type { Cause, Verdict } from "./verdict.js";
import { readMedia } from "../case/media.js";
import { readInput } from "../case/prepare-case.js";
import { ToolNotMockedError, TurnwiseError, errorMessage } from "../errors.js";
import { isObject } from "../json.js";
import { Deadline, interruptionOf } from "./deadline.js";
import { normaliseReply } from "./normalise-reply.js";
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
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly emit: (event: WithoutPlace<CaseEvent>) => void;
}

/** How one conversation went. */
export interface ConversationOutcome {
  readonly verdict: Verdict;
  readonly turns: readonly TurnResult[];
  readonly finalAssertions: readonly AssertionRow[];
  readonly totalTurns: number;
  readonly state: JsonValue | undefined;
  readonly usage: CaseResult["usage"];
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}

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
  private readonly messages: Message[];
  private readonly rows: TurnResult[] = [];
  private readonly finished: AssertionTurn[] = [];
  private readonly causes: Cause[] = [];
  private readonly warnings: { code: string; message: string }[] = [];
  private finalAssertions: AssertionRow[] = [];
  private state: JsonValue | undefined;
  private usage: UsageRow | undefined;
  private sent = 0;

  constructor(
    private readonly prepared: PreparedCase,
    private readonly settings: ConversationSettings,
  ) {
    this.messages = [...prepared.history];
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
    if (turn === undefined || this.prepared.finalAssertions.length === 0) return;
    const checked = await runAssertions(
      this.prepared.finalAssertions,
      {
        scope: "final",
        turn,
        turns: this.finished,
        messages: this.messages,
        state: this.state,
      },
      deadline,
    );
    this.finalAssertions = checked.rows;
    this.causes.push(...checked.causes);
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
    const deadline = new Deadline("turn", limit, caseDeadline.signal);
    const started = settings.now();
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
    try {
      const outcome = await this.exchange(turn, row, deadline);
      return outcome;
    } finally {
      deadline.dispose();
      row.duration_ms = elapsed(settings.now, started);
      this.rows.push(row);
      settings.emit({ type: "turn-end", turn: number, result: row });
    }
  }

  /** Sends the input, looks at the reply and checks the assertions of the turn. Fills in the row. */
  private async exchange(
    turn: PreparedTurn,
    row: TurnResult,
    deadline: Deadline,
  ): Promise<SentTurn> {
    const { settings } = this;
    const number = row.turn;
    let reply: NormalReply;
    const started = settings.now();
    settings.emit({ type: "agent-call-start", turn: number });
    try {
      const input = readInput(turn.input);
      this.messages.push({ role: "user", content: input });
      const request = this.request(turn, input, number, deadline.signal);
      reply = normaliseReply(await deadline.race(() => settings.agent.respond(request)));
      settings.emit({
        type: "agent-call-end",
        turn: number,
        duration_ms: elapsed(settings.now, started),
      });
    } catch (error) {
      const cause = causeOfAgentError(error);
      const message = cause.kind === "cancelled" ? "cancelled" : cause.error;
      settings.emit({
        type: "agent-call-end",
        turn: number,
        duration_ms: elapsed(settings.now, started),
        error: message,
      });
      if (cause.kind === "cancelled") {
        row.status = "skipped";
        row.skip_reason = "cancelled";
      } else {
        row.status = "failed";
        row.error = message;
      }
      this.causes.push(cause);
      return { failed: true };
    }
    const replied = elapsed(settings.now, started);
    this.record(reply, row);

    let detection: Detection;
    try {
      detection = checkDetection(
        await deadline.race(() =>
          settings.detector(reply, { messages: this.messages, signal: deadline.signal }),
        ),
      );
    } catch (error) {
      const interruption = interruptionOf(error);
      const message = `the awaiting-input detector failed: ${errorMessage(error)}`;
      row.status = "failed";
      row.error = message;
      this.causes.push(
        interruption?.kind === "cancelled" ? { kind: "cancelled" } : blamed("detector", message),
      );
      return { failed: true };
    }
    row.awaiting_input = detection.awaiting;
    row.awaiting_reason = detection.reason;
    if (detection.kind !== undefined) row.awaiting_kind = detection.kind;
    if (detection.evidence !== undefined) row.evidence = detection.evidence;
    if (detection.hint !== undefined) row.input_hint = detection.hint;

    const finished: AssertionTurn = {
      turn: number,
      input: turn.written,
      content: reply.content,
      ...(reply.data === undefined ? {} : { data: reply.data }),
      output: row.output as JsonValue,
      toolCalls: reply.toolCalls,
      detection,
      durationMs: replied,
    };
    this.finished.push(finished);
    const checked = await runAssertions(
      turn.assertions,
      {
        scope: "turn",
        turn: finished,
        turns: this.finished,
        messages: this.messages,
        state: this.state,
      },
      deadline,
    );
    row.assertions = checked.rows;
    if (checked.failures.length > 0) {
      row.status = "failed";
      row.assertion_errors = checked.failures;
    }
    this.causes.push(...checked.causes);
    // Nothing more can be done in a conversation whose time is up.
    const over = deadline.signal.aborted && checked.causes.length > 0;
    return over ? { failed: true } : { failed: checked.failures.length > 0, detection };
  }

  private record(reply: NormalReply, row: TurnResult): void {
    row.output = reply.content === "" && reply.data !== undefined ? reply.data : reply.content;
    if (reply.toolCalls.length > 0) row.tool_calls = reply.toolCalls.map(toolCallRow);
    if (reply.pending.length > 0)
      row.pending = reply.pending.map((request) => ({
        ...request,
        options: request.options === undefined ? undefined : [...request.options],
      }));
    for (const call of row.tool_calls ?? [])
      this.settings.emit({ type: "tool-call", turn: row.turn, call });
    if (reply.state !== undefined) this.state = reply.state;
    this.usage = addUsage(this.usage, reply.usage);
    this.messages.push({
      role: "assistant",
      content:
        reply.content === "" && reply.data !== undefined
          ? JSON.stringify(reply.data)
          : reply.content,
      ...(reply.toolCalls.length === 0 ? {} : { toolCalls: reply.toolCalls }),
    });
  }

  private request(
    turn: PreparedTurn,
    input: UserInput,
    number: number,
    signal: AbortSignal,
  ): AgentRequest {
    return {
      sessionId: this.settings.sessionId,
      testId: this.prepared.testCase.id,
      turn: number,
      // A copy: agents like to push onto it.
      messages: this.messages.slice(),
      input,
      attachments: turn.attachments.map(readMedia),
      options: {
        ...(turn.options as Omit<AgentRequest["options"], "metadata">),
        metadata: turn.options.metadata ?? {},
      },
      referer: "agent-test",
      signal,
      async resolveTool(name) {
        throw new ToolNotMockedError(name);
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
    const deadline = new Deadline("close", closeTimeout);
    try {
      await deadline.race(() => agent.close!(sessionId));
    } catch (error) {
      this.warnings.push({
        code: "close_failed",
        message: `the agent could not close its session: ${errorMessage(error)}`,
      });
    } finally {
      deadline.dispose();
    }
  }
}

function elapsed(now: () => number, started: number): number {
  return Math.round((now() - started) * 1_000) / 1_000;
}

function causeOfAgentError(error: unknown): Exclude<Cause, { kind: "skipped" }> {
  const interruption = interruptionOf(error);
  if (interruption?.kind === "cancelled") return { kind: "cancelled" };
  if (interruption !== undefined)
    return { kind: "failed", blame: "agent", error: interruption.message };
  if (TurnwiseError.isInstance(error) && error.blame !== "agent" && error.blame !== "mock")
    return { kind: "error", blame: error.blame, error: errorMessage(error) };
  return { kind: "failed", blame: "agent", error: `agent error: ${errorMessage(error)}` };
}

function checkDetection(value: unknown): Detection {
  if (!isObject(value) || typeof value["awaiting"] !== "boolean")
    throw new TypeError("it returned no verdict { awaiting, reason, confidence }");
  return value as unknown as Detection;
}

function toolCallRow(call: ToolCall): ToolCallRow {
  return {
    id: call.id,
    name: call.name,
    args: call.arguments,
    ...(call.argumentsInvalid === true ? { args_invalid: true as const } : {}),
    ...(call.result === undefined ? {} : { result: call.result }),
    ...(call.error === undefined ? {} : { error: call.error }),
  };
}

function addUsage(total: UsageRow | undefined, usage: NormalReply["usage"]): UsageRow | undefined {
  if (usage === undefined) return total;
  const sum = (before: number | undefined, more: number | undefined): number | undefined =>
    more === undefined ? before : (before ?? 0) + more;
  return {
    input_tokens: sum(total?.input_tokens, usage.inputTokens),
    output_tokens: sum(total?.output_tokens, usage.outputTokens),
    total_tokens: sum(total?.total_tokens, usage.totalTokens),
    calls: (total?.calls ?? 0) + 1,
  };
}
