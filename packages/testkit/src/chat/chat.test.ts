import type OpenAI from "openai";
import { expect, test } from "vitest";
import { open, post } from "../fake-model.test.support.js";

type Messages = OpenAI.ChatCompletionMessageParam[];
const user = (content: string): Messages[number] => ({ role: "user", content });

const flights = {
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
  ],
};

test("without a script the model repeats the user", async () => {
  const { client, model } = await open();
  const completion = await client.chat.completions.create({
    model: "m",
    messages: [{ role: "system", content: "Be brief." }, user("hi there")],
  });
  expect(completion).toMatchInlineSnapshot(`
    {
      "choices": [
        {
          "finish_reason": "stop",
          "index": 0,
          "logprobs": null,
          "message": {
            "content": "You said: hi there",
            "refusal": null,
            "role": "assistant",
          },
        },
      ],
      "created": 1700000000,
      "id": "chatcmpl-b34484fbae67fe9918cf870f",
      "model": "m",
      "object": "chat.completion",
      "usage": {
        "completion_tokens": 4,
        "prompt_tokens": 4,
        "total_tokens": 8,
      },
    }
  `);
  const { headers: _, ...recorded } = model.requests[0]!;
  expect(recorded).toMatchObject({ api: "chat", step: 0, attempt: 1, status: 200 });
});

test("a talk with a tool goes by the steps of the assistant", async () => {
  const { client, model } = await open({ script: flights });
  const messages: Messages = [user("book a flight")];
  const say = async (): Promise<OpenAI.ChatCompletionMessage> => {
    const completion = await client.chat.completions.create({ model: "m", messages });
    const { message } = completion.choices[0]!;
    messages.push(message);
    return message;
  };
  expect((await say()).content).toBe("Where to?");
  messages.push(user("Rome"));
  const { tool_calls } = await say();
  expect(tool_calls).toMatchObject([
    { type: "function", function: { name: "find", arguments: '{"to":"Rome"}' } },
  ]);
  messages.push({ role: "tool", tool_call_id: tool_calls![0]!.id, content: "99" });
  expect((await say()).content).toBe("Found one for 99.");
  messages.push(user("and back?"));
  await expect(say()).rejects.toThrow(
    '400 the conversation "booking" has no reply left, and the script has no "otherwise" (step 3, last message: user: "and back?")',
  );
  expect(
    model.requests.map(({ conversation, step, status }) => [conversation, step, status]),
  ).toEqual([0, 1, 2, 3].map((step) => ["booking", step, step === 3 ? 400 : 200]));
});

test("streams: chunks, usage, and the helper of the SDK", async () => {
  const { client, model } = await open({ script: flights });
  const messages = [
    user("book"),
    { role: "assistant", content: "Where to?" },
    user("Rome"),
  ] as const;
  const request = { model: "m", messages: [...messages] };
  const whole = await client.chat.completions.create(request);
  const chunks: OpenAI.ChatCompletionChunk[] = [];
  for await (const chunk of await client.chat.completions.create({
    ...request,
    stream: true,
    stream_options: { include_usage: true },
  }))
    chunks.push(chunk);
  expect(chunks.map(({ choices, usage }) => [choices[0]?.delta ?? "none", usage])).toEqual([
    [{ role: "assistant", content: "", refusal: null }, null],
    [{ content: "Let me l" }, null],
    [{ content: "ook." }, null],
    [
      {
        tool_calls: [
          {
            index: 0,
            ...whole.choices[0]!.message.tool_calls![0],
            function: { name: "find", arguments: "" },
          },
        ],
      },
      null,
    ],
    [{ tool_calls: [{ index: 0, function: { arguments: '{"to":"R' } }] }, null],
    [{ tool_calls: [{ index: 0, function: { arguments: 'ome"}' } }] }, null],
    [{}, null],
    ["none", whole.usage],
  ]);
  expect(new Set(chunks.map(({ id }) => id))).toEqual(new Set([whole.id]));

  const final = await client.chat.completions.stream(request).finalChatCompletion();
  expect(final.choices[0]!.finish_reason).toBe("tool_calls");
  expect(final.choices[0]!.message).toMatchObject(whole.choices[0]!.message);
  const { text } = await post(model, {
    path: "/chat/completions",
    body: { ...request, stream: true },
  });
  expect(text).toMatch(/^data: \{.*\}\n\n.*data: \[DONE\]\n\n$/s);
  expect(text).not.toContain("usage");
});

test("JSON: the least that fits the schema, and a scripted value as it is", async () => {
  const { client } = await open();
  const schema = {
    type: "object",
    properties: { passed: { type: "boolean" }, reason: { type: "string" } },
    required: ["passed", "reason"],
  };
  const ask = async (
    asked: OpenAI,
    response_format: OpenAI.ChatCompletionCreateParams["response_format"] & {},
  ): Promise<string | null> =>
    (await asked.chat.completions.create({ model: "m", messages: [user("hi")], response_format }))
      .choices[0]!.message.content;
  const wanted = { type: "json_schema", json_schema: { name: "verdict", schema } } as const;
  expect(await ask(client, wanted)).toBe('{"passed":false,"reason":""}');
  expect(await ask(client, { type: "json_object" })).toBe("{}");
  const scripted = await open({ script: { otherwise: { json: { passed: true } } } });
  expect(await ask(scripted.client, wanted)).toBe('{"passed":true}');
});

test("refusals, finish reasons, usage and broken arguments as scripted", async () => {
  const { client } = await open({
    script: {
      conversations: [
        { when: { user: "^no" }, replies: [{ refusal: "I will not." }] },
        {
          when: { user: "^long" },
          replies: [
            {
              content: "cut o",
              finish_reason: "length",
              usage: { input_tokens: 5, output_tokens: 7 },
            },
          ],
        },
        { replies: [{ tool_calls: [{ name: "a", arguments: '{"x":' }, { name: "b" }] }] },
      ],
    },
  });
  const ask = async (text: string): Promise<OpenAI.ChatCompletion> =>
    client.chat.completions.create({ model: "m", messages: [user(text)] });
  expect((await ask("no")).choices[0]!.message).toEqual({
    role: "assistant",
    content: null,
    refusal: "I will not.",
  });
  const long = await ask("long");
  expect([long.choices[0]!.finish_reason, long.usage]).toEqual([
    "length",
    { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
  ]);
  const { tool_calls, content } = (await ask("call")).choices[0]!.message;
  expect(content).toBeNull();
  expect(tool_calls?.map((call) => call.type === "function" && call.function.arguments)).toEqual([
    '{"x":',
    "{}",
  ]);
  const refused = await client.chat.completions
    .stream({ model: "m", messages: [user("no")] })
    .finalChatCompletion();
  expect(refused.choices[0]!.message.refusal).toBe("I will not.");
});
