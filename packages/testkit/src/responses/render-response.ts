import type { JsonValue } from "@turnwise/core";
import type { RenderOptions, RenderedReply } from "../api/api.js";
import type { FakeMessage } from "../api/message.js";
import type { JsonObject } from "../api/read-field.js";
import type { ResponseEvent } from "./response-events.js";
import { created } from "../api/api.js";
import { fingerprint } from "../api/fingerprint.js";
import { tokensOf } from "../api/tokens.js";
import { outputItems } from "./output-items.js";
import { itemEvents } from "./response-events.js";

interface ResponseOptions extends RenderOptions {
  readonly model: string;
  readonly messages: readonly FakeMessage[];
  readonly body: JsonObject;
  readonly remember: (id: string, output: readonly JsonObject[]) => void;
}

/** Why a response is incomplete, by the finish reason that chat has for it. */
const incompleteReasons: Readonly<Record<string, string>> = {
  length: "max_output_tokens",
  content_filter: "content_filter",
};

/** Writes a reply as a response. */
export function renderResponse(options: ResponseOptions): RenderedReply {
  const { reply, seed, body, messages } = options;
  const id = `resp_${fingerprint(seed, "response")}`;
  const cutOff = reply.finishReason ?? "";
  const reason = Object.hasOwn(incompleteReasons, cutOff) ? incompleteReasons[cutOff] : undefined;
  const status = reason === undefined ? "completed" : "incomplete";
  const output = outputItems({ reply, seed, status });
  const { input, output: written } = tokensOf(messages, reply);
  const facts = echoed({ ...options, id });
  const response = {
    ...facts,
    status,
    incomplete_details: reason === undefined ? null : { reason },
    output,
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: written,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + written,
    },
  };
  return {
    body: response,
    *events() {
      let number = 0;
      for (const { type, ...event } of events()) {
        const data = JSON.stringify({ type, sequence_number: number++, ...event });
        yield `event: ${type}\ndata: ${data}\n\n`;
      }
    },
    ...(body["store"] === false ? {} : { remember: () => options.remember(id, output) }),
  };

  function* events(): Generator<ResponseEvent> {
    const begun = {
      ...facts,
      status: "in_progress",
      incomplete_details: null,
      output: [],
      usage: null,
    };
    yield { type: "response.created", response: begun };
    yield { type: "response.in_progress", response: begun };
    for (const [index, item] of output.entries())
      yield* itemEvents({ item, index, chunkSize: options.chunkSize });
    yield { type: `response.${status}`, response };
  }
}

/** The fields of a response that do not depend on the reply. */
function echoed({
  id,
  model,
  body,
}: {
  readonly id: string;
  readonly model: string;
  readonly body: JsonObject;
}) {
  const given = (field: string, otherwise: JsonValue): JsonValue => body[field] ?? otherwise;
  return {
    id,
    object: "response",
    created_at: created,
    background: false,
    error: null,
    instructions: given("instructions", null),
    max_output_tokens: given("max_output_tokens", null),
    metadata: given("metadata", {}),
    model,
    parallel_tool_calls: given("parallel_tool_calls", true),
    previous_response_id: given("previous_response_id", null),
    reasoning: given("reasoning", { effort: null, summary: null }),
    store: given("store", true),
    temperature: given("temperature", 1),
    text: given("text", { format: { type: "text" } }),
    tool_choice: given("tool_choice", "auto"),
    tools: given("tools", []),
    top_p: given("top_p", 1),
    truncation: given("truncation", "disabled"),
  };
}
