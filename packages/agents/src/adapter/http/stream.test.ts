import { describe, expect, test } from "vitest";
import { readStream as read } from "./stream.test.support.js";

const chunk = (delta: object, more: object = {}): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, ...more }] })}\n\n`;
const done = chunk({}, { finish_reason: "stop" });

describe("server-sent events", () => {
  test.each<[string, string[], string | object]>([
    ["pieces of text", ['data: "Hel"\n\n', 'data: "lo"\n\n'], { content: "Hello" }],
    ["deltas", ['data: {"delta":"Hel"}\n\ndata: {"delta":"lo"}\n\n'], { content: "Hello" }],
    ["data of many lines", ['data: {"content":\ndata: "x"}\n\n'], { content: "x" }],
    [
      "comments, ids, retry and unknown fields",
      [': ping\n\nid: 1\nretry: 5\nfoo: bar\ndata: {"content":"x"}\n\n:\n\n'],
      { content: "x" },
    ],
    ["CRLF", ['data: {"content":"x"}\r\n\r\n: ping\r\n\r\n'], { content: "x" }],
    ["CR", ['data: {"delta":"x"}\r\rdata: {"delta":"y"}\r\r'], { content: "xy" }],
    [
      "CRLF cut in the middle",
      ['data: {"content":\r', '\ndata: "x"}\r', "\n\r", "\n"],
      { content: "x" },
    ],
    ["no space after the colon", ['data:{"content":"x"}\n\n'], { content: "x" }],
    ["no empty line at the end", ['data: {"content":"x"}\n'], { content: "x" }],
    ["no line end at the end", ['data: {"content":"x"}'], { content: "x" }],
    ["a byte order mark", ['\uFEFFdata: {"content":"x"}\n\n'], { content: "x" }],
    ["an event with a name", ['event: message\ndata: {"content":"x"}\n\n'], { content: "x" }],
    ["events without data", ['event: ping\n\ndata: {"content":"x"}\n\n'], { content: "x" }],
    [
      "what follows [DONE] is not read",
      ['data: {"content":"x"}\n\ndata: [DONE]\n\ndata: no\n\n'],
      { content: "x" },
    ],
    [
      "content after deltas replaces them",
      ['data: {"delta":"a"}\n\ndata: {"delta":"b"}\n\ndata: {"content":"AB"}\n\n'],
      { content: "AB" },
    ],
    [
      "fields replace, tool calls add up",
      [
        'data: {"tool_calls":[{"name":"a"}],"state":1}\n\ndata: {"tool_calls":[{"name":"b"}],"state":2,"awaiting_input":true}\n\ndata: {"delta":"x"}\n\n',
      ],
      { content: "x", state: 2, awaiting_input: true, tool_calls: [{ name: "a" }, { name: "b" }] },
    ],
    [
      "an error event",
      ['data: {"delta":"x"}\n\nevent: error\ndata: {"message":"down"}\n\n'],
      "agent: the agent reports an error: down",
    ],
    [
      "an error event with text as JSON",
      ['event: error\ndata: "down"\n\n'],
      "agent: the agent reports an error: down",
    ],
    [
      "an error as data",
      ['data: {"delta":"x"}\n\ndata: {"error":{"message":"down"}}\n\n'],
      "agent: the agent reports an error: down",
    ],
    [
      "not JSON",
      ["data: Hello there\n\n"],
      "agent: expected every event of the stream to be JSON, got: Hello there",
    ],
    ["a number", ["data: 1\n\n"], "agent: expected an object or text, got number"],
    ["null", ["data: null\n\n"], "agent: expected an object or text, got null"],
    ["nothing", [], "agent: the stream ended without a reply"],
    ["only comments", [": ping\n\n"], "agent: the stream ended without a reply"],
    ["only [DONE]", ["data: [DONE]\n\n"], "agent: the stream ended without a reply"],
    [
      "cut in the middle of an event",
      ['data: {"delta":"x"}\n\ndata: {"del'],
      'agent: expected every event of the stream to be JSON, got: {"del',
    ],
  ])("%s", async (_, pieces, reply) => {
    expect(await read("sse", pieces)).toEqual(reply);
  });

  // The data of an error event is read as JSON before its name is looked at.
  test("an error event whose data is plain text is an error that the agent reports", async () => {
    expect(await read("sse", ["event: error\ndata: out of memory\n\n"])).toBe(
      "agent: the agent reports an error: out of memory",
    );
  });

  // Without a stream the same answer is a failure that names the keys.
  test("events of an unknown shape are no empty reply", async () => {
    expect(await read("sse", ['data: {"message":{"text":"x"}}\n\n'])).toEqual(
      expect.stringMatching(/^agent: /),
    );
  });

  // Without a stream the same answer is "there is nothing at out.text".
  test("paths that lead to nothing in all of the stream are no empty reply", async () => {
    const options = { reply: { content: "out.text", delta: "out.piece" } };
    expect(await read("sse", ['data: {"text":"x"}\n\n'], options)).toEqual(
      expect.stringMatching(/^agent: /),
    );
  });
});

describe("chat completions", () => {
  const call = (index: number, more: object): object => ({ tool_calls: [{ index, ...more }] });

  test("text, a reason to end, and usage behind it", async () => {
    const usage = 'data: {"choices":[],"usage":{"prompt_tokens":1}}\n\n';
    const pieces = [
      chunk({ role: "assistant", content: "" }),
      chunk({ content: "Hel" }),
      chunk({ content: "lo" }),
      done,
      usage,
      "data: [DONE]\n\n",
    ];
    expect(await read("sse", pieces)).toEqual({
      content: "Hello",
      finishReason: "stop",
      usage: { prompt_tokens: 1 },
    });
  });

  test("pieces of calls that come in turns find their own call", async () => {
    const pieces = [
      chunk(call(0, { id: "a", type: "function", function: { name: "find", arguments: "" } })),
      chunk(call(1, { id: "b", function: { name: "pay", arguments: '{"n"' } })),
      chunk(call(0, { function: { arguments: '{"q":' } })),
      chunk(call(1, { id: "", function: { arguments: ":1}" } })),
      chunk(call(0, { id: null, function: { name: null, arguments: '"x"}' } })),
      chunk({}, { finish_reason: "tool_calls" }),
    ];
    expect(await read("sse", pieces)).toMatchObject({
      content: "",
      finishReason: "tool_calls",
      tool_calls: [
        { id: "a", name: "find", arguments: '{"q":"x"}' },
        { id: "b", name: "pay", arguments: '{"n":1}' },
      ],
    });
  });

  // A gateway that counts its text as index 0 once left a hole in the list: a call that was undefined.
  test("indexes need not begin at 0", async () => {
    const pieces = [chunk(call(1, { id: "a", function: { name: "find", arguments: "{}" } })), done];
    expect(await read("sse", pieces)).toMatchObject({
      content: "",
      finishReason: "stop",
      tool_calls: [{ id: "a", name: "find", arguments: "{}" }],
    });
  });

  // The list was once filled up to the index, so that a broken server made it as long as it liked.
  test("an absurd index makes no list of that length", async () => {
    const pieces = [chunk(call(3_000_000, { function: { name: "t", arguments: "" } })), done];
    const reply = await read("sse", pieces);
    const calls = typeof reply === "string" ? [] : (reply as { tool_calls?: unknown[] }).tool_calls;
    expect(calls?.length ?? 0).toBeLessThan(10);
  });

  test("an end without a reason to end is the middle of a reply", async () => {
    expect(await read("sse", [chunk({ content: "Hel" })])).toBe(
      "agent: the stream ended in the middle of a reply: no finish_reason came",
    );
  });

  // [DONE] says that nothing was cut off; not every server sends a reason.
  test("[DONE] ends a reply, too", async () => {
    expect(await read("sse", [chunk({ content: "Hello" }), "data: [DONE]\n\n"])).toEqual({
      content: "Hello",
    });
  });

  // Gateways report what goes wrong on the way inside a chunk.
  test("an error inside a chunk is an error", async () => {
    const error =
      'data: {"id":"1","choices":[{"delta":{},"finish_reason":"error"}],"error":{"message":"down"}}\n\n';
    expect(await read("sse", [chunk({ content: "Hel" }), error])).toBe(
      "agent: the agent reports an error: down",
    );
  });
});

describe("by paths", () => {
  const reply = {
    delta: "d.text",
    content: "whole",
    tool_calls: "calls",
    session_id: "sid",
    finish_reason: "why",
    error: "fail",
  };

  test("pieces, then whole values that replace them", async () => {
    const events = [
      { d: { text: "a" }, sid: 1 },
      { d: { text: "b" }, calls: [{ name: "x" }] },
      { calls: { tool: "y" }, why: "stop" },
    ];
    const pieces = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
    const expected = {
      content: "ab",
      finishReason: "stop",
      tool_calls: [{ name: "x" }, { name: "y" }],
    };
    expect(await read("sse", pieces, { reply })).toEqual(expected);
    expect(await read("sse", [...pieces, 'data: {"whole":"AB"}\n\n'], { reply })).toEqual({
      ...expected,
      content: "AB",
    });
  });

  test("choices are nothing special", async () => {
    const paths = { delta: "choices[0].delta.content", finish_reason: "choices[0].finish_reason" };
    expect(await read("sse", [chunk({ content: "x" })], { reply: paths })).toEqual({
      content: "x",
    });
  });

  test("an error at its path", async () => {
    const pieces = ['data: {"d":{"text":"x"}}\n\ndata: {"fail":{"message":"down"}}\n\n'];
    expect(await read("sse", pieces, { reply })).toBe("agent: the agent reports an error: down");
  });
});
