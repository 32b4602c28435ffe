import type {
  AgentRequest,
  Answer,
  ContentPart,
  PendingRequest,
  ToolCall,
  ToolResult,
  UserInput,
} from "../contract/agent.js";
import type { JsonValue } from "../json.js";
import { inputText } from "./input-text.js";
import { choicesOf, questionOf } from "../awaiting/tool-calls.js";
import { AuthorError } from "../errors.js";
import { nearest } from "../suggest.js";

/** What the last reply left open, until the next input. */
export interface OpenRequests {
  /** Requests that the agent declared, the oldest first. */
  readonly pending: readonly PendingRequest[];
  /** Open calls of tools that ask the user. */
  readonly asks: readonly ToolCall[];
  /** Other open calls, which nobody will run any more. */
  readonly calls: readonly ToolCall[];
  /** Results of the same round, which wait for the answer of the user: a model wants them together. */
  readonly results: readonly ToolResult[];
}

/** Nothing is open. */
export const nothingOpen: OpenRequests = { pending: [], asks: [], calls: [], results: [] };

/** What a turn says to the agent, in the form in which it arrives there. */
export type Opening = Pick<AgentRequest, "input" | "answer" | "toolResults"> & {
  /** Images and files that come along. */
  readonly media?: readonly ContentPart[];
};

/** A call of a tool that asks the user, as a request that can be answered. */
export function pendingOfAsk(call: ToolCall): PendingRequest {
  const options = choicesOf(call.arguments);
  return {
    id: call.id,
    kind: "tool",
    prompt: questionOf(call.arguments) ?? call.name,
    ...(options === undefined ? {} : { options }),
    toolName: call.name,
  };
}

/** What a plain message says: it is the answer of an open ask tool, or a message, with the open calls closed. */
export function openWithInput(input: UserInput, open: OpenRequests): Opening {
  const [ask, ...moreAsks] = open.asks;
  if (ask === undefined) {
    const toolResults = [...open.results, ...notExecuted(open.calls)];
    return { input, ...(toolResults.length === 0 ? {} : { toolResults }) };
  }
  return {
    toolResults: closed(open, ask, inputText(input), moreAsks),
    media: typeof input === "string" ? [] : input.filter((part) => part.type !== "text"),
  };
}

/**
 * What an answer says to the request that it is for.
 * @throws AuthorError if there is no such request, or it takes no such answer.
 */
export function openWithAnswer(answer: Answer, open: OpenRequests): Opening {
  const asks = open.asks.map(pendingOfAsk);
  const request = requestFor(answer, [...open.pending, ...asks]);
  if ("choice" in answer && request.options !== undefined && request.options.length > 0)
    if (!request.options.includes(answer.choice))
      throw new AuthorError(
        `the choice ${JSON.stringify(answer.choice)} is none of those on offer: ${request.options.map((option) => JSON.stringify(option)).join(", ")}`,
      );
  if ("choice" in answer && request.kind === "approval" && request.options === undefined)
    throw new AuthorError(
      `the request ${JSON.stringify(request.prompt)} offers no choice; answer it with "approve"`,
    );
  if ("approve" in answer && answer.approve && request.kind === "choice")
    throw new AuthorError(
      `the request ${JSON.stringify(request.prompt)} wants a choice; answer it with "choice"`,
    );
  const { to: _, ...given } = answer;
  const sent = { ...given, requestId: request.id } as NonNullable<AgentRequest["answer"]>;
  const ask = open.asks.find(({ id }) => id === request.id);
  const toolResults =
    ask === undefined
      ? [...open.results, ...notExecuted([...open.asks, ...open.calls])]
      : closed(
          open,
          ask,
          resultOf(answer),
          open.asks.filter((other) => other !== ask),
        );
  return { answer: sent, ...(toolResults.length === 0 ? {} : { toolResults }) };
}

function requestFor(answer: Answer, open: readonly PendingRequest[]): PendingRequest {
  const list = open
    .map(
      ({ id, toolName, kind }) => `${id}${toolName === undefined ? "" : ` (${toolName})`}, ${kind}`,
    )
    .join("; ");
  const [oldest] = open;
  if (oldest === undefined)
    throw new AuthorError(
      'the turn answers a request, and the agent has none open; say something with "input" instead, or check the turn before',
    );
  const { to } = answer;
  if (to === undefined) return oldest;
  const named = open.find(({ id }) => id === to) ?? open.find(({ toolName }) => toolName === to);
  if (named !== undefined) return named;
  const names = open.flatMap(({ id, toolName }) => [
    id,
    ...(toolName === undefined ? [] : [toolName]),
  ]);
  const near = nearest(to, names);
  throw new AuthorError(
    `the agent has no request ${JSON.stringify(to)} open${near === undefined ? "" : `; did you mean ${JSON.stringify(near)}?`} (open: ${list})`,
  );
}

/** Every call of the round has to be answered: with its result, with what the user said, or as one that nobody ran. */
function closed(
  open: OpenRequests,
  ask: ToolCall,
  result: JsonValue,
  moreAsks: readonly ToolCall[],
): readonly ToolResult[] {
  return [
    ...open.results,
    { id: ask.id, name: ask.name, result },
    ...notExecuted([...moreAsks, ...open.calls]),
  ];
}

function resultOf(answer: Answer): JsonValue {
  if ("choice" in answer) return answer.choice;
  if ("payload" in answer) return answer.payload;
  const { approve, reason } = answer;
  return { approved: approve, ...(reason === undefined ? {} : { reason }) };
}

/** The error of a tool call that nobody has run. */
export const notExecutedError = "not executed";

function notExecuted(calls: readonly ToolCall[]): ToolResult[] {
  return calls.map(({ id, name }) => ({ id, name, error: notExecutedError }));
}
