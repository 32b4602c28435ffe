import { randomUUID } from "node:crypto";
import type {
  Agent,
  AgentObject,
  AgentReply,
  AgentRequest,
  Answer,
  CaseResult,
} from "@turnwise/core";
import { errorMessage, parseDuration, runCase } from "@turnwise/core";
import type { AdapterContractOptions } from "./options.js";

/** What the agent was asked once, and how that went. */
export interface Exchange {
  readonly request: AgentRequest;
  /** What it was asked, copied before it could touch it. */
  readonly before: Asked;
  /** Resolved when the agent has replied or thrown. */
  readonly over: Promise<void>;
  /** As the agent gave it. */
  reply?: string | AgentReply;
  outcome: "none" | "replied" | "threw";
}

/** The data of a request. */
type Asked = ReturnType<typeof askedOf>;

/** A turn: what the user says, or the answer to a request. */
type Said = string | { readonly answer: Answer };

/** How a conversation is had, beside what is said in it. */
interface Manner {
  readonly sessionId?: string;
  readonly signal?: AbortSignal;
  /** More fields of the test case. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Called before the agent is asked, which waits for it. */
  readonly before?: (request: AgentRequest) => Promise<void>;
  /** Called in the same tick, after the agent has been asked. */
  readonly asked?: (exchange: Exchange) => void;
}

/** Where an agent is checked: has conversations with it as core has them, and keeps what went to and fro. */
export class Bench {
  readonly exchanges: Exchange[] = [];
  /** Milliseconds. */
  readonly patience: number;

  constructor(
    readonly agent: Agent,
    readonly options: AdapterContractOptions,
  ) {
    this.patience = parseDuration(options.patience ?? 2_000);
  }

  /** What the agent has to have an answer to. */
  get says(): NonNullable<AdapterContractOptions["says"]> {
    return this.options.says ?? { input: "hello" };
  }

  /** A session id that was never used: other checks may be under way, and the service may remember earlier ones. */
  newSession(): string {
    return `session-${randomUUID()}`;
  }

  /** Has a conversation and closes it. The agent is not released after it: others may be under way. */
  talk(
    turns: readonly Said[],
    { sessionId = this.newSession(), signal, fields = {}, ...hooks }: Manner = {},
  ): Promise<CaseResult> {
    const { turnTimeout } = this.options;
    return runCase(
      {
        id: "contract",
        ...fields,
        turns: turns.map((turn) => (typeof turn === "string" ? { input: turn } : turn)),
      },
      {
        agent: this.observed(hooks),
        newSessionId: () => sessionId,
        limits: { onMissingInput: "end", ...(turnTimeout === undefined ? {} : { turnTimeout }) },
        ...(signal === undefined ? {} : { signal }),
      },
    );
  }

  /** What the agent was asked in a session, in order. */
  of(sessionId: string): Exchange[] {
    return this.exchanges.filter(({ request }) => request.sessionId === sessionId);
  }

  private observed({ before, asked }: Pick<Manner, "before" | "asked">): AgentObject {
    const { agent, exchanges } = this;
    return {
      async respond(request) {
        await before?.(request);
        let answer: ReturnType<Agent["respond"]> | undefined;
        let end = (): void => undefined;
        const exchange: Exchange = {
          request,
          before: structuredClone(askedOf(request)),
          outcome: "none",
          over: new Promise((resolve) => {
            end = resolve;
          }),
        };
        exchanges.push(exchange);
        try {
          answer = agent.respond(request);
          asked?.(exchange);
          const reply = await answer;
          exchange.reply = reply;
          exchange.outcome = "replied";
          return reply;
        } catch (error) {
          exchange.outcome = "threw";
          throw error;
        } finally {
          end();
        }
      },
      ...(agent.close === undefined
        ? {}
        : { close: (sessionId: string) => agent.close!(sessionId) }),
    };
  }
}

/** What an agent could change of what it is asked. */
export function askedOf(
  request: AgentRequest,
): Pick<AgentRequest, "messages" | "options" | "attachments" | "input" | "answer" | "toolResults"> {
  const { messages, options, attachments, input, answer, toolResults } = request;
  return {
    messages,
    options,
    attachments,
    ...(input === undefined ? {} : { input }),
    ...(answer === undefined ? {} : { answer }),
    ...(toolResults === undefined ? {} : { toolResults }),
  };
}

/** @throws Error if a conversation was not had to its end, saying in which turn it broke and why. */
export function expectAnswered(result: CaseResult, what: string): void {
  if (result.status === "passed") return;
  const broken = result.turns.find(({ status }) => status !== "passed");
  const where = broken === undefined ? "" : ` turn ${broken.turn}`;
  const why = result.error ?? result.skip_reason ?? "no reason was given";
  throw new Error(`${what} was not answered:${where} ended as ${result.status}: ${why}`);
}

/** A reply and what it must hold. */
interface Wanted {
  /** 1-based. */
  readonly turn: number;
  readonly reply: string | RegExp | undefined;
}

/** True if the reply of a turn holds what it must. */
export function holds(result: CaseResult, { turn, reply }: Wanted): boolean {
  if (reply === undefined) return true;
  const text = outputText(result, turn);
  return typeof reply === "string" ? text.includes(reply) : text.search(reply) !== -1;
}

/** @throws Error if the reply of a turn does not hold what it must. */
export function expectReply(
  result: CaseResult,
  { after, ...wanted }: Wanted & { readonly after: string },
): void {
  if (holds(result, wanted)) return;
  const { reply, turn } = wanted;
  const shown = typeof reply === "string" ? JSON.stringify(reply) : String(reply);
  throw new Error(
    `expected the reply to ${after} to hold ${shown}, got: ${outputText(result, turn)}`,
  );
}

/** The text or data of a reply. `turn` is 1-based. */
export function outputText(result: CaseResult, turn: number): string {
  const output = result.turns[turn - 1]?.output;
  return typeof output === "string" ? output : (JSON.stringify(output) ?? "");
}

/** Calls what may fail, with a message that says what it was. */
export async function expectFine(what: string, work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw new Error(`${what} failed: ${errorMessage(error)}`, { cause: error });
  }
}
