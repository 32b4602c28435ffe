import { describe, expect, test } from "vitest";
import { outcome, replies, said, talk, ways } from "./openai.test-support.js";

const tools = [{ name: "find_room" }, { name: "ask_user" }, { name: "price_of" }];
const callOf = (name: string, args: unknown = {}) => ({ name, arguments: args });
const wants = (...calls: readonly object[]) => ({ tool_calls: calls });

describe.each(ways)("%s", (_, agent) => {
  const chat = agent.api === "chat";

  test("parallel calls in several rounds and turns: every mock form, no call left open", async () => {
    const calls = [callOf("find_room", { beds: 1 }), callOf("price_of", { room: 1 })];
    const { result, bodies, statuses } = await talk(
      { ...agent, tools },
      replies(wants(...calls), wants(...calls), "Room 7, 80.", wants(callOf("price_of")), "90."),
      {
        turns: [{ input: "A room?" }, { input: "And tomorrow?" }],
        mocks: {
          tools: {
            find_room: { error: "no such floor" },
            price_of: { sequence: [70, { price: 80 }, "ninety"], delay: 1 },
          },
        },
      },
    );
    expect(statuses).toEqual([200, 200, 200, 200, 200]);
    expect(
      result.turns.map(({ output, tool_calls: rows = [] }) => ({
        output,
        calls: rows.map(({ name, args, result: value, error }) => [name, args, value ?? error]),
      })),
    ).toEqual([
      {
        output: "Room 7, 80.",
        calls: [
          ["find_room", { beds: 1 }, "no such floor"],
          ["price_of", { room: 1 }, 70],
          ["find_room", { beds: 1 }, "no such floor"],
          ["price_of", { room: 1 }, { price: 80 }],
        ],
      },
      { output: "90.", calls: [["price_of", {}, "ninety"]] },
    ]);
    const results = (said(bodies[4]!) as Record<string, unknown>[]).flatMap((item) =>
      item["role"] === "tool" || item["type"] === "function_call_output"
        ? [item["content"] ?? item["output"]]
        : [],
    );
    expect(results).toEqual([
      '{"error":"no such floor"}',
      "70",
      '{"error":"no such floor"}',
      '{"price":80}',
      "ninety",
    ]);
  });

  test("broken arguments stay text, are flagged, and go back as they were", async () => {
    const broken = '{"beds": 2,';
    const { result, bodies, statuses } = await talk(
      { ...agent, tools },
      replies(wants(callOf("find_room", broken)), "Sorry."),
      { input: "A room", mocks: { tools: { find_room: { returns: 1 } } } },
    );
    expect(statuses).toEqual([200, 200]);
    expect(result.turns[0]!.tool_calls).toEqual([
      {
        id: expect.any(String),
        name: "find_room",
        args: broken,
        args_invalid: true,
        error: "the arguments are not valid JSON",
      },
    ]);
    expect(
      (said(bodies[1]!) as Record<string, never>[])
        .map((item) => item["arguments"] ?? item["tool_calls"]?.[0]?.["function"]?.["arguments"])
        .filter((text) => text !== undefined),
    ).toEqual([broken]);
  });

  test("a call without a mock blames the mocks, and says how to write one", async () => {
    const { result, statuses } = await talk(
      { ...agent, tools },
      replies(wants(callOf("find_room", { beds: 2 }))),
      { input: "A room", mocks: { tools: {} } },
    );
    expect(statuses).toEqual([200]);
    expect(outcome(result)).toBe(
      'error (mock): the tool "find_room" has no mock in this test case, and was called: find_room({"beds":2}); add "mocks": {"tools": {"find_room": {"returns": "..."}}}, or "unmocked": "passthrough" beside "tools"',
    );
  });

  test("calls that nobody ran are closed before the user goes on", async () => {
    const { result, bodies, statuses } = await talk(
      { ...agent, tools },
      replies(wants(callOf("find_room"), callOf("price_of")), "Never mind."),
      { turns: [{ input: "A room" }, { input: "Hello?" }] },
    );
    expect(statuses).toEqual([200, 200]);
    expect(outcome(result)).toBe("passed");
    expect(JSON.stringify(bodies[1]).match(/not executed/g)).toHaveLength(2);
  });

  test.each<[string, object, string]>([
    ["plain input", { input: "two beds" }, "two beds"],
    ["a choice", { answer: { choice: "two" } }, "two"],
    [
      "a payload by the name of the tool",
      { answer: { to: "ask_user", payload: { n: 2 } } },
      '{"n":2}',
    ],
    [
      "yes with a reason",
      { answer: { approve: true, reason: "why not" } },
      '{"approved":true,"reason":"why not"}',
    ],
  ])("a question to the user beside a mocked call, answered by %s", async (_name, turn, text) => {
    const ask = callOf("ask_user", { question: "How many beds?", options: ["one", "two"] });
    const { result, bodies, statuses } = await talk(
      { ...agent, tools },
      replies(wants(ask, callOf("price_of"), callOf("ask_user", { question: "When?" })), "Done."),
      {
        turns: [{ input: "A room" }, turn, { input: "Bye" }],
        mocks: { tools: { price_of: { returns: 80 } } },
      },
    );
    // The last turn has no scripted reply: that is the only refusal there may be.
    expect(statuses).toEqual([200, 200, 400]);
    expect(result.error).toContain("has no reply left");
    expect(result.turns[0]).toMatchObject({
      awaiting_reason: "tool_requires_confirmation",
      input_hint: "How many beds?",
      pending: [
        { kind: "tool", prompt: "How many beds?", options: ["one", "two"], tool_name: "ask_user" },
        { kind: "tool", prompt: "When?", tool_name: "ask_user" },
      ],
    });
    expect(result.turns[1]!.output).toBe("Done.");
    const results = (said(bodies[1]!) as Record<string, unknown>[]).slice(chat ? 2 : 4);
    // First what is known already, then what the user said, then what nobody will answer any more.
    expect(results.map((item) => item["content"] ?? item["output"])).toEqual([
      "80",
      text,
      '{"error":"not executed"}',
    ]);
  });

  test("an answer with nothing open is the author's mistake, and nothing is sent", async () => {
    const { result, statuses } = await talk(agent, replies("Hello.", "?"), {
      turns: [{ input: "Hi" }, { answer: { approve: true } }],
    });
    expect(statuses).toEqual([200]);
    expect(outcome(result)).toBe(
      'error (author): the turn answers a request, and the agent has none open; say something with "input" instead, or check the turn before',
    );
  });
});

/*
 * What a turn says beside the answer of an open question must reach the model or be refused: a picture that is silently
 * left out makes the agent look blind.
 */
const picture = "data:image/png;base64,AAAA";
const arrives = async (agent: object, turn: object): Promise<boolean> => {
  const ask = callOf("ask_user", { question: "What does it look like?" });
  const { result, bodies } = await talk({ ...agent, tools }, replies(wants(ask), "I see."), {
    turns: [{ input: "It broke." }, turn],
  });
  const arrived = bodies[1] !== undefined && JSON.stringify(bodies[1]).includes(picture);
  return arrived || result.blame === "author";
};
const attachments = [{ type: "image", source: picture }];
const parts = [{ type: "text", text: "Like this" }, ...attachments];
describe.each(ways)("%s: a picture in the answer of a question of the agent", (_, agent) => {
  test.each([
    ["as a part of the input", { input: parts }],
    ["attached to a plain input", { input: "Like this", attachments }],
    ["attached to a typed answer", { answer: { payload: "Like this" }, attachments }],
  ])("%s", async (_name, turn) => {
    expect(await arrives(agent, turn)).toBe(true);
  });
});

describe.each(ways)("%s: a history whose last call nobody answered", (_, agent) => {
  test("does not come to a 400", async () => {
    const { statuses } = await talk({ ...agent, tools }, replies("unused", "Hello."), {
      input: [
        { role: "user", content: "A room" },
        { role: "assistant", content: "", tool_calls: [{ name: "find_room" }] },
        { role: "user", content: "Hello?" },
      ],
    }).catch(() => ({ statuses: [] }));
    expect(statuses).not.toContain(400);
  });
});
