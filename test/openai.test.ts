import { describe, expect, test } from "vitest";
import { outcome, replies, talk, ways } from "./openai.test-support.js";

const tools = [
  { name: "find_room", description: "Looks for a room.", parameters: { type: "object" } },
  { name: "ask_user" },
  { name: "price_of" },
];

describe.each(ways)("%s", (_, agent) => {
  const chat = agent.api === "chat";

  test("system prompt, history, parameters and tools are sent as the API has them", async () => {
    const { result, bodies } = await talk(
      {
        ...agent,
        system: "Be brief.",
        tools,
        parameters: { temperature: 0.5, metadata: { team: "blue" } },
        response_format: { type: "json_object" },
      },
      replies("unused", "unused", '{"rooms":2}'),
      {
        input: [
          { role: "system", content: "The hotel is full of cats." },
          { role: "user", content: "Any rooms?" },
          {
            role: "assistant",
            content: "",
            tool_calls: [{ id: "k1", name: "find_room", args: { beds: 2 } }],
          },
          { role: "tool", tool_call_id: "k1", content: "2 rooms" },
          { role: "assistant", content: "Two." },
          { role: "user", content: "As JSON, please." },
        ],
      },
    );
    expect(outcome(result)).toBe("passed");
    const functions = [
      { name: "find_room", description: "Looks for a room.", parameters: { type: "object" } },
      { name: "ask_user" },
      { name: "price_of" },
    ];
    const common = { model: "m-1", temperature: 0.5, metadata: { team: "blue" } };
    expect(bodies).toEqual([
      chat
        ? {
            ...common,
            messages: [
              { role: "system", content: "Be brief." },
              { role: "system", content: "The hotel is full of cats." },
              { role: "user", content: "Any rooms?" },
              {
                role: "assistant",
                content: null,
                tool_calls: [
                  {
                    id: "k1",
                    type: "function",
                    function: { name: "find_room", arguments: '{"beds":2}' },
                  },
                ],
              },
              { role: "tool", tool_call_id: "k1", content: "2 rooms" },
              { role: "assistant", content: "Two." },
              { role: "user", content: "As JSON, please." },
            ],
            tools: functions.map((one) => ({ type: "function", function: one })),
            response_format: { type: "json_object" },
            ...("stream" in agent ? { stream: true, stream_options: { include_usage: true } } : {}),
          }
        : {
            ...common,
            instructions: "Be brief.",
            input: [
              { role: "system", content: "The hotel is full of cats." },
              { role: "user", content: "Any rooms?" },
              {
                type: "function_call",
                call_id: "k1",
                name: "find_room",
                arguments: '{"beds":2}',
              },
              { type: "function_call_output", call_id: "k1", output: "2 rooms" },
              { role: "assistant", content: "Two." },
              { role: "user", content: "As JSON, please." },
            ],
            tools: functions.map((one) => ({ type: "function", strict: false, ...one })),
            text: { format: { type: "json_object" } },
            ...("stream" in agent ? { stream: true } : {}),
          },
    ]);
  });

  test("a JSON schema stands where the API has it", async () => {
    const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    const { result, bodies } = await talk(
      {
        ...agent,
        response_format: {
          type: "json_schema",
          json_schema: { name: "count", strict: true, schema },
        },
      },
      undefined,
      { input: "How many?" },
    );
    // Without a script the fake answers with the least value that fits: it has understood the schema.
    expect(result.turns[0]!.output).toBe('{"n":0}');
    expect(bodies[0]![chat ? "response_format" : "text"]).toEqual(
      chat
        ? { type: "json_schema", json_schema: { name: "count", strict: true, schema } }
        : { format: { type: "json_schema", name: "count", strict: true, schema } },
    );
  });

  test("usage is summed over the rounds of a turn and over the turns", async () => {
    const usage = (input: number, output: number) => ({
      usage: { input_tokens: input, output_tokens: output },
    });
    const { result, statuses } = await talk(
      { ...agent, tools },
      replies(
        { tool_calls: [{ name: "find_room" }], ...usage(10, 1) },
        { content: "Room 5.", ...usage(20, 2) },
        { content: "Bye.", ...usage(40, 4) },
      ),
      {
        turns: [{ input: "A room" }, { input: "Thanks" }],
        mocks: { tools: { find_room: { returns: 5 } } },
      },
    );
    expect(statuses).toEqual([200, 200, 200]);
    expect(result.usage).toEqual({
      target: { input_tokens: 70, output_tokens: 7, total_tokens: 77, calls: 3 },
    });
  });

  test.each(["length", "content_filter"])("cut off by %s: truncated", async (reason) => {
    const { result } = await talk(agent, replies({ content: "Is it", finish_reason: reason }), {
      input: "Tell me",
    });
    expect(result.turns[0]).toMatchObject({
      output: "Is it",
      awaiting_input: false,
      awaiting_reason: "truncated",
      evidence: reason,
    });
  });

  test.each<[string, object, string]>([
    ["a refusal", { refusal: "I cannot do that." }, "I cannot do that."],
    ["no text", { content: "" }, ""],
    ["no text and a filter", { content: "", finish_reason: "content_filter" }, ""],
  ])("%s is a reply, and the talk goes on", async (_name, reply, output) => {
    const { result, statuses } = await talk(agent, replies(reply, "Fine."), {
      turns: [{ input: "One" }, { input: "Two" }],
    });
    expect(statuses).toEqual([200, 200]);
    expect(result.turns.map((turn) => turn.output)).toEqual([output, "Fine."]);
  });
});
