import type { AgentObject, JsonValue } from "@turnwise/core";
import { expect, test } from "vitest";
import {
  agentOf,
  outcomeOf,
  projectWith,
  replyOf,
  run,
  send,
  serve,
} from "../agent.test.support.js";

/** An agent whose server issues these ids, reply by reply, and the ids that it was asked with. */
async function issuing(
  ids: readonly (JsonValue | undefined)[],
  options: object = {},
): Promise<{ agent: AgentObject; asked: JsonValue[] }> {
  const asked: JsonValue[] = [];
  const server = await serve(({ json }, response) => {
    const id = ids[asked.length];
    asked.push(json?.["session_id"] ?? null);
    send(response, { content: "x", ...(id === undefined ? {} : { session_id: id, talk: { id } }) });
  });
  return { agent: await agentOf("http", { url: server.url, ...options }), asked };
}

const byPath = { reply: { content: "content", session_id: "talk.id" } };

test.each([{}, byPath])(
  "an id is used from the next request on, until another one comes: %j",
  async (options) => {
    const { agent, asked } = await issuing(["one", undefined, "two", "two", undefined], options);
    for (let turn = 1; turn <= 5; turn++)
      expect(await replyOf(agent, { turn })).toEqual({
        content: "x",
        ...("reply" in options || ![1, 3, 4].includes(turn)
          ? {}
          : { talk: { id: turn === 1 ? "one" : "two" } }),
      });
    expect(asked).toEqual(["s1", "one", "one", "two", "two"]);
  },
);

test("a number at the path is an id", async () => {
  const { agent, asked } = await issuing([7, 7], byPath);
  await replyOf(agent);
  await replyOf(agent);
  expect(asked).toEqual(["s1", 7]);
});

test("a number is an id without a path, too", async () => {
  const { agent, asked } = await issuing([7, 7]);
  await replyOf(agent);
  await replyOf(agent);
  expect(asked).toEqual(["s1", 7]);
});

test.each<JsonValue>([null, true, {}, ["a"]])("%j is no id", async (id) => {
  const { agent, asked } = await issuing([id, undefined], byPath);
  await replyOf(agent);
  await replyOf(agent);
  expect(asked).toEqual(["s1", "s1"]);
});

// It would be sent back as "", which asks every server for another conversation.
test("an empty text is no id", async () => {
  const { agent, asked } = await issuing(["", undefined]);
  await replyOf(agent);
  await replyOf(agent);
  expect(asked).toEqual(["s1", "s1"]);
});

test("an id in a stream, and in a placeholder of the address", async () => {
  const server = await serve((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end('data: {"session_id":"a/b"}\n\ndata: {"delta":"x"}\n\n');
  });
  const agent = await agentOf("http", { url: `${server.url}/{{session_id}}` });
  expect([await replyOf(agent), await replyOf(agent)]).toEqual([
    { content: "x" },
    { content: "x" },
  ]);
  expect(server.seen.map(({ url }) => url)).toEqual(["/s1", "/a%2Fb"]);
});

test("the same id for two conversations that are going on is the agent's failure", async () => {
  const { agent, asked } = await issuing(["one", "one", "one", "one"]);
  await replyOf(agent);
  expect(await replyOf(agent, { sessionId: "s2" })).toBe(
    'agent: the agent gave the session id "one" to two conversations at once: they would share one memory',
  );
  await agent.close?.("s2");
  // The one that had it keeps it, until it is over.
  await replyOf(agent);
  await agent.close?.("s1");
  expect(await replyOf(agent, { sessionId: "s3" })).toMatchObject({ content: "x" });
  expect(asked).toEqual(["s1", "s2", "one", "s3"]);
});

test("an id that was given up for another one is free", async () => {
  const { agent } = await issuing(["one", "two", "one", "two"]);
  await replyOf(agent);
  await replyOf(agent);
  expect(await replyOf(agent, { sessionId: "s2" })).toMatchObject({ content: "x" });
  expect(await replyOf(agent, { sessionId: "s2" })).toEqual(
    expect.stringMatching(/^agent: .*"two" to two conversations/),
  );
});

test("an agent may send our own id back, and forget it when a conversation is over", async () => {
  const { agent, asked } = await issuing(["s1", "s2", "s1"]);
  await replyOf(agent);
  await replyOf(agent, { sessionId: "s2" });
  await agent.close?.("s1");
  await agent.close?.("s1");
  await replyOf(agent);
  expect(asked).toEqual(["s1", "s2", "s1"]);
});

// Only ids that were issued are compared, and the other conversation goes by the one that we made.
test("the id that another conversation goes by is taken", async () => {
  const { agent } = await issuing(["s1", "s1"]);
  await replyOf(agent);
  expect(await replyOf(agent, { sessionId: "s2" })).toEqual(
    expect.stringMatching(/^agent: .*to two conversations/),
  );
});

test("cases of a run have ids of their own; the next one may get an id again", async () => {
  const { asked } = { asked: [] as JsonValue[] };
  const server = await serve(({ json }, response) => {
    asked.push(json!["session_id"]!);
    send(response, { content: "x", session_id: "one" });
  });
  const project = await projectWith({ type: "http", url: server.url });
  const turns = [{ input: "a" }, { input: "b" }];
  for (const id of ["c1", "c2"])
    expect(outcomeOf(await run(project, { id, turns }))).toBe("passed");
  expect([asked[1], asked[3]]).toEqual(["one", "one"]);
  expect(new Set([asked[0], asked[2], "one"]).size).toBe(3);
});

/** What `messages` and the other news were in each request of this conversation. */
async function told(history: "all" | "last"): Promise<unknown[]> {
  const replies: JsonValue[] = [
    {
      content: "",
      tool_calls: [{ id: "1", name: "find", args: { q: "x" } }],
      finish_reason: "tool_calls",
    },
    {
      content: "Which?",
      pending: [{ id: "r", kind: "choice", prompt: "Which?", options: ["a", "b"] }],
    },
    "Done.",
    "Bye.",
  ];
  let next = 0;
  const server = await serve((_, response) => send(response, JSON.stringify(replies[next++])));
  const project = await projectWith({ type: "http", url: server.url, history });
  const result = await run(project, {
    turns: [{ input: "find x" }, { answer: { choice: "b" } }, { input: "bye" }],
    mocks: { tools: { find: { returns: ["a", "b"] } } },
  });
  expect(outcomeOf(result)).toBe("passed");
  return server.seen.map(({ json }) => {
    const { messages, input, answer, tool_results, turn } = json!;
    return { turn, messages, input, answer, tool_results };
  });
}

test("history: all and last, with results of tools and answers", async () => {
  const user = { role: "user", content: "find x" };
  const call = { id: "1", name: "find", args: { q: "x" } };
  const result = { role: "tool", content: '["a","b"]', tool_call_id: "1", tool_name: "find" };
  const which = { role: "assistant", content: "Which?" };
  const all = await told("all");
  const last = await told("last");
  const news = [
    { turn: 1, input: "find x" },
    { turn: 1, tool_results: [{ id: "1", name: "find", result: ["a", "b"] }] },
    { turn: 2, answer: { request_id: "r", choice: "b" } },
    { turn: 3, input: "bye" },
  ];
  expect(
    last.map((one, index) => ({ ...(one as object), messages: all.length > index })),
  ).toMatchObject(news);
  expect(last).toMatchObject([
    { messages: [user] },
    { messages: [result] },
    {},
    { messages: [{ role: "user", content: "bye" }] },
  ]);
  expect(all.slice(0, 3)).toMatchObject([
    { messages: [user] },
    { messages: [user, { role: "assistant", content: "", tool_calls: [call] }, result] },
    { messages: [user, { role: "assistant", content: "", tool_calls: [call] }, result, which] },
  ]);
});
