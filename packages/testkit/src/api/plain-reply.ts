import type { JsonValue } from "@turnwise/core";
import type { FakeReply } from "../script/schema.js";

/** A reply whose short forms are written out: text is text, arguments are the text that is sent. */
export interface PlainReply {
  /** Undefined if the reply has no text, only a refusal, calls or an approval. */
  readonly content: string | undefined;
  readonly refusal: string | undefined;
  readonly toolCalls: readonly { readonly name: string; readonly arguments: string }[];
  readonly approval:
    | { readonly name: string; readonly arguments: string; readonly server_label: string }
    | undefined;
  readonly finishReason: string | undefined;
  readonly usage: {
    readonly input_tokens?: number | undefined;
    readonly output_tokens?: number | undefined;
  };
}

/** Writes the short forms of a reply out. */
export function plainReply(given: FakeReply): PlainReply {
  const reply = typeof given === "string" ? { content: given } : given;
  const { refusal, approval, tool_calls = [] } = reply;
  const text = reply.json === undefined ? reply.content : JSON.stringify(reply.json);
  const other = refusal !== undefined || approval !== undefined || tool_calls.length > 0;
  return {
    content: text ?? (other ? undefined : ""),
    refusal,
    toolCalls: tool_calls.map((call) => ({
      name: call.name,
      arguments: argumentsText(call.arguments),
    })),
    approval:
      approval === undefined
        ? undefined
        : {
            name: approval.name,
            arguments: argumentsText(approval.arguments),
            server_label: approval.server_label ?? "fake",
          },
    finishReason: reply.finish_reason,
    usage: reply.usage ?? {},
  };
}

function argumentsText(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value === undefined ? {} : value);
}
