import type OpenAI from "openai";
import { expect, test } from "vitest";
import { open } from "../fake-model.test.support.js";

const script = {
  conversations: [
    {
      id: "booking",
      when: { user: "^book" },
      replies: [
        "Where to?",
        { content: "Let me look.", tool_calls: [{ name: "find", arguments: { to: "Rome" } }] },
        "Found one for 99.",
      ],
    },
    {
      id: "deletion",
      when: { user: "^delete" },
      answers: [
        { when: { tool: "remove", result: "^approved" }, reply: "Gone." },
        { when: { tool: "remove", result: "^denied" }, reply: "It stays." },
      ],
      replies: [{ approval: { name: "remove", arguments: { file: "a" }, server_label: "files" } }],
    },
  ],
};

test("a talk in one thread, with a tool, by previous_response_id", async () => {
  const { client, model } = await open({ script });
  const create = async (
    more: Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, "model">,
  ): Promise<OpenAI.Responses.Response> => client.responses.create({ model: "m", ...more });
  const first = await create({ input: "book a flight", instructions: "Be brief." });
  expect(first.output_text).toBe("Where to?");
  const second = await create({ input: "Rome", previous_response_id: first.id });
  const [said, call] = second.output;
  expect(said).toMatchObject({ type: "message", content: [{ text: "Let me look." }] });
  if (call?.type !== "function_call") throw new Error("no call");
  expect(call).toMatchObject({ name: "find", arguments: '{"to":"Rome"}', status: "completed" });
  const third = await create({
    input: [{ type: "function_call_output", call_id: call.call_id, output: "99" }],
    previous_response_id: second.id,
  });
  expect(third.output_text).toBe("Found one for 99.");
  expect(third.previous_response_id).toBe(second.id);

  // The same talk with all items in the request.
  const whole = await create({
    input: [
      { role: "user", content: "book a flight" },
      { role: "assistant", content: "Where to?" },
      { role: "user", content: [{ type: "input_text", text: "Rome" }] },
      ...(second.output as OpenAI.Responses.ResponseInputItem[]),
      { type: "function_call_output", call_id: call.call_id, output: "99" },
    ],
    store: false,
  });
  expect(whole.output_text).toBe("Found one for 99.");
  expect(model.requests.map(({ conversation, step }) => [conversation, step])).toEqual([
    ["booking", 0],
    ["booking", 1],
    ["booking", 2],
    ["booking", 2],
  ]);

  await expect(create({ input: "hi", previous_response_id: whole.id })).rejects.toThrow(
    `400 previous_response_id is "${whole.id}": no such response is stored`,
  );
  await expect(create({ input: "never mind", previous_response_id: second.id })).rejects.toThrow(
    `400 the earlier response has the function call "${call.call_id}", and no function_call_output answers it`,
  );
  model.reset();
  await expect(create({ input: "hi", previous_response_id: third.id })).rejects.toThrow("stored");
});

test("references to what was put out before, as the AI SDK sends them", async () => {
  const { client, model } = await open({ script });
  const input: unknown[] = [{ role: "user", content: "book a flight" }];
  const create = async (more: object = {}): Promise<OpenAI.Responses.Response> => {
    const body = { model: "m", input, ...more } as never;
    return client.responses.create(body);
  };
  const first = await create();
  input.push(
    { type: "item_reference", id: first.output[0]!.id },
    { role: "user", content: "Rome" },
  );
  const [said, call] = (await create()).output;
  if (call?.type !== "function_call") throw new Error("no call");
  input.push(
    { type: null, id: said!.id },
    { id: call.id },
    { type: "function_call_output", call_id: call.call_id, output: "99" },
  );
  const last = await create();
  expect(last.output_text).toBe("Found one for 99.");
  expect(model.requests.map(({ step }) => step)).toEqual([0, 1, 2]);
  // What a response stores are the items themselves.
  const more = { previous_response_id: last.id, input: "thanks" };
  await expect(create(more)).rejects.toThrow('the conversation "booking" has no reply');
  expect(model.requests.at(-1)).toMatchObject({ step: 3 });

  const unstored = await create({ store: false, input: "book" });
  const unknown = [unstored.output[0]!.id, "msg_x"];
  for (const id of unknown)
    await expect(create({ input: [{ type: "item_reference", id }] })).rejects.toThrow(
      `400 input[0] refers to the item "${id}": no stored response has put it out`,
    );
  model.reset();
  await expect(create()).rejects.toThrow(`refers to the item "${first.output[0]!.id}"`);
});

test("a function may give nothing back", async () => {
  let seen: unknown;
  const { client } = await open({
    script({ messages }) {
      seen = messages.at(-1);
      return "ok";
    },
  });
  await client.responses.create({
    model: "m",
    input: [
      { type: "function_call", call_id: "call_1", name: "see", arguments: "{}" },
      { type: "function_call_output", call_id: "call_1", output: [] },
    ],
  });
  expect(seen).toEqual({ role: "tool", text: "", toolCallId: "call_1", toolName: "see" });
});

test("a response that is not streamed", async () => {
  const { client } = await open();
  expect(await client.responses.create({ model: "m", input: "hi" })).toMatchInlineSnapshot(`
    {
      "background": false,
      "created_at": 1700000000,
      "error": null,
      "id": "resp_7dee132899dedf64775b99d8",
      "incomplete_details": null,
      "instructions": null,
      "max_output_tokens": null,
      "metadata": {},
      "model": "m",
      "object": "response",
      "output": [
        {
          "content": [
            {
              "annotations": [],
              "logprobs": [],
              "text": "You said: hi",
              "type": "output_text",
            },
          ],
          "id": "msg_c26f25f9bc056cb628181210",
          "role": "assistant",
          "status": "completed",
          "type": "message",
        },
      ],
      "output_text": "You said: hi",
      "parallel_tool_calls": true,
      "previous_response_id": null,
      "reasoning": {
        "effort": null,
        "summary": null,
      },
      "status": "completed",
      "store": true,
      "temperature": 1,
      "text": {
        "format": {
          "type": "text",
        },
      },
      "tool_choice": "auto",
      "tools": [],
      "top_p": 1,
      "truncation": "disabled",
      "usage": {
        "input_tokens": 1,
        "input_tokens_details": {
          "cached_tokens": 0,
        },
        "output_tokens": 3,
        "output_tokens_details": {
          "reasoning_tokens": 0,
        },
        "total_tokens": 4,
      },
    }
  `);
});

test("the events of a stream, and the helper of the SDK", async () => {
  const { client } = await open({ script });
  const request = {
    model: "m",
    input: [
      { role: "user", content: "book" },
      { role: "assistant", content: "Where to?" },
      { role: "user", content: "Rome" },
    ] satisfies OpenAI.Responses.ResponseInput,
  };
  const events: OpenAI.Responses.ResponseStreamEvent[] = [];
  for await (const event of await client.responses.create({ ...request, stream: true }))
    events.push(event);
  expect(events.map(({ type }) => type)).toEqual([
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.content_part.added",
    "response.output_text.delta",
    "response.output_text.delta",
    "response.output_text.done",
    "response.content_part.done",
    "response.output_item.done",
    "response.output_item.added",
    "response.function_call_arguments.delta",
    "response.function_call_arguments.delta",
    "response.function_call_arguments.done",
    "response.output_item.done",
    "response.completed",
  ]);
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
  const whole = await client.responses.create(request);
  const final = await client.responses.stream(request).finalResponse();
  expect(final.output_text).toBe("Let me look.");
  expect(final).toMatchObject(whole);
  expect(events.at(-1)).toMatchObject({ response: { id: whole.id, output: whole.output } });
});

test("an approval is asked for, and the answer is a result of its tool", async () => {
  const { client } = await open({ script });
  const asked = await client.responses.create({ model: "m", input: "delete a" });
  const [request] = asked.output;
  if (request?.type !== "mcp_approval_request") throw new Error("no request");
  expect(request).toMatchObject({
    name: "remove",
    arguments: '{"file":"a"}',
    server_label: "files",
  });
  const answer = async (approve: boolean): Promise<string> =>
    (
      await client.responses.create({
        model: "m",
        previous_response_id: asked.id,
        input: [{ type: "mcp_approval_response", approval_request_id: request.id, approve }],
      })
    ).output_text;
  expect(await answer(true)).toBe("Gone.");
  expect(await answer(false)).toBe("It stays.");
  await expect(
    client.responses.create({ model: "m", input: "well?", previous_response_id: asked.id }),
  ).rejects.toThrow(
    `400 input[0] is a message of the user, but the approval request "${request.id}" of the earlier response has no mcp_approval_response`,
  );
  const streamed = await client.responses.stream({ model: "m", input: "delete a" }).finalResponse();
  expect(streamed.output).toMatchObject([{ type: "mcp_approval_request" }]);
  await expect(
    client.chat.completions.create({ model: "m", messages: [{ role: "user", content: "delete" }] }),
  ).rejects.toThrow("400 the script replies with an approval, which only /v1/responses can carry");
});

test.each([
  ["length", "max_output_tokens"],
  ["content_filter", "content_filter"],
] as const)("%s makes a response incomplete", async (finish_reason, reason) => {
  const { client } = await open({ script: { otherwise: { content: "cut o", finish_reason } } });
  const incomplete = { status: "incomplete", incomplete_details: { reason }, output_text: "cut o" };
  const request = { model: "m", input: "hi" };
  expect(await client.responses.create(request)).toMatchObject(incomplete);
  expect(await client.responses.stream(request).finalResponse()).toMatchObject(incomplete);
});

test("JSON and refusals", async () => {
  const { client } = await open();
  const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  const request = {
    model: "m",
    input: "hi",
    text: { format: { type: "json_schema", name: "n", schema } },
  } as const;
  expect((await client.responses.create(request)).output_text).toBe('{"n":0}');
  const { client: other } = await open({ script: { otherwise: { refusal: "No." } } });
  const output = [{ content: [{ type: "refusal", refusal: "No." }] }];
  expect(await other.responses.create(request)).toMatchObject({ output });
});

test("what the script sees of items", async () => {
  let seen: unknown;
  const { client } = await open({
    script({ messages }) {
      seen = messages;
      return "ok";
    },
  });
  await client.responses.create({
    model: "m",
    instructions: "Be brief.",
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "look" },
          { type: "input_image", image_url: "data:image/png;base64,AA==", detail: "auto" },
          { type: "input_file", file_data: "data:text/plain;base64,AA==", filename: "a" },
          { type: "input_text", text: "here" },
        ],
      },
      { type: "reasoning", id: "rs_1", summary: [] },
      { type: "function_call", call_id: "call_1", name: "see", arguments: "{}" },
      { type: "function_call", call_id: "call_2", name: "hear", arguments: "{}" },
      { type: "function_call_output", call_id: "call_2", output: "noise" },
      {
        type: "function_call_output",
        call_id: "call_1",
        output: [{ type: "input_text", text: "a cat" }],
      },
    ],
  });
  expect(seen).toEqual([
    { role: "system", text: "Be brief." },
    { role: "user", text: "look\nhere" },
    {
      role: "assistant",
      text: "",
      toolCalls: [
        { id: "call_1", name: "see", arguments: "{}" },
        { id: "call_2", name: "hear", arguments: "{}" },
      ],
    },
    { role: "tool", text: "noise", toolCallId: "call_2", toolName: "hear" },
    { role: "tool", text: "a cat", toolCallId: "call_1", toolName: "see" },
  ]);
});
