import type { PreparedSimulator } from "../case/prepare-simulator.js";
import type { AssertionTurn } from "../contract/assertion.js";
import type { CaseResult, Discipline } from "../contract/result.js";
import type { SimulatorReply } from "../contract/role.js";
import type { RoleCaller } from "../role/call-role.js";
import type { SimulatedUser, UserMove, UserView } from "./simulated-user.js";
import { simulatorReplySchema } from "../contract/role.js";
import { swappedMessages } from "../role/transcript.js";
import { KnownNumbers, plain, restarts, speaksAsAssistant } from "./discipline.js";

type RoleSimulator = Extract<PreparedSimulator, { kind: "role" }>;

/** A message for who opens a conversation: a model needs something to answer to. */
const opening = "(The conversation has not begun. Write your first message.)";

/** What breaks a rule that is usually a warning. */
interface Slip {
  readonly kind: "spoke_as_assistant" | "restarted" | "premature_goal" | "invented";
  readonly text: string;
}

/** A user played by an agent or a script. */
export class RoleUser implements SimulatedUser {
  private goal: CaseResult["goal"];
  private readonly discipline: Discipline = {};
  private readonly known = new KnownNumbers();
  /** How often the user has said what to which reply. */
  private readonly said = new Map<string, number>();
  /** Turns that both have taken in. */
  private read = 0;

  constructor(
    private readonly simulator: RoleSimulator,
    private readonly caller: RoleCaller,
    private readonly sessionId: string,
    private readonly warn: (code: string, message: string) => void,
  ) {
    const { use, options, knowledge } = simulator;
    const { max_turns: _, ...told } = options.metadata ?? {};
    this.known.learnAll([use, told, knowledge]);
  }

  get result(): SimulatedUser["result"] {
    const { goal, discipline } = this;
    return {
      ...(goal === undefined ? {} : { goal }),
      ...(Object.keys(discipline).length === 0 ? {} : { discipline }),
    };
  }

  async next(view: UserView): Promise<UserMove> {
    const { use, strict, options } = this.simulator;
    const swapped = swappedMessages(view.history, view.turns);
    const metadata = this.metadataOf(view);
    this.takeIn(view);
    const reply = await this.caller.call<SimulatorReply>(
      {
        role: "simulator",
        use,
        messages: swapped.length === 0 ? [{ role: "user", content: opening }] : swapped,
        metadata,
        options,
        schema: simulatorReplySchema as never,
        refuse: (answer) => this.refuse(answer, view),
      },
      {
        outer: view.deadline,
        turn: view.turn,
        unreadable: () => this.count("unreadable"),
      },
    );
    // What comes after the last turn is not sent, unless it is the goal.
    const counts = reply.goal_achieved === true || view.turn <= view.maxTurns;
    if (!strict && counts) for (const slip of this.slips(reply, view)) this.note(slip, view.turn);
    const { reasoning } = reply;
    const achieved = reply.goal_achieved === true;
    this.goal = {
      achieved,
      ...(reasoning === undefined || reasoning === "" ? {} : { reasoning }),
    };
    if (achieved) return { kind: "goal" };
    if (reply.answer !== undefined && view.pending.length > 0)
      return { kind: "answer", answer: reply.answer };
    return { kind: "say", input: said(reply) };
  }

  private metadataOf(view: UserView): Readonly<Record<string, unknown>> {
    const { knowledge, options } = this.simulator;
    const last = view.turns.at(-1);
    const results = new Map<string, unknown>();
    for (const { toolCalls } of view.turns)
      for (const { name, result } of toolCalls) if (result !== undefined) results.set(name, result);
    const { awaiting = false, kind } = view.detection ?? {};
    return {
      ...options.metadata,
      ...(knowledge === undefined ? {} : { knowledge }),
      session_id: this.sessionId,
      turn_number: view.turn,
      turn_count: view.turn,
      max_turns: view.maxTurns,
      tool_results: Object.fromEntries(results),
      last_response: last === undefined ? "" : textOf(last.output),
      awaiting: { awaiting, ...(kind === undefined ? {} : { kind }) },
      pending: [...view.pending],
    };
  }

  /** Why the answer cannot be used, if it cannot. With `strict`, slips count, too. */
  private refuse(reply: SimulatorReply, view: UserView): string | undefined {
    const [slip] = this.simulator.strict ? this.slips(reply, view) : [];
    if (slip !== undefined) {
      this.count(slip.kind);
      return slip.text;
    }
    if (reply.goal_achieved === true) {
      if (view.turns.length > 0) return undefined;
      this.count("premature_goal");
      return "the user claims the goal before the conversation has begun";
    }
    const text = said(reply);
    if (reply.answer !== undefined && (view.pending.length > 0 || text === "")) {
      const wrong = view.wrongWith(reply.answer);
      if (wrong === undefined) return undefined;
      this.count("misplaced_answer");
      return wrong;
    }
    if (text === "") {
      this.count("empty");
      return "the user says nothing, and has not reached the goal";
    }
    if ((this.said.get(exchangeOf(view.turns.at(-1), text)) ?? 0) >= 2) {
      this.count("repeated");
      return `the user says the same for the third time to the same reply: ${JSON.stringify(text.slice(0, 100))}`;
    }
    return undefined;
  }

  /** Rules that are broken by mistake as often as by a user who means it: a warning, or with `strict` no answer at all. */
  private slips(reply: SimulatorReply, view: UserView): Slip[] {
    const slips: Slip[] = [];
    const last = view.turns.at(-1);
    const { awaiting, kind } = view.detection ?? {};
    if (reply.goal_achieved === true) {
      if (awaiting === true && (kind === "confirmation" || kind === "approval"))
        slips.push({
          kind: "premature_goal",
          text: "the simulated user claims the goal while the agent waits for a confirmation",
        });
      return slips;
    }
    const text = said(reply);
    if (text === "") return slips;
    if (speaksAsAssistant(text, last === undefined ? "" : textOf(last.output)))
      slips.push({
        kind: "spoke_as_assistant",
        text: `the simulated user speaks as the assistant: ${JSON.stringify(text.slice(0, 100))}`,
      });
    const first = view.turns[0]?.input;
    if (view.turns.length > 1 && awaiting === false && typeof first === "string")
      if (restarts(text, first))
        slips.push({
          kind: "restarted",
          text: "the simulated user begins again after the agent was done",
        });
    const unknown = this.known.unknownIn(text);
    if (unknown.length > 0)
      slips.push({
        kind: "invented",
        text: `the simulated user brings up what nobody has told it: ${unknown.slice(0, 5).join(", ")}; what it may know belongs into "knowledge" or "metadata" of the simulator`,
      });
    return slips;
  }

  /** Each turn is looked at once: a long conversation must not cost more with every turn. */
  private takeIn({ history, turns, pending }: UserView): void {
    this.known.learnAll(pending);
    if (this.read === 0) this.known.learnAll(history);
    for (; this.read < turns.length; this.read++) {
      const { input, output, toolCalls } = turns[this.read]!;
      this.known.learnAll([input, output, toolCalls]);
      if (this.read === 0 || typeof input !== "string") continue;
      const exchange = exchangeOf(turns[this.read - 1], input);
      this.said.set(exchange, (this.said.get(exchange) ?? 0) + 1);
    }
  }

  private note({ kind, text }: Slip, turn: number): void {
    this.count(kind);
    this.warn(`simulator_${kind}`, `turn ${turn}: ${text}`);
  }

  private count(kind: keyof Discipline): void {
    this.discipline[kind] = (this.discipline[kind] ?? 0) + 1;
  }
}

/** What the user says. */
function said({ input, message }: SimulatorReply): string {
  return (input ?? message ?? "").trim();
}

function textOf(output: unknown): string {
  return typeof output === "string" ? output : JSON.stringify(output);
}

/** What the user says to a reply. */
function exchangeOf(turn: AssertionTurn | undefined, text: string): string {
  return JSON.stringify([turn === undefined ? "" : plain(textOf(turn.output)), plain(text)]);
}
