import type { AgentReply, NormalReply } from "../contract/agent.js";
import type { Pattern } from "../pattern.js";
import type { AwaitingReason, Detection } from "./detection.js";
import { isNormalReply, normaliseReply } from "../conversation/normalise-reply.js";
import {
  asksTheUser,
  finishOf,
  isOpen,
  kindOfAsk,
  questionOf,
  stoppedForTools,
} from "./tool-calls.js";
import { findQuestion } from "./question.js";

/** Settings of the detection. */
export interface DetectionOptions {
  /** More names of tools that ask the user. */
  readonly askTools?: readonly string[];
  /** They win over the built-in rules for texts; `awaiting` is asked first. */
  readonly patterns?: {
    readonly awaiting?: readonly Pattern[];
    readonly completed?: readonly Pattern[];
  };
  /** Signals that are not looked at, by the reasons they give. */
  readonly off?: readonly AwaitingReason[];
}

/**
 * Decides whether an agent waits for its user after this reply, or is done. Synchronous and deterministic. The first
 * signal that speaks wins: the agent's own declaration or a pending request, an open call of a tool that asks the
 * user, other open tool calls, a reply cut off, a question in the text. Takes a reply or its bare text.
 * @throws AgentError if the reply is neither.
 */
export function detectAwaitingInput(
  reply: string | AgentReply | NormalReply,
  options: DetectionOptions = {},
): Detection {
  return detect(isNormalReply(reply) ? reply : normaliseReply(reply), options);
}

type Signal = (reply: NormalReply, options: DetectionOptions) => Detection | undefined;

/** What needs no reading: declarations, calls, how the reply ended, and patterns of the user's own. */
const structural: readonly Signal[] = [
  fromDeclaration,
  fromAskTool,
  fromOpenCalls,
  fromTruncation,
  fromPatterns,
];
const everySignal: readonly Signal[] = [...structural, fromText];

/** The verdict of the signals that need no reading, if one of them speaks. */
export function detectWithoutReading(
  reply: NormalReply,
  options: DetectionOptions,
): Detection | undefined {
  return firstOf(structural, reply, options);
}

function detect(reply: NormalReply, options: DetectionOptions): Detection {
  return (
    firstOf(everySignal, reply, options) ?? {
      awaiting: false,
      reason: "completed",
      confidence: 0.8,
    }
  );
}

function firstOf(
  signals: readonly Signal[],
  reply: NormalReply,
  options: DetectionOptions,
): Detection | undefined {
  for (const signal of signals) {
    const detection = signal(reply, options);
    if (detection !== undefined && options.off?.includes(detection.reason) !== true)
      return detection;
  }
  return undefined;
}

function fromAskTool(reply: NormalReply, options: DetectionOptions): Detection | undefined {
  const asking = reply.toolCalls.find((call) => isOpen(call) && asksTheUser(call, options));
  if (asking === undefined) return undefined;
  const hint = questionOf(asking.arguments) ?? questionIn(reply);
  return {
    awaiting: true,
    reason: "tool_requires_confirmation",
    kind: kindOfAsk(asking),
    evidence: asking.name,
    ...(hint === undefined ? {} : { hint }),
    confidence: 1,
  };
}

function fromOpenCalls(reply: NormalReply): Detection | undefined {
  const open = reply.toolCalls.filter(isOpen);
  const pending =
    (stoppedForTools(reply) && (open.length > 0 || reply.toolCalls.length === 0)) ||
    (open.length > 0 && reply.content.trim() === "");
  if (!pending) return undefined;
  return {
    awaiting: false,
    reason: "tool_pending",
    ...(open[0] === undefined ? {} : { evidence: open[0].name }),
    confidence: 1,
  };
}

function fromTruncation(reply: NormalReply): Detection | undefined {
  const finish = finishOf(reply);
  if (finish !== "length" && finish !== "max_tokens" && finish !== "content_filter")
    return undefined;
  return { awaiting: false, reason: "truncated", evidence: reply.finishReason!, confidence: 1 };
}

function fromPatterns(
  { content }: NormalReply,
  { patterns }: DetectionOptions,
): Detection | undefined {
  const found = (list: readonly Pattern[] | undefined): string | undefined => {
    for (const pattern of list ?? []) {
      const match = pattern.find(content);
      if (match !== undefined) return content.slice(match.start, match.end);
    }
    return undefined;
  };
  const waits = found(patterns?.awaiting);
  if (waits !== undefined) {
    const question = findQuestion(content);
    return {
      awaiting: true,
      reason: "content_is_question",
      kind: question?.kind ?? "question",
      evidence: waits,
      hint: question?.hint ?? waits,
      confidence: 1,
    };
  }
  const completes = found(patterns?.completed);
  if (completes === undefined) return undefined;
  return { awaiting: false, reason: "completed", evidence: completes, confidence: 1 };
}

function fromText({ content }: NormalReply): Detection | undefined {
  const question = findQuestion(content);
  return question && { awaiting: true, reason: "content_is_question", ...question };
}

function fromDeclaration(reply: NormalReply): Detection | undefined {
  const request = reply.pending[0];
  if (request !== undefined)
    return {
      awaiting: true,
      reason: "agent_declared",
      kind: request.kind,
      evidence: request.toolName ?? request.id,
      hint: reply.inputHint ?? request.prompt,
      confidence: 1,
    };
  if (reply.awaitingInput === undefined) return undefined;
  if (!reply.awaitingInput) return { awaiting: false, reason: "agent_declared", confidence: 1 };
  const question = findQuestion(reply.content);
  const hint = reply.inputHint ?? question?.hint;
  return {
    awaiting: true,
    reason: "agent_declared",
    kind: question?.kind ?? "question",
    ...(hint === undefined ? {} : { hint }),
    confidence: 1,
  };
}

function questionIn(reply: NormalReply): string | undefined {
  const text = reply.content.trim();
  return findQuestion(text)?.hint ?? (text === "" ? undefined : text);
}
