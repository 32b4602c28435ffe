import type { AgentReply, AwaitingKind, NormalReply, ToolCall } from "../contract/agent.js";
import type { Pattern } from "../pattern.js";
import type { AwaitingReason, Detection } from "./detection.js";
import { isNormalReply, normaliseReply } from "../conversation/normalise-reply.js";
import { isObject } from "../json.js";
import { ambiguousAskTools, askTools, toolKey } from "./ask-tools.js";
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

function openCalls(reply: NormalReply): readonly ToolCall[] {
  return reply.toolCalls.filter((call) => call.result === undefined && call.error === undefined);
}

function finishOf(reply: NormalReply): string | undefined {
  return reply.finishReason?.toLowerCase().replaceAll("-", "_");
}

function fromAskTool(reply: NormalReply, options: DetectionOptions): Detection | undefined {
  const asking = openCalls(reply).find((call) => asksTheUser(call, options));
  if (asking === undefined) return undefined;
  const hint = questionOf(asking.arguments) ?? questionIn(reply);
  return {
    awaiting: true,
    reason: "tool_requires_confirmation",
    kind: kindOfTool(asking),
    evidence: asking.name,
    ...(hint === undefined ? {} : { hint }),
    confidence: 1,
  };
}

function fromOpenCalls(reply: NormalReply): Detection | undefined {
  const open = openCalls(reply);
  const finish = finishOf(reply);
  const stoppedForTools = finish === "tool_calls" || finish === "tool_use";
  const pending =
    (stoppedForTools && (open.length > 0 || reply.toolCalls.length === 0)) ||
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

function asksTheUser(call: ToolCall, options: DetectionOptions): boolean {
  const key = toolKey(call.name);
  if (askTools.has(key)) return true;
  if (ambiguousAskTools.has(key) && questionOf(call.arguments) !== undefined) return true;
  return options.askTools?.some((name) => toolKey(name) === key) ?? false;
}

function kindOfTool(call: ToolCall): AwaitingKind {
  const key = toolKey(call.name);
  if (key.includes("confirm")) return "confirmation";
  if (key.includes("permission") || key === "exitplanmode") return "approval";
  if (key.includes("credential")) return "auth";
  if (isObject(call.arguments) && Array.isArray(call.arguments["options"])) return "choice";
  return "question";
}

const questionFields = ["question", "message", "prompt", "inquire", "query", "reason"];

/** The question in the arguments of an ask tool, under the names that such tools use. */
function questionOf(args: unknown): string | undefined {
  if (!isObject(args)) return undefined;
  const first: unknown = Array.isArray(args["questions"]) ? args["questions"][0] : undefined;
  if (typeof first === "string") return first;
  if (isObject(first)) return questionOf(first);
  for (const field of questionFields) {
    const value = args[field];
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

function questionIn(reply: NormalReply): string | undefined {
  const text = reply.content.trim();
  return findQuestion(text)?.hint ?? (text === "" ? undefined : text);
}
