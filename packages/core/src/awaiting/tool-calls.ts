import type { AwaitingKind, NormalReply, ToolCall } from "../contract/agent.js";
import type { DetectionOptions } from "./detect.js";
import { isObject } from "../json.js";
import { ambiguousAskTools, askTools, toolKey } from "./ask-tools.js";

/** True for a call that nobody has answered. */
export function isOpen(call: ToolCall): boolean {
  return call.result === undefined && call.error === undefined;
}

/** The finish reason in one spelling. */
export function finishOf(reply: NormalReply): string | undefined {
  return reply.finishReason?.toLowerCase().replaceAll("-", "_");
}

/** True if the model stopped because it wants results of its tools. */
export function stoppedForTools(reply: NormalReply): boolean {
  const finish = finishOf(reply);
  return finish === "tool_calls" || finish === "tool_use";
}

/** True for a call of a tool with which agents ask their user. */
export function asksTheUser(
  call: Pick<ToolCall, "name" | "arguments">,
  options: Pick<DetectionOptions, "askTools">,
): boolean {
  const key = toolKey(call.name);
  if (askTools.has(key)) return true;
  if (ambiguousAskTools.has(key) && questionOf(call.arguments) !== undefined) return true;
  return options.askTools?.some((name) => toolKey(name) === key) ?? false;
}

/** What such a call wants from the user. */
export function kindOfAsk(call: ToolCall): AwaitingKind {
  const key = toolKey(call.name);
  if (key.includes("confirm")) return "confirmation";
  if (key.includes("permission") || key === "exitplanmode") return "approval";
  if (key.includes("credential")) return "auth";
  if (isObject(call.arguments) && Array.isArray(call.arguments["options"])) return "choice";
  return "question";
}

const questionFields = ["question", "message", "prompt", "inquire", "query", "reason"];

/** The question in the arguments of an ask tool, under the names that such tools use. */
export function questionOf(args: unknown): string | undefined {
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

/** The choices in the arguments of an ask tool: texts, or objects with a label. */
export function choicesOf(args: unknown): readonly string[] | undefined {
  if (!isObject(args)) return undefined;
  const questions = args["questions"];
  const source: unknown = Array.isArray(questions) ? questions[0] : args;
  const options = isObject(source) ? source["options"] : undefined;
  if (!Array.isArray(options)) return undefined;
  const labels = options.flatMap((option: unknown) => {
    const label = isObject(option) ? (option["label"] ?? option["name"]) : option;
    return typeof label === "string" ? [label] : [];
  });
  return labels.length === 0 ? undefined : labels;
}
