import type { ParsedEvent } from "./stream-reply.js";
import { AgentError } from "@turnwise/core";
import type { Mask } from "../../wire/excerpt.js";
import { excerpt } from "../../wire/excerpt.js";

/** The events of a stream of server-sent events. */
export async function* readEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ParsedEvent> {
  const { createParser } = await import("eventsource-parser");
  const waiting: ParsedEvent[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => {
      waiting.push({ ...(event === undefined ? {} : { event }), text: data });
    },
  });
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* waiting.splice(0);
  }
  // The last event of many servers has no empty line behind it.
  parser.feed(`${decoder.decode()}\n\n`);
  yield* waiting.splice(0);
}

/** The lines of a stream of newline-delimited JSON. */
export async function* readJsonLines(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<ParsedEvent> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop()!;
    for (const line of lines) if (line.trim() !== "") yield { text: line };
  }
  rest += decoder.decode();
  if (rest.trim() !== "") yield { text: rest };
}

/**
 * The JSON of an event.
 * @throws AgentError quoting it, if it is none.
 */
export function parseEvent({ text }: ParsedEvent, mask: Mask): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new AgentError(
      `expected every event of the stream to be JSON, got: ${excerpt(text, 200, mask)}`,
    );
  }
}
