import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { agentOf, replyOf, serve } from "../agent.test.support.js";
import type { types } from "./stream.test.support.js";
import { readStream as read, writePieces } from "./stream.test.support.js";

describe("newline-delimited JSON", () => {
  test.each<[string, string[], string | object]>([
    ["lines", ['{"delta":"Hel"}\n{"delta":"lo"}\n'], { content: "Hello" }],
    ["borders of pieces anywhere", ['{"del', 'ta":"x"}', "\n", '{"delta":"y"}'], { content: "xy" }],
    ["CRLF and blank lines", ['\r\n{"delta":"x"}\r\n\r\n  \n{"delta":"y"}\r\n'], { content: "xy" }],
    [
      "U+2028 inside of a string",
      ['{"delta":"a\u2028b\u2029c\u0085"}\n'],
      { content: "a\u2028b\u2029c\u0085" },
    ],
    ["a byte order mark", ['\uFEFF{"delta":"x"}\n'], { content: "x" }],
    [
      "not JSON",
      ['{"delta":"x"}\nHello\n'],
      "agent: expected every event of the stream to be JSON, got: Hello",
    ],
    [
      "an event of the other kind",
      ['data: {"delta":"x"}\n'],
      'agent: expected every event of the stream to be JSON, got: data: {"delta":"x"}',
    ],
    ["nothing", ["\n"], "agent: the stream ended without a reply"],
  ])("%s", async (_, pieces, reply) => {
    expect(await read("ndjson", pieces)).toEqual(reply);
  });

  test.each([
    "application/x-ndjson",
    "application/ndjson",
    "application/jsonl",
    "application/x-jsonlines; charset=utf-8",
    "Application/JSON-L",
  ])("is what %s says", async (type) => {
    const server = await serve((_, response) => {
      response.writeHead(200, { "content-type": type }).end('{"delta":"x"}\n{"delta":"y"}');
    });
    expect(await replyOf(await agentOf("http", { url: server.url }))).toEqual({ content: "xy" });
  });
});

// The option is documented for content types that do not say it; it is taken before them.
test("stream: ndjson does not win over a content type that says otherwise", async () => {
  expect(await read("sse", ['data: {"content":"x"}\n\n'], { stream: "ndjson" })).toEqual({
    content: "x",
  });
});

test("stream reads what has no content type", async () => {
  const server = await serve((_, response) => response.end('data: {"content":"x"}\n\n'));
  expect(await replyOf(await agentOf("http", { url: server.url, stream: "sse" }))).toEqual({
    content: "x",
  });
});

test("pieces may be cut anywhere, also inside of a character", async () => {
  // One server for all runs: it takes the pieces from here.
  let next: readonly Uint8Array[] = [];
  let kind: keyof typeof types = "sse";
  const server = await serve((_, response) => void writePieces(response, kind, next));
  const agent = await agentOf("http", { url: server.url });
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.string({
          unit: fc.constantFrom("a", "ü", "日", "🦜", "\u2028", "\n", "\r", '"', "\\", "\uFEFF"),
        }),
        { minLength: 1, maxLength: 4 },
      ),
      fc.array(fc.nat(), { maxLength: 5 }),
      fc.constantFrom<keyof typeof types>("sse", "ndjson"),
      async (texts, cuts, chosen) => {
        kind = chosen;
        const lines = texts.map((delta) => JSON.stringify({ delta }));
        const bytes = Buffer.from(
          kind === "sse" ? lines.map((line) => `data: ${line}\n\n`).join("") : lines.join("\n"),
        );
        const places = [0, ...cuts.map((cut) => cut % bytes.length), bytes.length].toSorted(
          (a, b) => a - b,
        );
        next = places
          .slice(1)
          .map((end, index) => bytes.subarray(places[index], end))
          .filter(({ length }) => length > 0);
        expect(await replyOf(agent)).toEqual({ content: texts.join("") });
      },
    ),
    { numRuns: 60 },
  );
});
