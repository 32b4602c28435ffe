import type { ServerResponse } from "node:http";
import type { AgentReply } from "@turnwise/core";
import { agentOf, replyOf, serve } from "../agent.test.support.js";

export const types = { sse: "text/event-stream; charset=utf-8", ndjson: "application/x-ndjson" };

/** What the agent makes of a stream that comes in these pieces. */
export async function readStream(
  kind: keyof typeof types,
  pieces: readonly (string | Uint8Array)[],
  options: object = {},
): Promise<string | AgentReply> {
  const server = await serve((_, response) => void writePieces(response, kind, pieces));
  return replyOf(await agentOf("http", { url: server.url, ...options }));
}

/** Each piece is flushed before the next one is written. */
export async function writePieces(
  response: ServerResponse,
  kind: keyof typeof types,
  pieces: readonly (string | Uint8Array)[],
): Promise<void> {
  response.writeHead(200, { "content-type": types[kind] });
  for (const piece of pieces)
    await new Promise<void>((resolve) => response.write(piece, () => resolve()));
  response.end();
}
