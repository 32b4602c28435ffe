import type { AgentReply, AgentRequest, Message, ToolCall } from "@turnwise/core";
import { InfrastructureError, isObject, notExecutedError } from "@turnwise/core";
import type OpenAI from "openai";
import { CompletionPieces } from "../../wire/completion-pieces.js";
import { fromWire } from "../../wire/from-wire.js";
import { described } from "../../wire/described.js";
import { CutReplyError } from "./cut-reply-error.js";
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
      ...closedHistory(messages).flatMap(chatMessages),
    ],
    ...(tools === undefined || tools.length === 0
      ? {}
      : { tools: tools.map((tool) => ({ type: "function", function: tool })) }),
    ...(format === undefined ? {} : { response_format: format }),
    ...(stream === true ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
}

/** The history with an answer to every call: a model refuses one without. */
export function closedHistory(messages: readonly Message[]): readonly Message[] {
  const answered = new Set(
    messages.flatMap((message) => (message.role === "tool" ? [message.toolCallId] : [])),
  );
  return messages.map((message): Message => {
    if (message.role !== "assistant" || message.toolCalls === undefined) return message;
    const toolCalls = message.toolCalls.map((call) =>
      answered.has(call.id) || resultText(call) !== undefined
        ? call
        : { ...call, error: notExecutedError },
    );
    return { ...message, toolCalls };
  });
}

/** The error for an answer of another kind, with what the server says about it. */
export function notThat(what: string, answer: unknown): InfrastructureError {
  const error = isObject(answer) ? answer["error"] : undefined;
  const said = isObject(error) ? error["message"] : error;
  return new InfrastructureError(
    `expected ${what}, got ${typeof said === "string" ? `the error: ${said}` : described(answer)}`,
  );
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
export function resultText({
  result,
  error,
}: Pick<ToolCall, "result" | "error">): string | undefined {
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
    throw notThat("a chat completion", answer);
  return fromWire(answer).reply as AgentReply;
}

async function readChunks(chunks: AsyncIterable<unknown>): Promise<AgentReply> {
  const pieces = new CompletionPieces();
  for await (const chunk of chunks) pieces.add(chunk);
  if (pieces.count === 0)
    throw new InfrastructureError("expected a stream of pieces of a chat completion, got none");
  if (!pieces.finished)
    throw new CutReplyError("the stream ended in the middle of a reply: no finish_reason came");
  return pieces.reply();
}
