import type { PlainReply } from "../api/plain-reply.js";
import { fingerprint } from "../api/fingerprint.js";

/** A part of a message that the model put out. */
export type OutputPart =
  | {
      readonly type: "output_text";
      readonly text: string;
      readonly annotations: [];
      readonly logprobs: [];
    }
  | { readonly type: "refusal"; readonly refusal: string };

/** An item of a response. */
export type OutputItem =
  | {
      readonly id: string;
      readonly type: "message";
      readonly status: "completed" | "incomplete";
      readonly role: "assistant";
      readonly content: OutputPart[];
    }
  | {
      readonly id: string;
      readonly type: "function_call";
      readonly status: "completed" | "incomplete";
      readonly call_id: string;
      readonly name: string;
      readonly arguments: string;
    }
  | {
      readonly id: string;
      readonly type: "mcp_approval_request";
      readonly server_label: string;
      readonly name: string;
      readonly arguments: string;
    };

/** The items of a reply, in the order in which a model puts them out. */
export function outputItems({
  reply,
  seed,
  status,
}: {
  readonly reply: PlainReply;
  readonly seed: string;
  readonly status: "completed" | "incomplete";
}): OutputItem[] {
  const items: OutputItem[] = [];
  const content: OutputPart[] = [];
  if (reply.content !== undefined)
    content.push({ type: "output_text", text: reply.content, annotations: [], logprobs: [] });
  if (reply.refusal !== undefined) content.push({ type: "refusal", refusal: reply.refusal });
  if (content.length > 0) {
    const id = `msg_${fingerprint(seed, "message")}`;
    items.push({ id, type: "message", status, role: "assistant", content });
  }
  for (const [index, call] of reply.toolCalls.entries())
    items.push({
      id: `fc_${fingerprint(seed, "item", index)}`,
      type: "function_call",
      status,
      call_id: `call_${fingerprint(seed, "call", index)}`,
      ...call,
    });
  if (reply.approval !== undefined)
    items.push({
      id: `mcpr_${fingerprint(seed, "approval")}`,
      type: "mcp_approval_request",
      ...reply.approval,
    });
  return items;
}
