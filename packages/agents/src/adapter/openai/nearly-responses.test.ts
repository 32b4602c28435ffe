import { runSuite } from "@turnwise/core";
import { expect, test } from "vitest";
import type { Handler } from "../../connector/odd-server.test.support.js";
import {
  ask,
  callsOf,
  events,
  json,
  oddServer,
  outcome,
  projectOf,
} from "../../connector/odd-server.test.support.js";

/*
 * The Responses API as real servers speak it: items that the fake model does not put out, and streams that are nearly as
 * documented.
 */

const whole = { api: "responses" };
const streamed = { ...whole, stream: true };
const message = (text: string) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text, annotations: [] }],
});
const response = (...output: readonly unknown[]) => ({ id: "resp_1", status: "completed", output });
const call = (id: string, name: string, args: unknown = "{}") => ({
  id: `fc_${id}`,
  type: "function_call",
  call_id: id,
  name,
  arguments: args,
});
const approval = (id: string, name: string) => ({
  id,
  type: "mcp_approval_request",
  server_label: "ops",
  name,
  arguments: "{}",
});
/** Events as the API frames them. */
const stream = (...list: readonly { readonly type: string }[]): string =>
  list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
const done = (item: object) => ({ type: "response.output_item.done", output_index: 0, item });
const completed = (given: object) => ({ type: "response.completed", response: given });

test("reasoning, lists of tools and calls of the server go back unchanged and in order", async () => {
  const first = [
    { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "x==", status: null },
    { id: "mcpl_1", type: "mcp_list_tools", server_label: "ops", tools: [] },
    {
      id: "mcp_1",
      type: "mcp_call",
      name: "look",
      arguments: '{"a":1}',
      output: "ok",
      error: null,
    },
    { id: "mcp_2", type: "mcp_call", name: "look", arguments: "{}", error: { code: 5 } },
    { id: "ws_1", type: "web_search_call", status: "completed" },
    call("k1", "find", '{"b": 2}'),
  ];
  const { result, requests } = await ask(
    whole,
    json(response(...first), response(message("Done.")), response(message("Bye."))),
    { turns: [{ input: "Find" }, { input: "Bye" }], mocks: { tools: { find: { returns: "x" } } } },
  );
  expect(outcome(result)).toBe("passed");
  expect(result.turns[0]!.tool_calls).toEqual([
    { id: "mcp_1", name: "look", args: { a: 1 }, result: "ok" },
    { id: "mcp_2", name: "look", args: {}, error: '{"code":5}' },
    { id: "k1", name: "find", args: { b: 2 }, result: "x" },
  ]);
  expect(requests[2]!.body["input"]).toEqual([
    { role: "user", content: "Find" },
    ...first,
    { type: "function_call_output", call_id: "k1", output: "x" },
    message("Done."),
    { role: "user", content: "Bye" },
  ]);
});

test("several approvals are answered one by one, and sent together", async () => {
  const asks = [approval("a1", "stop"), approval("a2", "wipe")];
  const { result, requests } = await ask(
    whole,
    json(response(...asks), response(message("Done."))),
    {
      turns: [
        { input: "Go" },
        { answer: { to: "a2", approve: true, reason: "fine" } },
        { input: "no" },
      ],
    },
  );
  expect(outcome(result)).toBe("passed");
  expect(result.turns.map(({ pending = [] }) => pending.map(({ id }) => id))).toEqual([
    ["a1", "a2"],
    ["a1"],
    [],
  ]);
  expect(requests).toHaveLength(2);
  expect((requests[1]!.body["input"] as unknown[]).slice(3)).toEqual([
    { type: "mcp_approval_response", approval_request_id: "a2", approve: true, reason: "fine" },
    { type: "mcp_approval_response", approval_request_id: "a1", approve: false },
  ]);
});

test("two conversations at once do not share a thread", async () => {
  let bothSpoke = (): void => undefined;
  const arrived = new Promise<void>((resolve) => {
    bothSpoke = resolve;
  });
  const { baseURL, requests } = await oddServer(async (got, answer, number) => {
    // Nobody is answered before both have spoken.
    if (number === 1) bothSpoke();
    await arrived;
    json(response(message(JSON.stringify(got.body["input"]).includes("One") ? "A" : "B")))(
      got,
      answer,
      0,
    );
  });
  const project = await projectOf({
    connectors: { main: { baseURL, model: "m" } },
    agents: { bot: { type: "openai", connector: "main", ...whole } },
  });
  const caseOf = (id: string) => ({ id, turns: [{ input: `${id} a` }, { input: `${id} b` }] });
  await runSuite({ project, cases: [caseOf("One"), caseOf("Two")], limits: { parallel: 2 } });
  const second = requests.slice(2).map(({ body }) => JSON.stringify(body["input"]));
  const thread = (id: string, text: string) =>
    JSON.stringify([
      { role: "user", content: `${id} a` },
      message(text),
      { role: "user", content: `${id} b` },
    ]);
  expect(second.toSorted()).toEqual([thread("One", "A"), thread("Two", "B")].toSorted());
});

test.each<[string, unknown, string]>([
  ["several messages and parts", response(message("Hel"), message("lo.")), "Hello."],
  ["no status, no ids", { output: [{ type: "message", content: [{ text: "Hello." }] }] }, "Hello."],
  ["content null", response({ type: "message", content: null }), ""],
  ["no output at all", response(), ""],
  ["things that are no items", response(null, "x", message("Hello.")), "Hello."],
  [
    "a refusal",
    response({ type: "message", content: [{ type: "refusal", refusal: "No." }] }),
    "No.",
  ],
])("in one piece: %s", async (_, body, output) => {
  const { result } = await ask(whole, json(body));
  expect(outcome(result)).toBe("passed");
  expect(result.turns[0]!.output).toBe(output);
  expect(result).not.toHaveProperty("usage");
});

const item = done(message("Hello."));
test.each<[string, string]>([
  ["an empty output at the end", stream(item, completed(response()))],
  ["nothing but the end", stream(completed(response(message("Hello."))))],
  [
    "comments and CRLF",
    `: ping\n\n${stream(completed(response(message("Hello."))))}`.replaceAll("\n", "\r\n"),
  ],
  ["an end mark of the other API", `${stream(item, completed(response()))}data: [DONE]\n\n`],
  ["data without event names", stream(item, completed(response())).replaceAll(/event: .*\n/g, "")],
  [
    "events of its own",
    `event: ping\ndata: {"type":"ping"}\n\n${stream(item, completed(response()))}`,
  ],
])("streamed: %s", async (_, text) => {
  const { result } = await ask(streamed, events(text));
  expect(outcome(result)).toBe("passed");
  expect(result.turns[0]!.output).toBe("Hello.");
});

test("streamed: no output at the end", async () => {
  const { result } = await ask(streamed, events(stream(item, completed({ status: "completed" }))));
  expect(result.turns[0]!.output).toBe("Hello.");
});

test("streamed: calls that come only as items are called", async () => {
  const { result } = await ask(
    streamed,
    events(stream(done(call("k1", "find", '{"a":1}')), completed(response()))),
  );
  expect(callsOf(result)).toEqual([["find", { a: 1 }]]);
  expect(result.turns[0]).toMatchObject({ awaiting_reason: "tool_pending" });
});

const failed = { status: "failed", output: [], error: { code: "server_error", message: "broke" } };
test.each<[string, object, Handler, string]>([
  ["a failed response", whole, json(failed), "the response failed: broke"],
  [
    "a failed response, no reason",
    whole,
    json({ ...failed, error: null }),
    "the response failed: for no reason given",
  ],
  [
    "a stream that fails",
    streamed,
    events(stream({ type: "response.failed", response: failed } as never)),
    "the response failed: broke",
  ],
  [
    "an error in the stream",
    streamed,
    events(stream({ type: "error", code: "x", message: "broke" } as never)),
    "the stream reports an error: broke",
  ],
  ["nothing", streamed, events(""), "expected a stream of events of a response, got none"],
  [
    "half a stream",
    streamed,
    events(stream(item)),
    "the stream ended in the middle of a reply: no response.completed came",
  ],
  [
    "a chat completion",
    whole,
    json({ choices: [] }),
    'expected a response with an output, got an object with the keys "choices"',
  ],
])("%s is no reply", async (_, agent, handle, error) => {
  const { result } = await ask(agent, handle);
  expect(outcome(result)).toBe(
    `error (infrastructure): the connector "main" (http://HOST/v1): ${error}`,
  );
});

test("a response that failed with server_error is tried again", async () => {
  const { result } = await ask(
    streamed,
    events(
      stream({ type: "response.failed", response: failed } as never),
      stream(completed(response(message("Hello.")))),
    ),
    { input: "Hi" },
    { limits: { maxRetries: 1 } },
  );
  expect(outcome(result)).toBe("passed");
});

// BUG (small): two calls without call_id are both called "undefined", and the second is taken for the first.
test("calls without a call_id get ids of their own", async () => {
  const { call_id: _a, ...one } = call("k1", "find");
  const { result } = await ask(whole, json(response({ ...one, id: "f1" }, { ...one, id: "f2" })));
  expect(new Set(result.turns[0]!.tool_calls!.map(({ id }) => id)).size).toBe(2);
});

test("a request that is sent again holds the conversation once", async () => {
  const { result, requests } = await ask(
    whole,
    (got, answer, number) => {
      if (number === 1) answer.writeHead(503).end();
      else json(response(message(`A${number}`)))(got, answer, 0);
    },
    { turns: [{ input: "One" }, { input: "Two" }] },
    { limits: { maxRetries: 1 } },
  );
  expect(outcome(result)).toBe("passed");
  expect(requests[2]!.body).toEqual(requests[1]!.body);
  expect(requests[2]!.body["input"]).toEqual([
    { role: "user", content: "One" },
    message("A0"),
    { role: "user", content: "Two" },
  ]);
});
