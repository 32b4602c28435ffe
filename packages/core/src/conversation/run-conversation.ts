import type { Detection, Detector } from "../awaiting/detection.js";
import type { PreparedCase, PreparedTurn } from "../case/prepare-case.js";
import type { Agent, PendingRequest } from "../contract/agent.js";
import type { AssertionTurn } from "../contract/assertion.js";
import type { MissingInputPolicy } from "../contract/config.js";
import type { AssertionRow, CaseResult, TurnResult, UsageRow } from "../contract/result.js";
import type { JsonValue } from "../json.js";
import type { Moment } from "./run-assertions.js";
import type { Exchange } from "./target.js";
import type { CaseEvent } from "./turn-recorder.js";
import type { Cause, Verdict } from "./verdict.js";
import { errorMessage } from "../errors.js";
import { causeOfAgentError } from "./agent-error.js";
import { Deadline, interruptionOf, isThenable, within } from "./deadline.js";
import { Progress } from "./progress.js";
import {
  checkDetection,
  outputOf,
  pendingRow,
  recordDetection,
  sumUsage,
  usageOf,
} from "./record.js";
import { runAssertions } from "./run-assertions.js";
import type { HumanSettings } from "./human-user.js";
import type { Helpers } from "./run-assertions.js";
import type { TurnToSend } from "./next-turn.js";
import { NextTurn } from "./next-turn.js";
import type { SimulatedUser } from "./simulated-user.js";
import { Target } from "./target.js";
import { TurnRecorder } from "./turn-recorder.js";
import { blamed, verdictOf } from "./verdict.js";

/** Everything a conversation needs beside its case. */
export interface ConversationSettings {
  readonly agent: Agent;
  readonly detector: Detector;
  /** Whom simulated users and assertions can ask. */
  readonly helpers: Helpers;
  /** Who is asked when nobody else has anything to say. */
  readonly human: HumanSettings;
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
  readonly emit: (event: CaseEvent) => void;
}

/** How one conversation went. */
export interface ConversationOutcome {
  readonly verdict: Verdict;
  readonly turns: TurnResult[];
  readonly finalAssertions: AssertionRow[];
  readonly totalTurns: number;
  readonly state: JsonValue | undefined;
  readonly usage: CaseResult["usage"];
  /** What the simulated user adds to the result. */
  readonly simulated: SimulatedUser["result"];
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
  private readonly target: Target;
  private readonly rows: TurnResult[] = [];
  private readonly finished: AssertionTurn[] = [];
  private readonly causes: Cause[] = [];
  private readonly warnings: { code: string; message: string }[] = [];
  private readonly progress: Progress;
  private readonly next: NextTurn;
  private finalAssertions: AssertionRow[] = [];
  private state: JsonValue | undefined;
  private pending: readonly PendingRequest[] = [];
  private usage: UsageRow | undefined;
  private sent = 0;

  constructor(
    private readonly prepared: PreparedCase,
    private readonly settings: ConversationSettings,
  ) {
    const { agent, sessionId } = settings;
    const { mocks, detection, history } = prepared;
    const testId = prepared.testCase.id;
    this.target = new Target({ agent, sessionId, testId, mocks, detection }, history);
    this.progress = new Progress(prepared.checkpoints, prepared.invariants);
    this.next = new NextTurn(prepared, {
      sessionId,
      roles: settings.helpers.roles,
      human: settings.human,
      onMissingInput: settings.onMissingInput,
      warn: (code, message) => this.warn(code, message),
    });
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
      usage: this.usageByRole(),
      simulated: this.next.user?.result ?? {},
      progress: this.progress.rows(this.prepared.testCase.checkpoints),
      warnings: this.warnings,
    };
  }

  private usageByRole(): CaseResult["usage"] {
    const usage = {
      ...(this.usage === undefined ? {} : { target: this.usage }),
      ...this.settings.helpers.roles.usage,
    };
    return Object.keys(usage).length === 0 ? undefined : usage;
  }

  private async converse(deadline: Deadline): Promise<void> {
    const { testCase } = this.prepared;
    let last: Detection | undefined;
    for (let number = 1; ; number++) {
      const next = await this.next.find({
        turn: number,
        turns: this.finished,
        detection: last,
        pending: this.pending,
        wrongWith: (answer) => this.target.wrongWith(answer),
        deadline,
      });
      if ("complete" in next) {
        if (next.cause !== undefined) this.causes.push(next.cause);
        if (next.row !== undefined) this.rows.push(next.row);
        if (next.complete) break;
        if (next.cause?.kind === "skipped") this.next.user?.ended?.();
        return;
      }
      const sent = await this.sendTurn(next, number, deadline);
      if (sent.detection === undefined) {
        this.leaveUnsent(number);
        return;
      }
      last = sent.detection;
      const stop =
        (sent.failed && testCase.on_turn_failure === "stop") ||
        (testCase.stop_when_complete === true && !last.awaiting);
      if (!stop) continue;
      this.leaveUnsent(number);
      break;
    }
    await this.checkEnd(deadline);
    if (this.prepared.unverified)
      this.warn("unverified_goal", "nothing checked what the simulated user claimed");
    this.next.user?.ended?.();
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
    const { finished, state, target } = this;
    const { helpers } = this.settings;
    const { messages, world } = target;
    return { scope, turn, turns: finished, messages, state, world, helpers };
  }

  private async sendTurn(
    { turn, source }: TurnToSend,
    number: number,
    caseDeadline: Deadline,
  ): Promise<SentTurn> {
    const { settings } = this;
    const limit = settings.turnTimeoutWins
      ? settings.turnTimeout
      : (turn.timeout ?? settings.turnTimeout);
    const deadline = new Deadline("turn", limit, caseDeadline);
    const written = { ...writtenOf(turn), input_source: source };
    const row: TurnResult = { turn: number, status: "passed", ...written };
    this.sent++;
    settings.emit({ type: "turn-start", turn: number, ...written });
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

  /** Sends the turn and looks at the reply. Fills in the row; undefined if the conversation cannot go on. */
  private async exchange(
    turn: PreparedTurn,
    row: TurnResult,
    deadline: Deadline,
    caseDeadline: Deadline,
  ): Promise<AssertionTurn | undefined> {
    const { now } = this.settings;
    const started = now();
    const recorder = new TurnRecorder(row, this.settings);
    let exchange: Exchange;
    try {
      exchange = await this.target.send({
        turn,
        number: row.turn,
        deadline,
        observer: recorder,
      });
    } catch (error) {
      this.breakOff(row, causeOfAgentError(error, this.settings.root));
      return undefined;
    } finally {
      row.duration_ms = elapsed(now, started);
      this.take(recorder);
    }
    const { reply, pending } = exchange;
    row.output = outputOf(reply);
    this.pending = pending;
    if (pending.length > 0) row.pending = pending.map(pendingRow);
    try {
      // Not on the time of the agent: it has answered.
      const verdict = this.settings.detector(reply, {
        messages: this.target.messages,
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
        turn: row.turn,
        input: said(turn),
        content: reply.content,
        ...(reply.data === undefined ? {} : { data: reply.data }),
        output: outputOf(reply),
        toolCalls: recorder.calls,
        detection,
        durationMs: recorder.spent,
        ...(recorder.usage === undefined ? {} : { usage: usageOf(recorder.usage) }),
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

  /** What a turn adds to the conversation, also one that broke. */
  private take({ usage, state, ignored }: TurnRecorder): void {
    if (state !== undefined) this.state = state;
    if (usage !== undefined) this.usage = sumUsage(this.usage, usage);
    for (const field of ignored)
      this.warn("ignored_field", `the reply has a field that is not used: ${field}`);
  }

  private warn(code: string, message: string): void {
    if (!this.warnings.some((warning) => warning.message === message))
      this.warnings.push({ code, message });
  }

  private leaveUnsent(from: number): void {
    for (const [index, turn] of this.prepared.turns.entries())
      if (index >= from)
        this.rows.push({ turn: index + 1, status: "not_sent", ...writtenOf(turn) });
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

/** The turn as the case gives it. */
function writtenOf({ written, answer }: PreparedTurn): Pick<TurnResult, "input" | "answer"> {
  return answer === undefined ? { input: written } : { answer };
}

/** What the user did in a turn, for assertions. */
function said({ written, answer }: PreparedTurn): unknown {
  return answer ?? written;
}

function elapsed(now: () => number, started: number): number {
  return Math.round((now() - started) * 1_000) / 1_000;
}
