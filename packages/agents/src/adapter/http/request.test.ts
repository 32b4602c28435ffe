import { expect, test } from "vitest";
import {
  agentOf,
  outcomeOf,
  projectWith,
  replyOf,
  requestOf,
  run,
  send,
  serve,
} from "../agent.test.support.js";

const ok = () => serve((_, response) => send(response, "ok", { headers: plain }));
const plain = { "content-type": "text/plain" };

test.each([
  ["a/b", "/c/a%2Fb/d?q=a%2Fb"],
  ["../../etc", "/c/..%2F..%2Fetc/d?q=..%2F..%2Fetc"],
  ["?x=1#y", "/c/%3Fx%3D1%23y/d?q=%3Fx%3D1%23y"],
  ["a b+c&d%20\n", "/c/a%20b%2Bc%26d%2520%0A/d?q=a%20b%2Bc%26d%2520%0A"],
  ["日本🦜", "/c/%E6%97%A5%E6%9C%AC%F0%9F%A6%9C/d?q=%E6%97%A5%E6%9C%AC%F0%9F%A6%9C"],
  ["$& {{turn}}", "/c/%24%26%20%7B%7Bturn%7D%7D/d?q=%24%26%20%7B%7Bturn%7D%7D"],
])("a value in the address is a value: %j", async (input, path) => {
  const server = await ok();
  const agent = await agentOf("http", { url: `${server.url}/c/{{text}}/d?q={{ input }}` });
  expect(await replyOf(agent, { input })).toBe("ok");
  expect(server.seen.map(({ url }) => url)).toEqual([path]);
});

// `..` survives encodeURIComponent, and URL takes it out together with the segment before it (also as %2e%2e).
test.each([".", ".."])("a value cannot leave its folder: %j", async (input) => {
  const server = await ok();
  const agent = await agentOf("http", { url: `${server.url}/chats/{{text}}/reply` });
  await replyOf(agent, { input });
  expect(server.seen.map(({ url }) => url)).not.toContain("/reply");
  expect(server.seen.map(({ url }) => url)).not.toContain("/chats/reply");
});

test("values that are no text stand in the address as JSON, absent ones as nothing", async () => {
  const server = await ok();
  const options = { metadata: { n: 1, list: ["a"] } };
  const agent = await agentOf("http", {
    method: "GET",
    url: `${server.url}/{{turn}}?l={{options.metadata.list}}&n={{options.metadata.n}}&a={{answer}}`,
  });
  expect(await replyOf(agent, { options })).toBe("ok");
  const [seen] = server.seen;
  expect([seen?.method, seen?.url, seen?.body]).toEqual(["GET", "/1?l=%5B%22a%22%5D&n=1&a=", ""]);
  expect(seen?.headers).not.toHaveProperty("content-type");
});

test.each<[string, object, object, string]>([
  [
    "an answer to a request",
    { answer: { requestId: "r", approve: true }, input: undefined },
    {},
    "answer",
  ],
  [
    "results of tools",
    { toolResults: [{ id: "c", name: "find", result: 1 }], input: undefined },
    {},
    "tool_results",
  ],
  ["attachments", { attachments: [{ type: "image", source: "data:," }] }, {}, "attachments"],
  [
    "an image or a file in its input",
    { input: [{ type: "image", source: "data:," }] },
    { say: "{{text}}" },
    "input",
  ],
])("a body without a place for %s is the author's mistake", async (what, request, body, name) => {
  const server = await ok();
  const agent = await agentOf("http", { url: server.url, body: { say: "{{input}}", ...body } });
  expect(await replyOf(agent, request)).toBe(
    `author: the body of the agent "a" has no {{${name}}}, and the turn has ${what}`,
  );
  expect(server.seen).toEqual([]);
});

test("a placeholder in the path of an address needs a value", async () => {
  const server = await ok();
  const agent = await agentOf("http", {
    url: `${server.url}/{{options.metadata.room}}?a={{answer}}`,
  });
  expect(await replyOf(agent)).toMatch(
    /^author: {{options.metadata.room}} of the url .* has no value/,
  );
});

test.each(["POST", "PUT", "PATCH"])("%s: the default wire as its body", async (method) => {
  const server = await ok();
  const agent = await agentOf("http", { url: `${server.url}/x`, method });
  expect(await replyOf(agent)).toBe("ok");
  const [{ headers, json, ...seen } = undefined!] = server.seen;
  expect({ method: seen.method, json }).toEqual({
    method,
    json: {
      session_id: "s1",
      test_id: "t1",
      turn: 1,
      input: "hi",
      messages: [{ role: "user", content: "hi" }],
      attachments: [],
      options: { metadata: {} },
    },
  });
  expect(headers).toEqual({
    "content-type": "application/json",
    accept: "application/json, text/event-stream, application/x-ndjson",
    "user-agent": "turnwise",
    referer: "agent-test",
    host: new URL(server.url).host,
    connection: "keep-alive",
    "content-length": String(Buffer.byteLength(seen.body)),
  });
});

test("headers win over ours whatever their case, and take values", async () => {
  const server = await ok();
  const headers = {
    "Content-Type": "application/vnd.test+json",
    "USER-AGENT": "mine",
    Host: "elsewhere.invalid",
    "X-Session": "{{session_id}}/{{turn}}",
    "X-Absent": "{{answer}}",
  };
  const agent = await agentOf("http", { url: server.url, headers });
  expect(await replyOf(agent)).toBe("ok");
  expect(server.seen[0]?.headers).toMatchObject({
    "content-type": "application/vnd.test+json",
    "user-agent": "mine",
    host: "elsewhere.invalid",
    "x-session": "s1/1",
    "x-absent": "",
  });
});

// Node throws a bare TypeError, which counts as a failure of the agent: the author put the value there.
test.each(["a\r\nx-injected: 1", "a\nb", "日本", "\u0000"])(
  "a header value that cannot be sent is the author's, with the header named: %j",
  async (input) => {
    const server = await ok();
    const agent = await agentOf("http", { url: server.url, headers: { "x-say": "{{text}}" } });
    const reply = await replyOf(agent, { input });
    expect(server.seen).toEqual([]);
    expect(reply).toMatch(/^author: .*x-say/);
  },
);

test.each(["a\r\nx-injected: 1", "a\nb"])(
  "a header value with a line break never reaches the server: %j",
  async (input) => {
    const server = await ok();
    const agent = await agentOf("http", { url: server.url, headers: { "x-say": "{{text}}" } });
    await expect(agent.respond(requestOf({ input }))).rejects.toThrow("x-say");
    expect(server.seen).toEqual([]);
  },
);

test("half an emoji in a body is sent as JSON has it", async () => {
  const server = await ok();
  const agent = await agentOf("http", { url: server.url, body: { t: "{{text}}" } });
  await replyOf(agent, { input: "\ud83e" });
  expect(server.seen[0]?.body).toBe('{"t":"\\ud83e"}');
});

test("credentials in headers are masked wherever the agent repeats them", async () => {
  const headers = {
    Authorization: "Bearer abcdefgh-1",
    cookie: "sid=abcdefgh-2",
    "X-Api-Key": "abcdefgh-3",
    "x-plain": "abcdefgh-4",
  };
  const server = await serve(({ headers: got }, response) =>
    send(response, {
      content: `${got["authorization"]} ${got["cookie"]} ${got["x-api-key"]} ${got["x-plain"]}`,
      tool_calls: [{ name: "t", args: { token: "abcdefgh-1" } }],
    }),
  );
  const project = await projectWith({ type: "http", url: server.url, headers });
  const result = await run(project);
  expect(result.turns[0]).toMatchObject({
    output: "*** *** *** abcdefgh-4",
    tool_calls: [{ name: "t", args: { token: "***" } }],
  });
  expect(JSON.stringify(result)).not.toMatch(/abcdefgh-[123]/);
});

test("credentials are masked in what is told of an error", async () => {
  const server = await serve(({ headers }, response) =>
    send(response, `who is ${headers["authorization"]}?`, { status: 500 }),
  );
  const headers = { authorization: "Bearer abcdefgh-1" };
  const project = await projectWith({ type: "http", url: `${server.url}/x`, headers });
  expect(outcomeOf(await run(project))).toBe(
    `failed (agent): agent error: POST ${server.url}/x answered 500 Internal Server Error: who is ***?`,
  );
});

test("a password in the address is not shown", async () => {
  const server = await serve((_, response) => send(response, "no", { status: 500 }));
  const url = server.url.replace("//", "//me:pass-word-1@");
  const project = await projectWith({ type: "http", url });
  const result = await run(project);
  expect(server.seen[0]?.headers.authorization).toBe(
    `Basic ${Buffer.from("me:pass-word-1").toString("base64")}`,
  );
  expect(JSON.stringify(result)).not.toContain("pass-word-1");
});
