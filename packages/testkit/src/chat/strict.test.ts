import { expect, test } from "vitest";
import { open, post } from "../fake-model.test.support.js";

const user = (content: string) => ({ role: "user", content });
const call = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });
const calling = { role: "assistant", content: null, tool_calls: [call("call_1"), call("call_2")] };
const result = (id: string) => ({ role: "tool", tool_call_id: id, content: "ok" });

test.each<[string, unknown]>([
  ["the body is not JSON:", "{oops"],
  ["the body is not a JSON object", "[1]"],
  ["model is missing: expected text", { messages: [user("hi")] }],
  ["messages is missing: expected a list of messages", { model: "m" }],
  ["messages is empty", { model: "m", messages: [] }],
  ["messages is a string: expected a list", { model: "m", messages: "hi" }],
  ['messages[0].role is "robot": expected system', { messages: [{ role: "robot", content: "x" }] }],
  ["messages[0].content is missing", { messages: [{ role: "user" }] }],
  ["messages[1].content is missing", { messages: [user("hi"), { role: "assistant" }] }],
  ["messages[0].content is empty", { messages: [{ role: "user", content: [] }] }],
  [
    'messages[0].content[0].type is "input_text": expected text or image_url',
    { messages: [{ role: "user", content: [{ type: "input_text", text: "x" }] }] },
  ],
  [
    "messages[0].content[1].image_url.url is missing",
    {
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "x" },
            { type: "image_url", image_url: {} },
          ],
        },
      ],
    },
  ],
  [
    "messages[0].content[0].image_url is a string: expected an object",
    { messages: [{ role: "user", content: [{ type: "image_url", image_url: "http://x" }] }] },
  ],
  [
    'messages[1] answers the tool call "call_9", which the assistant message before it did not make',
    { messages: [user("hi"), result("call_9")] },
  ],
  [
    'messages[4] answers the tool call "call_1"',
    { messages: [calling, result("call_1"), result("call_2"), user("hi"), result("call_1")] },
  ],
  [
    "messages[1] has tool calls that no tool message after it answers: call_2",
    { messages: [user("hi"), calling, result("call_1"), user("hi")] },
  ],
  [
    "messages[1] has tool calls that no tool message after it answers: call_1, call_2",
    { messages: [user("hi"), calling] },
  ],
  [
    "messages[0].tool_calls[0].function.arguments is an object: expected text",
    {
      messages: [
        {
          role: "assistant",
          tool_calls: [{ id: "1", type: "function", function: { name: "f", arguments: {} } }],
        },
      ],
    },
  ],
  [
    "messages[1].audio is not supported by this server",
    { messages: [user("hi"), { role: "assistant", audio: { id: "audio_1" } }] },
  ],
  [
    'messages[0].tool_calls[0].type "custom" is not supported by this server',
    {
      messages: [
        {
          role: "assistant",
          tool_calls: [{ id: "1", type: "custom", custom: { name: "f", input: "x" } }],
        },
      ],
    },
  ],
  [
    "tools[0].function is missing",
    { messages: [user("hi")], tools: [{ type: "function", name: "f" }] },
  ],
  [
    'tools[0].function.name is "a b": expected 1 to 64 letters',
    { messages: [user("hi")], tools: [{ type: "function", function: { name: "a b" } }] },
  ],
  [
    "response_format.json_schema is missing",
    { messages: [user("hi")], response_format: { type: "json_schema", name: "x", schema: {} } },
  ],
  [
    "stream_options is only allowed when stream is true",
    { messages: [user("hi")], stream_options: { include_usage: true } },
  ],
  ["stream is a string: expected true or false", { messages: [user("hi")], stream: "yes" }],
])("400: %s", async (message, body) => {
  const { model } = await open();
  const given =
    typeof body === "object" && body !== null && "messages" in body && !("model" in body)
      ? message.startsWith("model ")
        ? body
        : { model: "m", ...body }
      : body;
  const { status, text } = await post(model, { path: "/v1/chat/completions", body: given });
  expect(status).toBe(400);
  const { error } = JSON.parse(text) as { error: Record<string, unknown> };
  expect(error["message"]).toContain(message);
  expect(Object.keys(error)).toEqual(["message", "type", "param", "code"]);
  expect(error["type"]).toBe("invalid_request_error");
  expect(model.requests).toMatchObject([{ status: 400, step: 0 }]);
});
