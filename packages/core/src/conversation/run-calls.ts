import type { NormalReply, ToolCall, ToolResult } from "../contract/agent.js";
import type { Deadline } from "./deadline.js";
import type { TurnObserver } from "./target.js";
import type { ToolMocks } from "./tool-mocks.js";
import { isOpen, stoppedForTools } from "../awaiting/tool-calls.js";
import { ToolNotMockedError } from "../errors.js";
import { withToolCalls } from "./normalise-reply.js";
import { notExecutedError } from "./open-requests.js";

/** What the calls of a reply are run with. */
export interface Running {
  /** 1-based number of the turn. */
  readonly number: number;
  readonly deadline: Deadline;
  readonly observer: TurnObserver;
  readonly mocks: ToolMocks;
  /** Calls that are for the user to answer. */
  readonly asks: readonly ToolCall[];
}

/** What came of the calls of a reply. */
export interface RunCalls {
  readonly answered: readonly ToolResult[];
  /** Calls that are for the user to answer. */
  readonly asks: readonly ToolCall[];
}

/**
 * Answers the calls of a reply by mocks, all at once, if they are ours to answer. Undefined if the turn ends with this
 * reply.
 * @throws ToolNotMockedError for a call that needs a mock and has none; what the first mock that broke throws.
 */
export async function runCalls(
  reply: NormalReply,
  { number, deadline, observer, mocks, asks }: Running,
): Promise<RunCalls | undefined> {
  const open = reply.toolCalls.filter((call) => isOpen(call) && !asks.includes(call));
  const wantsResults = mocks.present && stoppedForTools(reply);
  const ours = open.filter(({ name }) => wantsResults || mocks.has(name));
  if (ours.length === 0) {
    observer.called(reply.toolCalls);
    return undefined;
  }
  const unmocked = ours.find(({ name }) => !mocks.has(name));
  if (unmocked !== undefined && !mocks.passthrough) {
    observer.called(reply.toolCalls);
    throw new ToolNotMockedError(unmocked.name, unmocked.arguments);
  }
  const answers = await Promise.allSettled(
    open.map(async (call): Promise<ToolResult> => {
      const { id, name } = call;
      if (!mocks.has(name)) return { id, name, error: notExecutedError };
      return { id, name, ...(await mocks.answer(call, number, deadline)) };
    }),
  );
  const answered = answers.flatMap((answer) =>
    answer.status === "fulfilled" ? [answer.value] : [],
  );
  observer.called(settle(reply, answered).toolCalls);
  for (const answer of answers) if (answer.status === "rejected") throw answer.reason;
  return { answered, asks };
}

/** The reply with results written into its calls. */
export function settle(reply: NormalReply, results: readonly ToolResult[]): NormalReply {
  return withToolCalls(
    reply,
    reply.toolCalls.map((call) => {
      const answer = results.find(({ id }) => id === call.id);
      if (answer === undefined || !isOpen(call)) return call;
      const { id: _id, name: _name, ...outcome } = answer;
      return { ...call, ...outcome };
    }),
  );
}
