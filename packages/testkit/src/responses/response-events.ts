import type { OutputItem, OutputPart } from "./output-items.js";
import { pieces } from "../api/pieces.js";

/** An event before it gets its number. */
export interface ResponseEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** How an item of the output comes in, piece by piece. */
export function* itemEvents({
  item,
  index,
  chunkSize,
}: {
  readonly item: OutputItem;
  readonly index: number;
  readonly chunkSize: number;
}): Generator<ResponseEvent> {
  const output_index = index;
  yield { type: "response.output_item.added", output_index, item: begun(item) };
  switch (item.type) {
    case "message":
      for (const [content_index, part] of item.content.entries()) {
        const place = { item_id: item.id, output_index, content_index };
        yield { type: "response.content_part.added", ...place, part: emptied(part) };
        for (const event of partEvents(part, chunkSize)) yield { ...event, ...place };
        yield { type: "response.content_part.done", ...place, part };
      }
      break;
    case "function_call": {
      const place = { item_id: item.id, output_index };
      for (const delta of pieces(item.arguments, chunkSize))
        yield { type: "response.function_call_arguments.delta", ...place, delta };
      yield {
        type: "response.function_call_arguments.done",
        ...place,
        name: item.name,
        arguments: item.arguments,
      };
      break;
    }
    case "mcp_approval_request":
      break;
  }
  yield { type: "response.output_item.done", output_index, item };
}

function* partEvents(part: OutputPart, chunkSize: number): Generator<ResponseEvent> {
  if (part.type === "refusal") {
    for (const delta of pieces(part.refusal, chunkSize))
      yield { type: "response.refusal.delta", delta };
    yield { type: "response.refusal.done", refusal: part.refusal };
    return;
  }
  for (const delta of pieces(part.text, chunkSize))
    yield { type: "response.output_text.delta", delta, logprobs: [] };
  yield { type: "response.output_text.done", text: part.text, logprobs: [] };
}

/** The item as it is announced. */
function begun(item: OutputItem): object {
  switch (item.type) {
    case "message":
      return { ...item, status: "in_progress", content: [] };
    case "function_call":
      return { ...item, status: "in_progress", arguments: "" };
    case "mcp_approval_request":
      return item;
  }
}

function emptied(part: OutputPart): OutputPart {
  return part.type === "refusal" ? { ...part, refusal: "" } : { ...part, text: "" };
}
