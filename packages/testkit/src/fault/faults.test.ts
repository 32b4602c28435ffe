import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:http";
import OpenAI, {
  APIConnectionError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  RateLimitError,
} from "openai";
import { expect, test } from "vitest";
import type { FakeFault, FakeModel } from "../index.js";
import { open, post, until } from "../fake-model.test.support.js";

const messages = [{ role: "user" as const, content: "hi" }];
const text = "a text that is long enough to be cut in the middle";
const withFaults = (...faults: FakeFault[]) => ({
  script: { otherwise: { content: text, faults } },
});

/** The same question in all four ways; gives the text. */
const ways: Readonly<Record<string, (client: OpenAI) => Promise<string | null>>> = {
  chat: async (client) =>
    (await client.chat.completions.create({ model: "m", messages })).choices[0]!.message.content,
  "chat, streamed": async (client) =>
    (await client.chat.completions.stream({ model: "m", messages }).finalChatCompletion())
      .choices[0]!.message.content,
  responses: async (client) =>
    (await client.responses.create({ model: "m", input: "hi" })).output_text,
  "responses, streamed": async (client) =>
    (await client.responses.stream({ model: "m", input: "hi" }).finalResponse()).output_text,
};
const everyWay = Object.entries(ways);

type ErrorType = new (...given: never[]) => Error;
const errors: [FakeFault, number, ErrorType][] = [
  ["rate_limit", 429, RateLimitError],
  ["server_error", 500, InternalServerError],
  [{ type: "server_error", status: 502 }, 502, InternalServerError],
  ["unauthorized", 401, AuthenticationError],
  ["bad_request", 400, BadRequestError],
  ["not_found", 404, NotFoundError],
  ["overloaded", 503, InternalServerError],
  ["reset", 0, APIConnectionError],
];

test.each(everyWay)("errors and resets, then the reply: %s", async (_, ask) => {
  const { model, client } = await open(withFaults(...errors.map(([fault]) => fault)));
  for (const [, , type] of errors) await expect(ask(client)).rejects.toThrow(type);
  expect(await ask(client)).toBe(text);
  // Served: the same request begins anew.
  await expect(ask(client)).rejects.toThrow(RateLimitError);
  expect(model.requests.map(({ attempt, fault, status }) => [attempt, fault, status])).toEqual([
    ...errors.map(([fault, status], index) => [
      index + 1,
      typeof fault === "string" ? fault : fault.type,
      status,
    ]),
    [errors.length + 1, undefined, 200],
    [1, "rate_limit", 429],
  ]);
});

test.each(everyWay)("cut: some of the answer, then an error: %s", async (_, ask) => {
  const { client, model } = await open(withFaults("cut"));
  await expect(ask(client)).rejects.toThrow(/./);
  expect(await ask(client)).toBe(text);
  expect(model.requests.map(({ fault, status }) => [fault, status])).toEqual([
    ["cut", 200],
    [undefined, 200],
  ]);
});

test("cut: what came before the end can be read", async () => {
  const { client } = await open(withFaults("cut"));
  let came = "";
  const read = async (): Promise<void> => {
    const stream = await client.chat.completions.create({ model: "m", messages, stream: true });
    for await (const { choices } of stream) came += choices[0]?.delta.content ?? "";
  };
  await expect(read()).rejects.toThrow(/./);
  expect(came.length).toBeGreaterThan(0);
  expect(text.startsWith(came)).toBe(true);
  expect(came).not.toBe(text);
});

test.each(everyWay)("slow: late, and right: %s", async (_, ask) => {
  const { client, model } = await open(withFaults({ type: "slow", delay: 1 }));
  expect(await ask(client)).toBe(text);
  expect(model.requests).toMatchObject([{ fault: "slow", status: 200 }]);
});

test.each(everyWay)("huge: a valid reply of that length: %s", async (_, ask) => {
  const bytes = 1_000_001;
  const { client } = await open(withFaults({ type: "huge", bytes }));
  const content = (await ask(client))!;
  expect(content.length).toBe(bytes);
  expect(content.replaceAll("x", "")).toBe("");
});

test("garbage, an empty body, and JSON of another shape", async () => {
  const { model } = await open(withFaults("garbage", "empty", "wrong_shape"));
  const body = { model: "m", input: "hi" };
  const answers: [number, string, string][] = [];
  for (let attempt = 1; attempt <= 3; attempt++) {
    const answer = await post(model, { path: "/v1/responses", body });
    answers.push([answer.status, answer.headers["content-type"] ?? "", answer.text]);
  }
  expect(answers).toEqual([
    [200, "text/html", "<html><body>Please come back later.</body></html>"],
    [200, "application/json", ""],
    [200, "application/json", '{"object":"something_else","result":[]}'],
  ]);
});

test("times: so often, or always; Retry-After as the script says", async () => {
  const { model } = await open(
    withFaults(
      { type: "rate_limit", times: 2, retry_after: 3 },
      { type: "rate_limit", retry_after: null },
      { type: "rate_limit", retry_after: "Wed, 21 Oct 2026 07:28:00 GMT" },
      "rate_limit",
      { type: "overloaded", retry_after: 9 },
      { type: "overloaded", times: "always" },
    ),
  );
  const headers: (string | undefined)[] = [];
  for (let attempt = 1; attempt <= 9; attempt++) {
    const answer = await post(model, { path: "/responses", body: { model: "m", input: "hi" } });
    headers.push(`${answer.status} ${answer.headers["retry-after"]}`);
  }
  expect(headers).toEqual([
    "429 3",
    "429 3",
    "429 undefined",
    "429 Wed, 21 Oct 2026 07:28:00 GMT",
    "429 0",
    "503 9",
    "503 undefined",
    "503 undefined",
    "503 undefined",
  ]);
  // Another request has attempts of its own.
  await post(model, { path: "/responses", body: { model: "m", input: "other" } });
  expect(model.requests.at(-1)).toMatchObject({ attempt: 1, status: 429 });
});

test("attempts are told apart by a key of one's own", async () => {
  const { model } = await open({
    ...withFaults("rate_limit"),
    attemptKey: ({ headers, body }) => `${headers["x-session"]} ${JSON.stringify(body)}`,
  });
  const client = new OpenAI({ baseURL: model.baseURL, apiKey: "any", maxRetries: 0 });
  const statuses: [string, number][] = [];
  for (const session of ["a", "b", "a", "b", "a"]) {
    const headers = { "X-Session": session };
    await client.responses.create({ model: "m", input: "hi" }, { headers }).catch(() => {});
    const { status, attempt } = model.requests.at(-1)!;
    statuses.push([`${session} ${attempt}`, status]);
  }
  expect(statuses).toEqual([
    ["a 1", 429],
    ["b 1", 429],
    ["a 2", 200],
    ["b 2", 200],
    ["a 1", 429],
  ]);
});

test("a client that tries again gets through", async () => {
  const { model } = await open(withFaults({ type: "rate_limit", times: 2 }));
  const client = new OpenAI({ baseURL: model.baseURL, apiKey: "any", maxRetries: 2 });
  expect(await ways["chat"]!(client)).toBe(text);
  expect(model.requests.map(({ attempt, status }) => [attempt, status])).toEqual([
    [1, 429],
    [2, 429],
    [3, 200],
  ]);
});

/** Asks, and hangs up when the model has got the request; if it is to answer at once, after the first bytes. */
async function hangUp(model: FakeModel, stream: boolean): Promise<void> {
  // Not fetch: it opens a new connection for the one that it dropped.
  const asked = request(`${model.baseURL}/chat/completions`, { method: "POST", agent: false });
  asked.on("error", () => {});
  asked.end(JSON.stringify({ model: "m", messages, stream }));
  await until(() => model.requests.length > 0);
  if (model.requests[0]!.fault === "huge") {
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    response.on("error", () => {});
    await once(response, "data");
    response.pause();
  }
  asked.destroy();
}

test.each<[FakeFault, boolean]>([
  ["hang", false],
  [{ type: "slow", delay: 3_600_000 }, false],
  [{ type: "huge", bytes: 50_000_000 }, false],
  [{ type: "huge", bytes: 5_000_000 }, true],
])("a client that hangs up ends the work: %j", async (fault, stream) => {
  const { client, model } = await open(withFaults(fault));
  await hangUp(model, stream);
  await until(() => model.connections === 0);
  // The reply was not served: the next attempt is the second.
  expect(await ways["chat"]!(client)).toBe(text);
  expect(model.requests.map(({ attempt }) => attempt)).toEqual([1, 2]);
});

test("close ends what hangs and what is slow", async () => {
  const { model, client } = await open(
    withFaults("hang", { type: "slow", delay: 3_600_000 }, "hang"),
  );
  const asked = Promise.allSettled(["a", "b", "c"].map(() => ways["chat"]!(client)));
  await until(() => model.requests.length === 3);
  await model.close();
  for (const one of await asked)
    expect(one).toMatchObject({ reason: expect.any(APIConnectionError) as Error });
  expect(model.connections).toBe(0);
  expect(model.requests.map(({ fault, status }) => [fault, status])).toEqual([
    ["hang", 0],
    ["slow", 200],
    ["hang", 0],
  ]);
});
