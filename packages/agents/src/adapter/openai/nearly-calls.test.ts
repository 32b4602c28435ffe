import { expect, test } from "vitest";
import {
  ask,
  callsOf,
  chunk,
  completion,
  events,
  json,
  outcome,
  sse,
} from "../../connector/odd-server.test.support.js";

/*
 * Tool calls of servers that speak Chat Completions nearly as OpenAI does.
 */

const streamed = { stream: true };
const piece = (call: object): object => chunk({ tool_calls: [call] });
const open = (more: object, name = "find", args: unknown = ""): object =>
  piece({ id: "k1", type: "function", function: { name, arguments: args }, ...more });
const args = (text: string, more: object = {}): object =>
  piece({ function: { arguments: text }, ...more });
const end = chunk({}, "tool_calls");
const found = ["find", { a: 1 }];

test.each<[string, string, unknown[]]>([
  [
    "in pieces",
    sse(open({ index: 0 }), args('{"a"', { index: 0 }), args(":1}", { index: 0 }), end),
    [found],
  ],
  ["whole, without an index", sse(open({}, "find", '{"a":1}'), end), [found]],
  [
    "two in one piece, without an index",
    sse(
      chunk({
        tool_calls: [
          { id: "k1", function: { name: "find", arguments: '{"a":1}' } },
          { id: "k2", function: { name: "hold", arguments: "{}" } },
        ],
      }),
      end,
    ),
    [found, ["hold", {}]],
  ],
  ["counted from 1", sse(open({ index: 1 }, "find", '{"a":1}'), end), [found]],
  [
    "interleaved",
    sse(
      open({ index: 0 }),
      open({ index: 1, id: "k2" }, "hold"),
      args('{"b":2}', { index: 1 }),
      args('{"a":1}', { index: 0 }),
      end,
    ),
    [found, ["hold", { b: 2 }]],
  ],
  ["finished with stop", sse(open({ index: 0 }, "find", '{"a":1}'), chunk({}, "stop")), [found]],
  [
    "arguments left out",
    sse(piece({ index: 0, id: "k1", function: { name: "find" } }), end),
    [["find", {}]],
  ],
  [
    "id and name empty later",
    sse(
      open({ index: 0 }),
      piece({ index: 0, id: "", function: { name: "", arguments: '{"a":1}' } }),
      end,
    ),
    [found],
  ],
  ["id null later", sse(open({ index: 0 }), args('{"a":1}', { index: 0, id: null }), end), [found]],
])("calls, streamed: %s", async (_, text, calls) => {
  const { result } = await ask(streamed, events(text));
  expect(outcome(result)).toBe("passed");
  expect(callsOf(result)).toEqual(calls);
});

// BUGS: quirks that servers are known for; the assembled call is wrong or refused as a fault of the agent.
test.each<[string, string, unknown[]]>([
  // A piece without index and id belongs to the newest call; now it is a call without a name.
  ["in pieces, without an index", sse(open({}), args('{"a":1}'), end), [found]],
  // OpenAI's own accumulator sets the name; here it is put together to "findfind".
  [
    "the name in every piece",
    sse(open({ index: 0 }), open({ index: 0 }, "find", '{"a":1}'), end),
    [found],
  ],
  // Gemini numbers every call 0: another id is another call.
  [
    "index 0 for all calls",
    sse(open({ index: 0 }, "find", '{"a":1}'), open({ index: 0, id: "k2" }, "hold", "{}"), end),
    [found, ["hold", {}]],
  ],
  // Older Ollama: now the arguments are dropped, and the tool runs on {}.
  ["arguments as an object", sse(open({ index: 0 }, "find", { a: 1 }), end), [found]],
])("calls, streamed: %s", async (_, text, calls) => {
  const { result } = await ask(streamed, events(text));
  expect(callsOf(result)).toEqual(calls);
});

test("calls in one piece: arguments as an object, no id, no type", async () => {
  const call = { function: { name: "find", arguments: { a: 1 } } };
  const { result, requests } = await ask(
    {},
    json(completion({ content: "", tool_calls: [call] }), completion({ content: "Done." })),
    { input: "Find", mocks: { tools: { find: { returns: 1 } } } },
  );
  expect(callsOf(result)).toEqual([found]);
  expect(requests[1]!.body["messages"]).toEqual([
    { role: "user", content: "Find" },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "call-1-1", type: "function", function: { name: "find", arguments: '{"a":1}' } },
      ],
    },
    { role: "tool", tool_call_id: "call-1-1", content: "1" },
  ]);
});
