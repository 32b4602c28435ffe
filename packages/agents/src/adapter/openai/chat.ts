import type { AgentReply, AgentRequest, Message, ToolCall } from "@turnwise/core";
import { InfrastructureError, isObject } from "@turnwise/core";
import type OpenAI from "openai";
import { fromWire } from "../../wire/from-wire.js";
import { described } from "../../wire/described.js";
import { CutReplyError } from "./cut-reply-error.js";
import { addFunctionDelta } from "../../wire/function-delta.js";
import { chatPart } from "./media.js";
import type { OpenAiOptions } from "./options.js";

/** The body of a request to Chat Completions. */
export function chatBody(
  { messages }: AgentRequest,
  options: OpenAiOptions,
  model: string,
): Record<string, unknown> {
  const { parameters, response_format: format, stream, system, tools } = options;
  return {
    model,
    ...parameters,
    messages: [
      ...(system === undefined ? [] : [{ role: "system", content: system }]),
      ...messages.flatMap(chatMessages),
    ],
    ...(tools === undefined || tools.length === 0
      ? {}
      : { tools: tools.map((tool) => ({ type: "function", function: tool })) }),
    ...(format === undefined ? {} : { response_format: format }),
    ...(stream === true ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
}

function chatMessages(message: Message): Record<string, unknown>[] {
  switch (message.role) {
    case "system":
      return [{ role: "system", content: message.content }];
    case "user": {
      const { content } = message;
      return [
        { role: "user", content: typeof content === "string" ? content : content.map(chatPart) },
      ];
    }
    case "tool":
      return [{ role: "tool", tool_call_id: message.toolCallId, content: message.content }];
    case "assistant": {
      const { content, toolCalls = [] } = message;
      if (toolCalls.length === 0) return [{ role: "assistant", content }];
      const calls = toolCalls.map((call) => ({
        id: call.id,
        type: "function",
        function: { name: call.name, arguments: argumentsText(call) },
      }));
      return [
        { role: "assistant", content: content === "" ? null : content, tool_calls: calls },
        // Calls of a history may have their results in them.
        ...toolCalls.flatMap((call) => {
          const result = resultText(call);
          return result === undefined
            ? []
            : [{ role: "tool", tool_call_id: call.id, content: result }];
        }),
      ];
    }
  }
}

/** Arguments as the model wrote them. */
export function argumentsText({ arguments: args, argumentsInvalid }: ToolCall): string {
  return argumentsInvalid === true && typeof args === "string" ? args : JSON.stringify(args);
}

/** The result that stands in a call itself, as text. */
export function resultText({ result, error }: ToolCall): string | undefined {
  if (error !== undefined) return JSON.stringify({ error });
  if (result === undefined) return undefined;
  return typeof result === "string" ? result : JSON.stringify(result);
}

/**
 * Sends a request to Chat Completions and reads the reply.
 * @throws InfrastructureError if what comes is no chat completion, or only part of one; what the SDK throws.
 */
export async function askChat(
  client: OpenAI,
  body: Record<string, unknown>,
  signal: AbortSignal,
): Promise<AgentReply> {
  const answer: unknown = await client.chat.completions.create(
    body as unknown as OpenAI.ChatCompletionCreateParams,
    { signal },
  );
  if (body["stream"] === true) return readChunks(answer as AsyncIterable<unknown>);
  const choices = isObject(answer) ? answer["choices"] : undefined;
  if (!Array.isArray(choices) || !isObject(choices[0]) || !isObject(choices[0]["message"]))
    throw new InfrastructureError(`expected a chat completion, got ${described(answer)}`);
  return fromWire(answer).reply as AgentReply;
}

async function readChunks(chunks: AsyncIterable<unknown>): Promise<AgentReply> {
  let content = "";
  let finish: string | undefined;
  let usage: unknown;
  let pieces = 0;
  const functions: Parameters<typeof addFunctionDelta>[0] = [];
  for await (const chunk of chunks) {
    if (!isObject(chunk)) continue;
    usage = chunk["usage"] ?? usage;
    const choice: unknown = Array.isArray(chunk["choices"]) ? chunk["choices"][0] : undefined;
    if (!isObject(choice)) continue;
    pieces++;
    if (typeof choice["finish_reason"] === "string") finish = choice["finish_reason"];
    const delta = isObject(choice["delta"]) ? choice["delta"] : {};
    const piece = delta["content"] ?? delta["refusal"];
    if (typeof piece === "string") content += piece;
    if (Array.isArray(delta["tool_calls"]))
      for (const call of delta["tool_calls"]) addFunctionDelta(functions, call);
  }
  if (pieces === 0)
    throw new InfrastructureError("expected a stream of pieces of a chat completion, got none");
  if (finish === undefined)
    throw new CutReplyError("the stream ended in the middle of a reply: no finish_reason came");
  return {
    content,
    finishReason: finish,
    // A call whose index was left out leaves a hole.
    ...(functions.length === 0
      ? {}
      : { toolCalls: functions.filter((call) => call !== undefined) }),
    ...(isObject(usage) ? { usage } : {}),
  };
}
