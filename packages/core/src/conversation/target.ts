import type { DetectionOptions } from "../awaiting/detect.js";
import type { PreparedTurn } from "../case/prepare-case.js";
import type { PreparedMocks } from "../case/prepare-mocks.js";
import type {
  Agent,
  AgentRequest,
  Answer,
  ContentPart,
  Message,
  NormalReply,
  PendingRequest,
  ToolCall,
  ToolResult,
  UserInput,
} from "../contract/agent.js";
import type { Deadline } from "./deadline.js";
import type { Opening, OpenRequests } from "./open-requests.js";
import { asksTheUser, isOpen } from "../awaiting/tool-calls.js";
import { readMedia } from "../case/media.js";
import { readInput } from "../case/prepare-case.js";
import { AgentError, errorMessage } from "../errors.js";
import { normaliseReply } from "./normalise-reply.js";
import { nothingOpen, openWithAnswer, openWithInput, pendingOfAsk } from "./open-requests.js";
import { messageOf, toolMessage } from "./record.js";
import { runCalls, settle } from "./run-calls.js";
import { ResolvedCalls } from "./resolved-calls.js";
import { MockError, ToolMocks } from "./tool-mocks.js";

/** How often an agent may ask for results of tools within one turn. */
const mostRounds = 50;

/** What the agent under test is told of its conversation. */
export interface TargetSettings {
  readonly agent: Agent;
  readonly sessionId: string;
  readonly testId: string;
  readonly mocks: PreparedMocks | undefined;
  readonly detection: DetectionOptions;
}

/** Told what happens during a turn as it happens: a turn that breaks keeps what it had. */
export interface TurnObserver {
  /** The agent is asked, for the first time in the turn or with results of tools. */
  asked(): void;
  /** It has replied. */
  replied(reply: NormalReply): void;
  /** It has failed. */
  failed(error: unknown): void;
  /** Calls of a round, with their results as far as there are any. */
  called(calls: readonly ToolCall[]): void;
}

/** The turn as it ended: the last reply, with the calls and requests that are still open. */
export interface Exchange {
  readonly reply: NormalReply;
  readonly pending: readonly PendingRequest[];
}

/** A turn to be said. */
export interface SentTurn {
  readonly turn: PreparedTurn;
  /** 1-based. */
  readonly number: number;
  readonly deadline: Deadline;
  readonly observer: TurnObserver;
}

/** One request to the agent within a turn. */
interface Round {
  readonly opening: Opening;
  /** Tool calls that the turn has had. */
  readonly calls: number;
}

/** The agent under test over one conversation: what was said, what is open, and its tool loop. */
export class Target {
  /** The conversation as it was. */
  readonly messages: Message[] = [];
  /** The conversation as the agent gets it, in objects of its own. */
  private readonly given: Message[] = [];
  private readonly mocks: ToolMocks;
  private open: OpenRequests = nothingOpen;

  constructor(
    private readonly settings: TargetSettings,
    history: readonly Message[],
  ) {
    for (const message of history) this.say(message);
    this.mocks = new ToolMocks(settings.mocks, settings.sessionId);
  }

  /**
   * Says the turn and goes on until the agent has nothing to run any more.
   * @throws whatever the agent throws, AuthorError for an answer that fits no request, an error with the blame `mock`.
   */
  async send(sent: SentTurn): Promise<Exchange> {
    let opening = this.opening(sent.turn);
    let calls = 0;
    for (let round = 0; round <= mostRounds; round++) {
      const reply = await this.ask(sent, { opening, calls });
      calls += reply.toolCalls.length;
      this.say(messageOf(reply));
      const results = await runCalls(reply, {
        ...sent,
        mocks: this.mocks,
        asks: this.asksOf(reply),
      });
      if (results === undefined) return this.finish(reply);
      const { answered, asks } = results;
      if (asks.length > 0 || reply.pending.length > 0) {
        // The model wants all results of the round together, and the user's is still to come.
        const exchange = this.finish(settle(reply, answered));
        this.open = { ...this.open, results: answered };
        return exchange;
      }
      opening = { toolResults: answered };
      this.sayResults(answered);
    }
    throw new AgentError(
      `it called tools in ${mostRounds} rounds of one turn without coming to a reply`,
    );
  }

  /** State that the mocks share. */
  get world(): unknown {
    return this.mocks.world;
  }

  /** What is wrong with an answer to what is open now, if anything is. */
  wrongWith(answer: Answer): string | undefined {
    try {
      openWithAnswer(answer, this.open);
      return undefined;
    } catch (error) {
      return errorMessage(error);
    }
  }

  /** Says what the turn says. */
  private opening(turn: PreparedTurn): Opening {
    const { open } = this;
    const opening =
      turn.answer === undefined
        ? openWithInput(readInput(turn.input ?? ""), open)
        : openWithAnswer(turn.answer, open);
    this.open = nothingOpen;
    this.sayResults(opening.toolResults ?? []);
    const { input } = opening;
    if (input !== undefined) this.messages.push({ role: "user", content: input });
    // Who builds a request from the history alone finds in it what came along.
    const media = [...(opening.media ?? []), ...turn.attachments.map(readMedia)];
    if (media.length > 0) this.given.push({ role: "user", content: [...partsOf(input), ...media] });
    else if (input !== undefined) this.given.push({ role: "user", content: copyOf(input) });
    return { ...opening, media, ...(input === undefined ? {} : { input: copyOf(input) }) };
  }

  private async ask(sent: SentTurn, asked: Round): Promise<NormalReply> {
    const { number, deadline, observer } = sent;
    const place = { turn: number, calls: asked.calls };
    const resolved = new ResolvedCalls(this.mocks, place, deadline);
    observer.asked();
    try {
      const request = this.request(sent, asked, resolved.resolve);
      const answer = await deadline.race(() => this.settings.agent.respond(request));
      await resolved.finished();
      const reply = resolved.merge(normaliseReply(answer, place));
      if (resolved.refusal !== undefined) throw resolved.refusal;
      observer.replied(reply);
      return reply;
    } catch (error) {
      observer.called(resolved.calls);
      // An agent that fails over a mock that is missing or broken has not failed by itself.
      const cause = blameless(error, resolved, deadline);
      observer.failed(cause);
      throw cause;
    } finally {
      resolved.end();
    }
  }

  /** Open calls with which the agent asks its user, and which are not mocked. */
  private asksOf(reply: NormalReply): readonly ToolCall[] {
    return reply.toolCalls.filter(
      (call) =>
        isOpen(call) && !this.mocks.has(call.name) && asksTheUser(call, this.settings.detection),
    );
  }

  private finish(reply: NormalReply): Exchange {
    const open = reply.toolCalls.filter(isOpen);
    const asks = this.asksOf(reply);
    this.open = {
      pending: reply.pending,
      asks,
      calls: open.filter((call) => !asks.includes(call)),
      results: [],
    };
    return { reply, pending: [...reply.pending, ...asks.map(pendingOfAsk)] };
  }

  private sayResults(results: readonly ToolResult[]): void {
    for (const result of results) this.say(toolMessage(result));
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

  private request(
    { turn, number, deadline }: SentTurn,
    { opening }: Round,
    resolveTool: AgentRequest["resolveTool"],
  ): AgentRequest {
    const options =
      Object.keys(turn.options).length === 0
        ? { metadata: {} }
        : { metadata: {}, ...structuredClone(turn.options) };
    return {
      sessionId: this.settings.sessionId,
      testId: this.settings.testId,
      turn: number,
      // Another list each time: agents like to push onto it.
      messages: this.given.slice(),
      ...toSend(opening),
      attachments: [...(opening.media ?? [])],
      options: options as AgentRequest["options"],
      referer: "agent-test",
      // Made when somebody looks at it.
      get signal() {
        return deadline.signal;
      },
      resolveTool,
    };
  }
}

/** The error of a turn: an agent that fails or waits over a mock has not failed by itself. */
function blameless(error: unknown, resolved: ResolvedCalls, deadline: Deadline): unknown {
  const { interruption } = deadline;
  if (interruption === undefined) return resolved.refusal ?? error;
  const tool = resolved.unfinished;
  return interruption.kind === "timeout" && tool !== undefined
    ? new MockError(tool, `was still at work: ${interruption.message}`)
    : error;
}

/** What goes to the agent, in objects of its own. */
function toSend({ input, answer, toolResults }: Opening): Opening {
  return {
    ...(input === undefined ? {} : { input }),
    ...(answer === undefined ? {} : { answer: structuredClone(answer) }),
    ...(toolResults === undefined ? {} : { toolResults: structuredClone(toolResults) }),
  };
}

/** Objects of the agent's own. Most inputs are text, and most cases have no options. */
function copyOf<T>(value: T): T {
  return typeof value === "string" ? value : structuredClone(value);
}

function partsOf(input: UserInput | undefined): readonly ContentPart[] {
  if (input === undefined) return [];
  return typeof input === "string" ? [{ type: "text", text: input }] : input;
}
