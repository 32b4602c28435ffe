import { expect, test } from "vitest";
import { open, post } from "../fake-model.test.support.js";

const call = { type: "function_call", call_id: "call_1", name: "f", arguments: "{}" };
const result = { type: "function_call_output", call_id: "call_1", output: "ok" };
const said = { role: "user", content: "hi" };
const approval = {
  type: "mcp_approval_request",
  id: "mcpr_1",
  name: "f",
  arguments: "{}",
  server_label: "s",
};

test.each<[string, object]>([
  ["model is missing", { model: undefined, input: "hi" }],
  ["input is missing: expected text or a list of items", {}],
  ["input is empty", { input: [] }],
  ["input is a number: expected text or a list of items", { input: 3 }],
  ['input[0].role is "tool": expected system', { input: [{ role: "tool", content: "x" }] }],
  [
    'input[0].content[0].type is "text": expected input_text',
    { input: [{ role: "user", content: [{ type: "text", text: "x" }] }] },
  ],
  [
    'input[0].content[0].type is "input_text": expected output_text or refusal',
    { input: [{ role: "assistant", content: [{ type: "input_text", text: "x" }] }] },
  ],
  [
    "input[0].content[0].image_url is missing: expected image_url or file_id",
    { input: [{ role: "user", content: [{ type: "input_image" }] }] },
  ],
  ["conversation is not supported by this server", { input: "hi", conversation: "conv_1" }],
  ["conversation is not supported by this server", { input: "hi", conversation: { id: "c" } }],
  ["background: true is not supported by this server", { input: "hi", background: true }],
  [
    "prompt without input is not supported by this server",
    { model: undefined, prompt: { id: "pmpt_1" } },
  ],
  ["input[0].id is missing: expected text", { input: [{ type: "item_reference" }] }],
  ['input[0].type is "web_search_call"', { input: [{ type: "web_search_call", id: "x" }] }],
  ['input[1] has the function call "call_1", and no function_call_output', { input: [said, call] }],
  [
    'input[1] is the output of the function call "call_1", which nothing before it made',
    { input: [said, result, call] },
  ],
  [
    'input[2] is a message of the user, but the approval request "mcpr_1" of input[1] has no',
    { input: [said, approval, said] },
  ],
  [
    'input[0] answers the approval request "x", which nothing before it made',
    { input: [{ type: "mcp_approval_response", approval_request_id: "x", approve: true }] },
  ],
  [
    "input[1].approve is missing: expected true or false",
    { input: [approval, { type: "mcp_approval_response", approval_request_id: "mcpr_1" }] },
  ],
  ["tools[0].name is missing", { input: "hi", tools: [{ type: "function", function: {} }] }],
  [
    "text.format.schema is missing",
    { input: "hi", text: { format: { type: "json_schema", name: "x" } } },
  ],
  ['text.format.type is "yaml"', { input: "hi", text: { format: { type: "yaml" } } }],
])("400: %s", async (message, body) => {
  const { model } = await open();
  const { status, text } = await post(model, {
    path: "/responses",
    body: { model: "m", ...body },
  });
  expect([status, text]).toEqual([
    400,
    expect.stringContaining(JSON.stringify(message).slice(1, -1)),
  ]);
});

test("what says nothing is no matter of support", async () => {
  const { model } = await open();
  const body = { model: "m", input: "hi", conversation: null, background: false, prompt: null };
  expect(await post(model, { path: "/responses", body })).toMatchObject({ status: 200 });
});
