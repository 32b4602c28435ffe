import type {
  AgentReply,
  AgentRequest,
  Message,
  PendingRequest,
  ReportedToolCall,
} from "@turnwise/core";
import { AuthorError, InfrastructureError, answerOfText, isObject } from "@turnwise/core";
import type OpenAI from "openai";
import { described } from "../../wire/described.js";
import { argumentsText, resultText } from "./chat.js";
import { responsesPart } from "./media.js";
import { CutReplyError } from "./cut-reply-error.js";
import type { OpenAiOptions } from "./options.js";

type Item = Record<string, unknown>;

/**
 * One conversation over the Responses API. The whole of it is sent every time, with the items of earlier replies as they
 * came: reasoning and approval requests have to be among them.
 */
export class ResponsesThread {
  private readonly items: Item[] = [];
  private pending: readonly PendingRequest[] = [];

  /** The items of the conversation with what the request says. They count once `reply` has been called. */
  itemsFor(request: AgentRequest): Item[] {
    // Whoever begins, or was asked before by other means, has a history.
    if (this.items.length === 0) return request.messages.flatMap(historyItems);
    const added: Item[] = (request.toolResults ?? []).map((result) => ({
      type: "function_call_output",
      call_id: result.id,
      output: resultText({ ...result, arguments: null }) ?? "null",
    }));
    const approvals = this.approvalsFor(request);
    if (approvals !== undefined) added.push(...approvals);
    else if (request.input !== undefined) {
      const last = request.messages.at(-1);
      added.push(...(last === undefined ? [] : historyItems(last)));
    }
    return [...this.items, ...added];
  }

  /** Every approval that the model has asked for has to be answered. */
  private approvalsFor({ answer, input, toolResults }: AgentRequest): Item[] | undefined {
    if (this.pending.length === 0) return undefined;
    if (answer === undefined && input === undefined && toolResults !== undefined) return undefined;
    const [oldest] = this.pending;
    const given =
      answer ??
      (typeof input === "string"
        ? { requestId: oldest!.id, ...answerOfText(input, oldest!) }
        : undefined);
    if (given === undefined || !("approve" in given))
      throw new AuthorError(
        `the model waits for an approval of ${oldest!.toolName ?? "a tool"}, which takes yes or no; answer it with {"answer": {"approve": true}}`,
      );
    return this.pending.map(({ id }) => ({
      type: "mcp_approval_response",
      approval_request_id: id,
      approve: id === given.requestId ? given.approve : false,
      ...(id === given.requestId && given.reason !== undefined ? { reason: given.reason } : {}),
    }));
  }

  /** Takes the answer of the API into the conversation, and gives the reply that it is. */
  reply(sent: readonly Item[], response: Item): AgentReply {
    const output = (response["output"] as unknown[]).filter(isObject);
    this.items.splice(0, this.items.length, ...sent, ...output);
    const calls = output.flatMap((item): ReportedToolCall[] =>
      item["type"] === "function_call"
        ? [
            {
              id: String(item["call_id"]),
              name: String(item["name"]),
              arguments: item["arguments"],
            },
          ]
        : item["type"] === "mcp_call"
          ? [mcpCall(item)]
          : [],
    );
    this.pending = output.flatMap((item): PendingRequest[] =>
      item["type"] === "mcp_approval_request" ? [approvalRequest(item)] : [],
    );
    const open = output.some(({ type }) => type === "function_call");
    return {
      content: output.map(textOfItem).join(""),
      finishReason: finishOf(response, open),
      ...(calls.length === 0 ? {} : { toolCalls: calls }),
      ...(this.pending.length === 0 ? {} : { pending: this.pending }),
      ...(isObject(response["usage"]) ? { usage: response["usage"] } : {}),
    };
  }
}

function approvalRequest(item: Item): PendingRequest {
  const name = String(item["name"]);
  const args = typeof item["arguments"] === "string" ? item["arguments"] : "";
  return {
    id: String(item["id"]),
    kind: "approval",
    prompt: `May I call ${name}(${args})?`,
    toolName: name,
  };
}

/** A call that the API has made itself. */
function mcpCall(item: Item): ReportedToolCall {
  const { error, output } = item;
  return {
    id: String(item["id"]),
    name: String(item["name"]),
    arguments: item["arguments"],
    ...(error === undefined || error === null
      ? { result: output ?? null }
      : { error: typeof error === "string" ? error : JSON.stringify(error) }),
  };
}

function textOfItem(item: Item): string {
  if (item["type"] !== "message" || !Array.isArray(item["content"])) return "";
  return item["content"]
    .map((part: unknown) => {
      const text = isObject(part) ? (part["text"] ?? part["refusal"]) : undefined;
      return typeof text === "string" ? text : "";
    })
    .join("");
}

function finishOf(response: Item, open: boolean): string {
  const details = response["incomplete_details"];
  const reason = isObject(details) ? details["reason"] : undefined;
  if (response["status"] === "incomplete")
    return reason === "max_output_tokens"
      ? "length"
      : typeof reason === "string"
        ? reason
        : "incomplete";
  return open ? "tool_calls" : "stop";
}

function historyItems(message: Message): Item[] {
  switch (message.role) {
    case "system":
      return [{ role: "system", content: message.content }];
    case "user": {
      const { content } = message;
      return [
        {
          role: "user",
          content: typeof content === "string" ? content : content.map(responsesPart),
        },
      ];
    }
    case "tool":
      return [
        { type: "function_call_output", call_id: message.toolCallId, output: message.content },
      ];
    case "assistant":
      return [
        ...(message.content === "" ? [] : [{ role: "assistant", content: message.content }]),
        ...(message.toolCalls ?? []).flatMap((call): Item[] => {
          const output = resultText(call);
          const item = {
            type: "function_call",
            call_id: call.id,
            name: call.name,
            arguments: argumentsText(call),
          };
          return output === undefined
            ? [item]
            : [item, { type: "function_call_output", call_id: call.id, output }];
        }),
      ];
  }
}

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
  if (!isObject(response) || !Array.isArray(response["output"]))
    throw new InfrastructureError(`expected a response with an output, got ${described(response)}`);
  if (response["status"] === "failed") {
    const { error } = response;
    throw new InfrastructureError(
      `the response failed: ${isObject(error) ? String(error["message"]) : "for no reason given"}`,
    );
  }
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
      // Some servers leave the output of the last event empty.
      return isObject(response) &&
        Array.isArray(response["output"]) &&
        response["output"].length === 0
        ? { ...response, output: items }
        : response;
    }
  }
  if (events === 0)
    throw new InfrastructureError("expected a stream of events of a response, got none");
  throw new CutReplyError("the stream ended in the middle of a reply: no response.completed came");
}
