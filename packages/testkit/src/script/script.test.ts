import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AuthorError } from "@turnwise/core";
import type OpenAI from "openai";
import { expect, onTestFinished, test } from "vitest";
import type { FakeReplyRequest, FakeScript } from "../index.js";
import { loadFakeScript, parseFakeScript, startFakeModel } from "../index.js";
import { open } from "../fake-model.test.support.js";

type Messages = OpenAI.ChatCompletionMessageParam[];

async function write(name: string, text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "fake-model-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

async function replies(script: FakeScript): Promise<(...said: Messages) => Promise<string | null>> {
  const { client } = await open({ script });
  return async (...messages) =>
    (await client.chat.completions.create({ model: "small", messages })).choices[0]!.message
      .content;
}
const user = (content: string): Messages[number] => ({ role: "user", content });
const assistant = (content: string): Messages[number] => ({ role: "assistant", content });
const result = (name: string, content: string): Messages => [
  {
    role: "assistant",
    tool_calls: [{ id: "1", type: "function", function: { name, arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: "1", content },
];

test("a YAML file says what the model says", async () => {
  const file = await write(
    "talk.yaml",
    `
conversations:
  - id: booking
    when: { user: "(?i)^book" }
    replies:
      - Where to?
      - json: { status: yes, count: 0o10 }
otherwise: I do not know.
`,
  );
  const ask = await replies(await loadFakeScript(file));
  expect(await ask(user("Book it"))).toBe("Where to?");
  // YAML 1.2: yes is text.
  expect(await ask(user("Book it"), assistant("x"), user("y"))).toBe('{"status":"yes","count":8}');
  expect(await ask(user("Book it"), assistant("x"), assistant("y"), user("z"))).toBe(
    "I do not know.",
  );
  expect(await ask(user("Hello"))).toBe("I do not know.");
});

test("JSON files, with tabs", async () => {
  const file = await write("talk.json", '{\n\t"otherwise": {\n\t\t"content": "hi"\n\t}\n}\n');
  expect(await loadFakeScript(file)).toEqual({ otherwise: { content: "hi" } });
});

test("conversations are chosen by their first message, the system messages and the model", async () => {
  const ask = await replies({
    conversations: [
      { when: { model: "^large" }, replies: ["large"] },
      { when: { system: "formal", user: "hello" }, replies: ["Good day."] },
      { when: { user: "hello" }, replies: ["Hey.", "Still here."] },
    ],
    otherwise: "?",
  });
  expect(await ask(user("hello"))).toBe("Hey.");
  expect(await ask({ role: "system", content: "Be formal." }, user("hello"))).toBe("Good day.");
  expect(await ask({ role: "developer", content: "Be formal." }, user("hello"))).toBe("Good day.");
  expect(await ask(user("bye"), assistant("x"), user("hello"))).toBe("?");
  expect(await ask(user("hello"), assistant("x"), user("bye"))).toBe("Still here.");
  expect(await ask(assistant("x"))).toBe("?");
});

test("answers go by the last message, whatever the step", async () => {
  const ask = await replies({
    conversations: [
      {
        answers: [
          { when: { tool: "find", result: "none" }, reply: "Nothing." },
          { when: { tool: "find" }, reply: "Found." },
          { when: { user: "again", tool: "find" }, reply: "Again." },
          { when: { user: "rome" }, reply: "Rome it is." },
          { when: { result: "boom" }, reply: "It broke." },
        ],
        replies: ["Where to?"],
      },
    ],
    otherwise: "?",
  });
  expect(await ask(user("hi"))).toBe("Where to?");
  expect(await ask(user("hi"), assistant("x"), user("rome"))).toBe("Rome it is.");
  expect(await ask(user("hi"), ...result("find", "2 flights"))).toBe("Found.");
  expect(await ask(user("hi"), ...result("find", "none"))).toBe("Nothing.");
  expect(await ask(user("hi"), ...result("other", "boom"))).toBe("It broke.");
  expect(await ask(user("hi"), ...result("other", "ok"))).toBe("?");
  expect(await ask(user("hi"), ...result("find", "ok"), assistant("x"), user("again"))).toBe(
    "Again.",
  );
  expect(await ask(user("again"))).toBe("Where to?");
});

test("without a reply the error says where the talk stands", async () => {
  const ask = await replies({ conversations: [{ when: { user: "x" }, replies: [] }] });
  await expect(ask(user("hi"))).rejects.toMatchObject({
    status: 400,
    code: "no_scripted_reply",
    message:
      '400 no conversation of the script matches, and the script has no "otherwise" (step 0, last message: user: "hi")',
  });
  await expect(ask(user("x"), ...result("f", "y"))).rejects.toThrow(
    '400 the conversation conversations[0] has no reply left, and the script has no "otherwise" (step 1, last message: tool: "y")',
  );
});

test("a function replies; what it breaks is said", async () => {
  const asked: FakeReplyRequest[] = [];
  const { client } = await open({
    async script(request) {
      asked.push(request);
      const last = request.messages.at(-1)!.text;
      if (last === "throw") throw new Error("out of order");
      if (last === "wrong") return { contents: "x" } as never;
      return { content: `${request.step}: ${last}`, faults: ["server_error"] };
    },
  });
  const ask = (content: string) =>
    client.chat.completions.create({ model: "m", messages: [user(content)] });
  await expect(ask("hi")).rejects.toThrow("500");
  expect((await ask("hi")).choices[0]!.message.content).toBe("0: hi");
  expect(asked.map(({ api, model, step, attempt }) => [api, model, step, attempt])).toEqual([
    ["chat", "m", 0, 1],
    ["chat", "m", 0, 2],
  ]);
  expect(asked[0]).toMatchObject({
    messages: [{ role: "user", text: "hi" }],
    body: { model: "m", messages: [user("hi")] },
  });
  await expect(ask("throw")).rejects.toThrow("400 the reply function threw: out of order");
  await expect(ask("wrong")).rejects.toThrow(
    '400 the reply function gave no valid reply: there is no field "contents"; did you mean "content"?',
  );
});

test("every mistake of a script is named with its place", async () => {
  const problems = problemsOf({
    conversations: [
      { whn: { user: "b" }, replies: ["a"] },
      {
        when: { user: 3 },
        answers: [{ when: {}, reply: "a" }],
        replies: [
          5,
          { content: "a", json: {} },
          { tool_calls: [{ nam: "x" }] },
          { json: Number.NaN },
          {
            faults: [
              { type: "slow", delay: "x" },
              { type: "nope" },
              { type: "cut", times: 0 },
              { type: "hang", delay: 3 },
              { type: "rate_limit", retry_after: "a\nb" },
              { type: "server_error", status: 404 },
            ],
          },
        ],
      },
      { id: "" },
    ],
    otherwize: "x",
  });
  expect(problems).toMatchInlineSnapshot(`
    "the script is not valid
    conversations[0]: there is no field "whn"; did you mean "when"?
    conversations[1].when.user: expected text, got 3
    conversations[1].answers[0].when: expected user, tool or result, got none of them
    conversations[1].replies[0]: expected text or an object, got 5
    conversations[1].replies[1]: expected content or json, got both
    conversations[1].replies[2].tool_calls[0].name: expected text, got nothing
    conversations[1].replies[2].tool_calls[0]: there is no field "nam"; did you mean "name"?
    conversations[1].replies[3].json: expected JSON, got NaN
    conversations[1].replies[4].faults[0].delay: expected a number, got "x"
    conversations[1].replies[4].faults[1].type: expected one of "rate_limit", "server_error", "unauthorized", "bad_request", "not_found", "overloaded", "reset", "cut", "slow", "hang", "garbage", "empty", "wrong_shape", "huge", got "nope"
    conversations[1].replies[4].faults[2].times: expected at least 1, got 0
    conversations[1].replies[4].faults[3]: there is no field "delay"
    conversations[1].replies[4].faults[4].retry_after: expected plain text, got "a\\nb"
    conversations[1].replies[4].faults[5].status: expected at least 500, got 404
    conversations[2].id: expected text that is not empty, got ""
    conversations[2]: expected answers or replies, got none of them
    there is no field "otherwize"; did you mean "otherwise"?"
  `);
  const names =
    "rate_limit server_error unauthorized bad_request not_found overloaded reset cut slow hang garbage empty wrong_shape huge";
  const list = names
    .split(" ")
    .map((name) => `"${name}"`)
    .join(", ");
  expect(problemsOf({ otherwise: { faults: ["rate_limt"] } })).toBe(
    `the script is not valid\notherwise.faults[0]: expected one of ${list} or an object, got "rate_limt"`,
  );
  expect(problemsOf(null)).toBe("the script is not valid\nexpected an object, got null");
});

function problemsOf(script: unknown): string {
  try {
    parseFakeScript(script);
  } catch (error) {
    if (AuthorError.isInstance(error)) return error.message;
    throw error;
  }
  return "none";
}

test.each<[string, string, string]>([
  ["talk.yaml", "conversations:\n  - replies: [a\n", "talk.yaml:3:1: "],
  ["talk.yml", "otherwise: a\notherwise: b\n", "talk.yml:2:1: "],
  ["talk.json", '{"otherwise": 5}', "talk.json: otherwise: expected text or an object, got 5"],
  ["empty.yaml", "# nothing\n", "empty.yaml: expected an object, got null"],
  [
    "talk.yaml",
    'conversations: [{ when: { user: "(" }, replies: [] }]',
    "talk.yaml: conversations[0].when.user: invalid pattern /(/",
  ],
  ["talk.txt", "", "talk.txt: expected a .yaml, .yml or .json file"],
])("%s: errors name the file: %j", async (name, text, message) => {
  const file = await write(name, text);
  const error: unknown = await loadFakeScript(file).catch((thrown: unknown) => thrown);
  expect(AuthorError.isInstance(error)).toBe(true);
  expect((error as Error).message).toContain(message);
});

test("a file that is not there, and a pattern that does not compile", async () => {
  await expect(loadFakeScript("no/such.yaml")).rejects.toThrow(
    "no/such.yaml: there is no such file",
  );
  const script = {
    conversations: [{ answers: [{ when: { result: "(?<=a)b" }, reply: "x" }] }],
  };
  await expect(startFakeModel({ script })).rejects.toThrow(
    "conversations[0].answers[0].when.result: invalid pattern /(?<=a)b/",
  );
  await expect(startFakeModel({ script: { other: 1 } as never })).rejects.toThrow(
    'there is no field "other"',
  );
});
