import type { PlainReply } from "../api/plain-reply.js";
import { pieces } from "../api/pieces.js";

/** Length of a huge text, unless the script says. */
const hugeBytes = 20_000_000;
/** UTF-16 units of a piece of what is huge, streamed or not. */
export const hugePiece = 16_384;

/** The reply with a text that is as long as the fault says. */
export function hugeReply(
  reply: PlainReply,
  { bytes = hugeBytes }: { readonly bytes?: number | undefined },
): PlainReply {
  return { ...reply, content: "x".repeat(bytes) };
}

/** A body in pieces that are sent as fast as the client reads them. */
export function* inPieces(body: Iterable<string>): Generator<string> {
  for (const text of body) yield* pieces(text, hugePiece);
}
