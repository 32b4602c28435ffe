import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import OpenAI, { AuthenticationError } from "openai";
import { expect, test } from "vitest";
import { startFakeModel } from "../index.js";
import { open, post, until } from "../fake-model.test.support.js";

test("a hundred conversations at once do not mix", async () => {
  const names = Array.from({ length: 100 }, (_, index) => `talk ${index}`);
  const { client, model } = await open({
    script: {
      conversations: names.map((name) => ({
        id: name,
        when: { user: `^${name}$` },
        replies: [`${name}: one`, `${name}: two`, `${name}: three`],
      })),
    },
  });
  const chat = async (name: string): Promise<string[]> => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: name }];
    const said: string[] = [];
    for (let turn = 1; turn <= 3; turn++) {
      const stream = client.chat.completions.stream({ model: "m", messages });
      const { content } = (await stream.finalChatCompletion()).choices[0]!.message;
      said.push(content ?? "");
      messages.push({ role: "assistant", content }, { role: "user", content: "go on" });
    }
    return said;
  };
  const responses = async (name: string): Promise<string[]> => {
    const said: string[] = [];
    let previous: string | null = null;
    for (let turn = 1; turn <= 3; turn++) {
      const response: OpenAI.Responses.Response = await client.responses.create({
        model: "m",
        input: turn === 1 ? name : "go on",
        previous_response_id: previous,
      });
      said.push(response.output_text);
      previous = response.id;
    }
    return said;
  };
  const talks = await Promise.all(names.flatMap((name) => [chat(name), responses(name)]));
  const wanted = (name: string) => [`${name}: one`, `${name}: two`, `${name}: three`];
  expect(talks).toEqual(names.flatMap((name) => [wanted(name), wanted(name)]));
  expect(model.requests.length).toBe(600);
  expect(model.requests.every(({ attempt, status }) => attempt === 1 && status === 200)).toBe(true);
});

test.each([
  ["/v1/chat/completions", { model: "m", messages: [{ role: "user", content: "hi" }] }],
  ["/v1/responses", { model: "m", input: "hi" }],
])("the same request gets the same bytes, from every server: %s", async (path, body) => {
  const [one, two] = [await open(), await open({ chunkSize: 8 })];
  for (const stream of [false, true]) {
    const asked = { path, body: { ...body, stream } };
    const first = await post(one.model, asked);
    expect(await post(one.model, asked)).toEqual(first);
    expect(await post(two.model, asked)).toEqual(first);
    expect(first.headers["date"]).toBeUndefined();
  }
});

test("an API key is asked for, and the health is open", async () => {
  const { model, client } = await open({ apiKey: "right" });
  const ask = (asked: OpenAI) => asked.responses.create({ model: "m", input: "hi" });
  await expect(ask(client)).rejects.toThrow(AuthenticationError);
  await expect(client.models.list()).rejects.toThrow(
    "401 the API key is not the one that this server was started with",
  );
  const other = new OpenAI({ baseURL: model.baseURL, apiKey: "right", maxRetries: 0 });
  expect((await ask(other)).output_text).toBe("You said: hi");
  expect((await other.models.list()).data).toMatchObject([{ id: "fake-model" }]);
  expect(await (await fetch(`${model.url}/health`)).json()).toEqual({ status: "ok" });
  expect(model.requests.map(({ status }) => status)).toEqual([401, 200]);
});

test("anything else is not there", async () => {
  const { model } = await open();
  const { status, text } = await post(model, { path: "/v1/embeddings?x=1", body: {} });
  expect([status, JSON.parse(text)]).toEqual([
    404,
    {
      error: {
        message: "there is no POST /v1/embeddings",
        type: "invalid_request_error",
        param: null,
        code: "not_found",
      },
    },
  ]);
  expect((await fetch(`${model.baseURL}/responses`)).status).toBe(404);
  expect(model.requests).toEqual([]);
});

test("bodies that are too long, no text, or nested without end", async () => {
  const { model } = await open();
  const { status, text } = await post(model, {
    path: "/v1/responses",
    body: `"${"x".repeat(64 * 1024 * 1024)}"`,
  });
  expect([status, text]).toEqual([413, expect.stringContaining("expected at most 67108864")]);
  const bytes = await fetch(`${model.baseURL}/responses`, {
    method: "POST",
    body: new Uint8Array([0x22, 0xff, 0x22]),
  });
  expect(await bytes.text()).toContain("not UTF-8");
  const deep = `{"model":"m","input":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  expect((await post(model, { path: "/responses", body: deep })).text).toContain("200 levels");
});

test("close leaves no socket, may be called again, and frees the port", async () => {
  const before = sockets();
  const model = await startFakeModel({ script: { otherwise: { content: "", faults: ["hang"] } } });
  const port = Number(new URL(model.url).port);
  const idle = connect(port, "127.0.0.1");
  const hanging = connect(port, "127.0.0.1");
  const body = '{"model":"m","input":"hi"}';
  hanging.write(
    `POST /responses HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  await until(() => model.requests.length === 1 && model.connections === 2);
  const closed = [once(idle, "close"), once(hanging, "close")];
  await Promise.all([model.close(), model.close(), ...closed]);
  await model.close();
  expect(model.connections).toBe(0);
  await until(() => sockets() <= before);
  const again = await startFakeModel({ port });
  expect(again.url).toBe(model.url);
  await again.close();
});

test("right after close no connection is open", async () => {
  const model = await startFakeModel();
  const port = Number(new URL(model.url).port);
  const clients = Array.from({ length: 5 }, () => connect(port, "127.0.0.1"));
  await until(() => model.connections === clients.length);
  await model.close();
  expect(model.connections).toBe(0);
  for (const client of clients) client.destroy();
});

test("a client that went away while the reply was made got no answer", async () => {
  let finish = (reply: string): void => void reply;
  const made = new Promise<string>((resolve) => {
    finish = resolve;
  });
  const { client, model } = await open({ script: () => made });
  // Not fetch: it opens a new connection for the one that it dropped.
  const asked = request(`${model.baseURL}/responses`, { method: "POST", agent: false });
  asked.on("error", () => {});
  asked.end('{"model":"m","input":"hi"}');
  await until(() => model.requests.length === 1);
  asked.destroy();
  await until(() => model.connections === 0);
  finish("Hello.");
  await client.responses.create({ model: "m", input: "hello" });
  expect(model.requests.map(({ status }) => status)).toEqual([0, 200]);
});

/** Sockets and servers of this process that keep it alive. */
function sockets(): number {
  return process.getActiveResourcesInfo().filter((type) => type.startsWith("TCP")).length;
}

test("a port in use and options that make no sense, in words", async () => {
  const { model } = await open();
  const port = Number(new URL(model.url).port);
  await expect(startFakeModel({ port })).rejects.toThrow(
    `port ${port} of 127.0.0.1 is in use; choose another one, or 0 for a free one`,
  );
  await expect(startFakeModel({ port: 70_000 })).rejects.toThrow("port is 70000: expected");
  await expect(startFakeModel({ chunkSize: 0 })).rejects.toThrow("chunkSize is 0: expected");
  await expect(startFakeModel({ host: "no.such.host.invalid" })).rejects.toThrow(
    "the fake model cannot listen on no.such.host.invalid:0",
  );
});
