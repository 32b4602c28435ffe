import type { RenderOptions, RenderedReply } from "../api/api.js";
import type { FakeMessage } from "../api/message.js";
import { ApiError } from "../api/api-error.js";
import { created } from "../api/api.js";
import { fingerprint } from "../api/fingerprint.js";
import { pieces } from "../api/pieces.js";
import { tokensOf } from "../api/tokens.js";

interface ChatOptions extends RenderOptions {
  readonly model: string;
  readonly messages: readonly FakeMessage[];
  readonly includeUsage: boolean;
}

/** Writes a reply as a chat completion. */
export function renderChat(options: ChatOptions): RenderedReply {
  const { reply, seed, model, messages } = options;
  if (reply.approval !== undefined)
    throw new ApiError("the script replies with an approval, which only /v1/responses can carry", {
      status: 400,
      code: "approval_not_supported",
    });
  const calls = reply.toolCalls.map((call, index) => ({
    id: `call_${fingerprint(seed, "call", index)}`,
    type: "function",
    function: { name: call.name, arguments: call.arguments },
  }));
  const facts = { id: `chatcmpl-${fingerprint(seed, "chat")}`, created, model };
  const tokens = tokensOf(messages, reply);
  const usage = {
    prompt_tokens: tokens.input,
    completion_tokens: tokens.output,
    total_tokens: tokens.input + tokens.output,
  };
  const finishReason = reply.finishReason ?? (calls.length > 0 ? "tool_calls" : "stop");
  const message = {
    role: "assistant",
    content: reply.content ?? null,
    refusal: reply.refusal ?? null,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  return {
    body: {
      ...facts,
      object: "chat.completion",
      choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason }],
      usage,
    },
    *events() {
      for (const chunk of chunks()) yield `data: ${JSON.stringify(chunk)}\n\n`;
      yield "data: [DONE]\n\n";
    },
  };

  function* chunks(): Generator<object> {
    const chunk = (delta: object, finish: string | null = null): object => ({
      ...facts,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...(options.includeUsage ? { usage: null } : {}),
    });
    const { chunkSize } = options;
    const { content, refusal } = message;
    yield chunk({ role: "assistant", content: content === null ? null : "", refusal: null });
    for (const piece of pieces(content ?? "", chunkSize)) yield chunk({ content: piece });
    for (const piece of pieces(refusal ?? "", chunkSize)) yield chunk({ refusal: piece });
    for (const [index, call] of calls.entries()) {
      const { name, arguments: text } = call.function;
      yield chunk({ tool_calls: [{ index, ...call, function: { name, arguments: "" } }] });
      for (const piece of pieces(text, chunkSize))
        yield chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
    yield chunk({}, finishReason);
    if (options.includeUsage)
      yield { ...facts, object: "chat.completion.chunk", choices: [], usage };
  }
}
