import type {
  AgentReply,
  AgentRequest,
  Message,
  PendingRequest,
  ReportedToolCall,
} from "@turnwise/core";
import { AuthorError, answerOfText, inputText, isObject } from "@turnwise/core";
import { argumentsText, closedHistory, resultText } from "./chat.js";
import { responsesPart } from "./media.js";

/** An entry of a conversation as the API has it. */
export type Item = Record<string, unknown>;

/**
 * One conversation over the Responses API. The whole of it is sent every time, with the items of earlier replies as they
 * came: reasoning and approval requests have to be among them.
 */
export class ResponsesThread {
  private items: readonly Item[] = [];
  /** What was said, and waits until every approval that the model wants has been answered: it takes no less. */
  private held: Item[] = [];
  private pending: readonly PendingRequest[] = [];

  /**
   * Takes what a request says. Returns what is to be sent, or the reply that names the approvals which are still open.
   * @throws AuthorError if it is no yes or no where one is needed.
   */
  take(
    request: AgentRequest,
  ): { readonly items: readonly Item[] } | { readonly reply: AgentReply } {
    const { attachments, input, messages, toolResults = [] } = request;
    // Whoever begins, or was asked before by other means, has a history.
    if (this.items.length === 0) return { items: closedHistory(messages).flatMap(historyItems) };
    for (const result of toolResults)
      this.held.push({
        type: "function_call_output",
        call_id: result.id,
        output: resultText(result) ?? "null",
      });
    const said = this.pending.length === 0 ? input : this.approve(request);
    const last = messages.at(-1);
    if (said !== undefined && last !== undefined) this.held.push(...historyItems(last));
    else if (attachments.length > 0)
      this.held.push({ role: "user", content: attachments.map(responsesPart) });
    if (this.pending.length > 0) return { reply: { content: "", pending: this.pending } };
    return { items: [...this.items, ...this.held] };
  }

  /** Answers one of the approvals that the model wants. What is left of the input is undefined: it was the answer. */
  private approve({ answer, input }: AgentRequest): undefined {
    if (answer === undefined && input === undefined) return undefined;
    const approval =
      answer === undefined
        ? this.pending[0]
        : this.pending.find(({ id }) => id === answer.requestId);
    // The answer is for a call of a tool, and is among the results.
    if (approval === undefined) return undefined;
    const given = answer ?? answerOfText(inputText(input), approval);
    if (given === undefined || !("approve" in given))
      throw new AuthorError(
        `the model waits for an approval of ${approval.toolName ?? "a tool"}, which takes yes or no; answer it with {"answer": {"approve": true}}`,
      );
    this.held.push({
      type: "mcp_approval_response",
      approval_request_id: approval.id,
      approve: given.approve,
      ...(given.reason === undefined ? {} : { reason: given.reason }),
    });
    this.pending = this.pending.filter((other) => other !== approval);
    return undefined;
  }

  /** Takes the answer of the API into the conversation, and gives the reply that it is. */
  reply(sent: readonly Item[], response: Item): AgentReply {
    const output = (Array.isArray(response["output"]) ? response["output"] : [])
      .filter(isObject)
      .map((item, index) => withCallId(item, `call-${sent.length + index + 1}`));
    this.items = [...sent, ...output];
    this.held = [];
    this.pending = output.flatMap((item) =>
      item["type"] === "mcp_approval_request" ? [approvalRequest(item)] : [],
    );
    const calls = output.flatMap((item): ReportedToolCall[] => {
      if (item["type"] === "mcp_call") return [mcpCall(item)];
      if (item["type"] !== "function_call") return [];
      return [
        { id: item["call_id"] as string, name: String(item["name"]), arguments: item["arguments"] },
      ];
    });
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

/** The results of a call name its id; not every server gives it one. */
function withCallId(item: Item, fallback: string): Item {
  if (item["type"] !== "function_call") return item;
  const id = [item["call_id"], item["id"]].find((one) => typeof one === "string" && one !== "");
  return { ...item, call_id: id ?? fallback };
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
