import { gzipSync } from "node:zlib";
import type { ServerResponse } from "node:http";
import type { AgentReply, JsonValue } from "@turnwise/core";
import { describe, expect, test } from "vitest";
import {
  agentOf,
  outcomeOf,
  projectWith,
  replyOf,
  run,
  send,
  serve,
} from "../adapter/agent.test.support.js";

/** What the agent makes of an answer without any paths. */
async function read(
  answer: (response: ServerResponse) => unknown,
  options: object = {},
): Promise<string | AgentReply> {
  const server = await serve((_, response) => answer(response));
  const reply = await replyOf(await agentOf("http", { url: `${server.url}/x`, ...options }));
  return typeof reply === "string" ? reply.replace(server.url, "http://HOST") : reply;
}

const json = (value: JsonValue) => read((response) => send(response, JSON.stringify(value)));
const typed = (body: string | Buffer, type: string, status = 200) =>
  read((response) => send(response, body, { status, headers: { "content-type": type } }));

describe("the reply of the default wire", () => {
  test("text", async () => {
    expect(await json("Hello")).toBe("Hello");
  });

  test("an object with every field, as a result shows it", async () => {
    const server = await serve((_, response) =>
      send(response, {
        content: "Which one?",
        data: { a: [null] },
        tool_calls: [{ id: "1", name: "find", args: { q: "x" }, result: [] }, { name: "log" }],
        finish_reason: "stop",
        awaiting_input: true,
        input_hint: "one of them",
        pending: [{ id: "r", kind: "choice", prompt: "Which?", options: ["a"], tool_name: "ask" }],
        state: { n: 1 },
        usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
        more: "is let pass",
      }),
    );
    const project = await projectWith({ type: "http", url: server.url });
    const result = await run(project, { assertions: [] });
    const { duration_ms: _, ...turn } = result.turns[0]!;
    expect(turn).toMatchObject({
      output: "Which one?",
      tool_calls: [
        { id: "1", name: "find", args: { q: "x" }, result: [] },
        { id: "call-1-2", name: "log", args: {} },
      ],
      awaiting_input: true,
      input_hint: "one of them",
      pending: [{ id: "r", kind: "choice", prompt: "Which?", options: ["a"], tool_name: "ask" }],
    });
    expect(result).toMatchObject({ usage: { target: { input_tokens: 1, output_tokens: 2 } } });
  });

  test.each<[JsonValue, object]>([
    [{ role: "assistant", content: "x" }, { content: "x" }],
    [{ role: "assistant", content: null }, { content: "" }],
    [
      { content: [{ type: "text", text: "x" }, { type: "text", text: "y" }, { type: "image" }] },
      { content: "xy" },
    ],
    [{ refusal: "no", content: null }, { content: "no" }],
    [
      { content: null, tool_calls: [{ id: "1", function: { name: "t", arguments: "{}" } }] },
      { content: "", toolCalls: [{ id: "1", name: "t", arguments: "{}" }] },
    ],
  ])("a chat completion with the message %j", async (message, reply) => {
    const usage = { prompt_tokens: 1 };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    expect(await json({ id: "1", object: "chat.completion", choices, usage })).toEqual({
      ...reply,
      finishReason: "stop",
      usage,
    });
  });

  test.each<[JsonValue, string]>([
    [null, 'expected a reply (text, or an object with "content"), got null'],
    [1, 'expected a reply (text, or an object with "content"), got number'],
    [["x"], 'expected a reply (text, or an object with "content"), got array'],
    [{}, 'expected a reply with "content", got an object with no keys'],
    [
      { message: "x", choices: [] },
      'expected a reply with "content", got an object with the keys "message", "choices"',
    ],
    [{ content: 1 }, 'expected "content" of the reply to be a string, got number'],
    [
      { content: "x", tool_calls: {} },
      'expected "toolCalls" of the reply to be an array, got object',
    ],
    [
      { content: "x", awaiting_input: "no" },
      'expected "awaitingInput" of the reply to be true or false, got string',
    ],
  ])("%j is none", async (value, message) => {
    const server = await serve((_, response) => send(response, JSON.stringify(value)));
    const project = await projectWith({ type: "http", url: server.url });
    expect(outcomeOf(await run(project))).toBe(`failed (agent): agent error: ${message}`);
  });

  test("a reply that is only a tool call or only data", async () => {
    const server = await serve(({ json: asked }, response) =>
      send(response, asked?.["turn"] === 1 ? { data: { a: 1 } } : { tool_calls: [{ name: "t" }] }),
    );
    const project = await projectWith({ type: "http", url: server.url });
    const result = await run(project, { turns: [{ input: "a" }, { input: "b" }] });
    expect([outcomeOf(result), result.turns.map(({ output }) => output)]).toEqual([
      "passed",
      [{ a: 1 }, ""],
    ]);
  });
});

describe("the body", () => {
  test.each<[string, string, string | object]>([
    ["Hello", "text/plain", "Hello"],
    ["", "text/plain", ""],
    [' {"content":"x"}\n', "text/plain; charset=utf-8", ' {"content":"x"}\n'],
    ['{"content":"x"}', "application/json; charset=UTF-8", { content: "x" }],
    ['\uFEFF{"content":"x"}', "application/json", { content: "x" }],
    ['{"content":"x"}', "text/html", { content: "x" }],
    ['{"content":"x"}', "application/octet-stream", { content: "x" }],
    ['"ü日🦜"', "application/vnd.api+json", "ü日🦜"],
    ["", "application/json", "agent: the agent answered nothing: an empty body"],
    [" \n", "text/html", "agent: the agent answered nothing: an empty body"],
    [
      "null",
      "application/json",
      'agent: expected a reply (text, or an object with "content"), got null',
    ],
    [
      "{'content': 'x'}",
      "application/json",
      "agent: expected JSON from the agent, got application/json: {'content': 'x'}",
    ],
    [
      "<!doctype html>\n<title>Log  in</title>",
      "text/html; charset=utf-8",
      "agent: expected JSON from the agent, got text/html; charset=utf-8: <!doctype html> <title>Log in</title>",
    ],
    [
      "\u001b[31mred\u001b[0m",
      "application/json",
      "agent: expected JSON from the agent, got application/json: red",
    ],
  ])("%j as %s", async (body, type, reply) => {
    expect(await typed(body, type)).toEqual(reply);
  });

  test("without a content type", async () => {
    expect(await read((response) => send(response, '{"content":"x"}'))).toEqual({ content: "x" });
    expect(await read((response) => send(response, "Hello"))).toBe(
      "agent: expected JSON from the agent, got text: Hello",
    );
  });

  test("text/plain is read as JSON where paths are to be followed", async () => {
    const answer = (response: ServerResponse): void =>
      send(response, '{"a":"x"}', { headers: { "content-type": "text/plain" } });
    expect(await read(answer, { reply: { content: "a" } })).toEqual({ content: "x" });
  });

  test.each(["application/json", "text/event-stream", "text/plain"])(
    "204 is silence, as %s",
    async (type) => {
      expect(
        await read(
          (response) => response.writeHead(204, { "content-type": type }).end(),
          type === "application/json" ? { reply: { content: "a" } } : {},
        ),
      ).toBe(type === "text/event-stream" ? "agent: the stream ended without a reply" : "");
    },
  );

  // The charset of text is not looked at: everything is taken for UTF-8.
  test("text in another charset", async () => {
    expect(await typed(Buffer.from("größer", "latin1"), "text/plain; charset=iso-8859-1")).toBe(
      "größer",
    );
  });

  // Nobody asked for it, but servers do it, and the message is line noise.
  test("a compressed body is named as such", async () => {
    const reply = await read((response) =>
      send(response, gzipSync('{"content":"x"}'), {
        headers: { "content-encoding": "gzip", "content-type": "application/json" },
      }),
    );
    expect(typeof reply === "string" ? reply : reply.content).toMatch(/^x$|gzip/);
  });
});

describe("the status", () => {
  test.each<[number, Record<string, string>, string, string]>([
    [201, {}, '"made"', "made"],
    [301, { location: "/y" }, "", "agent: POST http://HOST/x answered 301 Moved Permanently to /y"],
    [
      302,
      { location: "https://login.invalid/" },
      "<p>Moved</p>",
      "agent: POST http://HOST/x answered 302 Found to https://login.invalid/: <p>Moved</p>",
    ],
    [
      400,
      {},
      "no\n  such   thing",
      "agent: POST http://HOST/x answered 400 Bad Request: no such thing",
    ],
    [401, {}, "", "infrastructure: POST http://HOST/x answered 401 Unauthorized"],
    [403, {}, "", "infrastructure: POST http://HOST/x answered 403 Forbidden"],
    [404, {}, "", "agent: POST http://HOST/x answered 404 Not Found"],
    [
      500,
      { "content-type": "text/event-stream" },
      "data: x\n\n",
      "agent: POST http://HOST/x answered 500 Internal Server Error: data: x",
    ],
    [599, {}, "", "agent: POST http://HOST/x answered 599"],
  ])("%d %j %j", async (status, headers, body, reply) => {
    expect(await read((response) => send(response, body, { status, headers }))).toBe(reply);
  });

  // An answer without the header `location`.
  test("304 says where to as far as it is known", async () => {
    expect(await read((response) => send(response, "", { status: 304 }))).not.toContain(
      "undefined",
    );
  });

  test("answers before the answer do not count", async () => {
    const reply = await read((response) => {
      response.writeContinue();
      response.writeProcessing();
      response.writeEarlyHints({ link: "</a.css>; rel=preload" });
      send(response, { content: "x" });
    });
    expect(reply).toEqual({ content: "x" });
  });

  // Node drops the connection without an event where nobody listens to "upgrade": the request stays open for ever.
  test("an upgrade that nobody asked for is told at once", async () => {
    const server = await serve((_, response) =>
      response.socket?.end(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
      ),
    );
    const project = await projectWith({ type: "http", url: server.url });
    expect(outcomeOf(await run(project, { turn_timeout: 300 }))).toContain("101");
  });
});
