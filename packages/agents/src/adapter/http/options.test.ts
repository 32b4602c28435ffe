import { expect, test } from "vitest";
import { problemsOf } from "../agent.test.support.js";

const url = "http://127.0.0.1:1/chat";
const known =
  "session_id, test_id, turn, input, text, messages, attachments, options, answer, tool_results";

test.each([
  { type: "http", url: "https://user@host.invalid:8443/a?b=c#d" },
  { type: "http", url: "http://{{session_id}}.host.invalid/{{ turn }}?q={{text}}" },
  { type: "http", url, method: "GET" },
  { type: "http", url, body: "{{text}}", reply: { content: "$" } },
  { type: "http", url, body: [["{{ options.metadata.tier }}", "{not one}", "{{input}}"]] },
  {
    type: "http",
    url,
    reply: {
      content: "$.a.b[0].c[*].d",
      data: "ünï-code_1.*",
      tool_calls: "a['b c'].d",
      tool_call: { id: "x" },
      awaiting_input: { path: "a", equals: ["b", null] },
    },
  },
  { type: "command", command: ["program"], env: { A: "" }, cwd: "..", history: "last" },
])("is valid: %j", async (agent) => {
  expect(await problemsOf(agent)).toEqual([]);
});

test.each([
  [
    { url, body: { a: ["{{inptu}}"] } },
    `agents.a.body: there is no placeholder {{inptu}}; did you mean {{input}}? (there are ${known})`,
  ],
  [
    { url: `${url}/{{session.id}}` },
    `agents.a.url: there is no placeholder {{session.id}} (there are ${known})`,
  ],
  [
    { url, headers: { "x-id": "{{}}" } },
    `agents.a.headers: there is no placeholder {{}} (there are ${known})`,
  ],
  [
    { url, method: "GET", body: {} },
    "agents.a.body: a GET request has no body; put placeholders into the url",
  ],
  [{ url, reply: {} }, "agents.a.reply: expected at least one path"],
  [
    { url, body: { id: "{{session_id}}" } },
    "agents.a.body: what the user says has no place in it; put in {{input}}, {{text}} or {{messages}}",
  ],
])("is a problem: %j", async (options, problem) => {
  expect(await problemsOf({ type: "http", ...options })).toEqual([problem]);
});

test.each([
  "host.invalid/chat",
  "/chat",
  "ftp://host.invalid",
  "file:///etc/hosts",
  "http://",
  "http://host.invalid:99999/",
  "http://ho st/",
  "{{input}}",
  "",
])("is no address: %j", async (address) => {
  expect(await problemsOf({ type: "http", url: address })).toEqual([
    "agents.a.url: expected an address with http:// or https://",
  ]);
});

test.each([
  "",
  " ",
  "a..b",
  ".a",
  "a.",
  "a[",
  "a[-1]",
  "a[1:2]",
  "a[?(@.b)]",
  "a[(@.length-1)]",
  "$..a",
  "a.b^",
  "a.~",
  "a,b",
  'a["b"]',
  "a b",
  "1a",
  "a['b]",
])("is no path: %j", async (path) => {
  const expected = "expected a path such as output.text, messages[*].content or choices[0].message";
  expect(
    await problemsOf({ type: "http", url, reply: { content: path, tool_call: { args: path } } }),
  ).toEqual([`agents.a.reply.content: ${expected}; agents.a.reply.tool_call.args: ${expected}`]);
});

test.each([
  { type: "http" },
  { type: "http", url, methd: "GET" },
  { type: "http", url, method: "DELETE" },
  { type: "http", url, reply: { contnt: "a" } },
  { type: "http", url, headers: { a: 1 } },
  { type: "http", url, headers: ["a"] },
  { type: "http", url, stream: "yes" },
  { type: "http", url, history: "none" },
  { type: "http", url, limits: { concurrency: 0 } },
  { type: "http", url, limits: { requestsPerMinute: 0.5 } },
  { type: "http", url, limits: { maxRetries: -1 } },
  { type: "http", url, retry_unsafe: "true" },
  { type: "command" },
  { type: "command", command: "node agent.js" },
  { type: "command", command: [] },
  { type: "command", command: [""] },
  { type: "command", command: ["a"], cwd: "" },
  { type: "command", command: ["a"], env: { A: 1 } },
  { type: "command", command: ["a"], shell: true },
])("is refused with its place: %j", async (agent) => {
  const [problem, ...more] = await problemsOf(agent);
  expect(problem).toMatch(/^agents\.a: |^agents\.a\./);
  expect(more).toEqual([]);
});

// Node refuses these only when the request is made, so the author would hear of it as a failure of the agent.
test.each([{ "bad name": "x" }, { "": "x" }, { "x-id": "a\nb" }, { "x-id": "日本" }])(
  "a header that cannot be sent is a problem at load: %j",
  async (headers) => {
    expect(await problemsOf({ type: "http", url, headers })).toHaveLength(1);
  },
);
