import { InfrastructureError, isObject } from "@turnwise/core";
import type OpenAI from "openai";
import { notThat } from "./chat.js";
import { CutReplyError } from "./cut-reply-error.js";
import type { OpenAiOptions } from "./options.js";
import type { Item } from "./responses-thread.js";

/** The body of a request to Responses. */
export function responsesBody(
  items: readonly Item[],
  options: OpenAiOptions,
  model: string,
): Record<string, unknown> {
  const { parameters, response_format: format, stream, system, tools } = options;
  return {
    model,
    ...parameters,
    ...(system === undefined ? {} : { instructions: system }),
    input: items,
    ...(tools === undefined || tools.length === 0
      ? {}
      : { tools: tools.map((tool) => ({ type: "function", strict: false, ...tool })) }),
    ...(format === undefined ? {} : { text: { format: flatFormat(format) } }),
    ...(stream === true ? { stream: true } : {}),
  };
}

/** What Chat Completions keep one level deeper. */
function flatFormat(format: NonNullable<OpenAiOptions["response_format"]>): unknown {
  const { json_schema: schema, ...rest } = format;
  return isObject(schema) ? { ...rest, ...schema } : format;
}

/**
 * Sends a request to Responses.
 * @throws InfrastructureError if what comes is no response, or the response has failed; what the SDK throws.
 */
export async function askResponses(
  client: OpenAI,
  body: Record<string, unknown>,
  signal: AbortSignal,
): Promise<Item> {
  const answer: unknown = await client.responses.create(
    body as unknown as OpenAI.Responses.ResponseCreateParams,
    { signal },
  );
  const response =
    body["stream"] === true ? await lastOf(answer as AsyncIterable<unknown>) : answer;
  if (!isObject(response)) throw notThat("a response", response);
  if (response["status"] === "failed") throw failed(response["error"]);
  if (!Array.isArray(response["output"])) throw notThat("a response with an output", response);
  return response;
}

/** The whole response, which comes with the last event. */
async function lastOf(stream: AsyncIterable<unknown>): Promise<unknown> {
  const items: unknown[] = [];
  let events = 0;
  for await (const event of stream) {
    if (!isObject(event)) continue;
    if (String(event["type"]).startsWith("response.")) events++;
    if (event["type"] === "response.output_item.done") items.push(event["item"]);
    if (event["type"] === "error")
      throw new InfrastructureError(`the stream reports an error: ${String(event["message"])}`);
    if (/^response\.(completed|incomplete|failed)$/.test(String(event["type"]))) {
      const { response } = event;
      // Some servers leave the output of the last event empty, or out.
      if (!isObject(response)) return response;
      const { output = [] } = response;
      return Array.isArray(output) && output.length === 0
        ? { ...response, output: items }
        : response;
    }
  }
  if (events === 0)
    throw new InfrastructureError("expected a stream of events of a response, got none");
  throw new CutReplyError("the stream ended in the middle of a reply: no response.completed came");
}

/** What went wrong on the side of the model may go right the next time. */
function failed(error: unknown): InfrastructureError {
  const { code, message } = isObject(error) ? error : {};
  const text = `the response failed: ${typeof message === "string" ? message : "for no reason given"}`;
  return code === "server_error" || code === "rate_limit_exceeded"
    ? new CutReplyError(text)
    : new InfrastructureError(text);
}
