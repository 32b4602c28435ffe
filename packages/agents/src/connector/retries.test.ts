import { runCase } from "@turnwise/core";
import { describe, expect, test } from "vitest";
import { ask, completion, json, oddServer, outcome, projectOf } from "./odd-server.test.support.js";

const fine = json(completion({ content: "Hello." }));
/** Fails so often with this status, then answers. */
const failing =
  (times: number, status: number, headers: Record<string, string> = {}): typeof fine =>
  (got, response, number) =>
    number < times ? response.writeHead(status, headers).end() : fine(got, response, 0);

test("maxRetries says how often: two times unless told otherwise", async () => {
  // All at once, since the waits between the tries add up.
  const outcomes = await Promise.all(
    [0, 1, undefined, 5].map(async (maxRetries) => {
      const limits = maxRetries === undefined ? {} : { maxRetries };
      const { result, requests } = await ask({}, failing(9, 503), { input: "Hi" }, { limits });
      return [requests.length, outcome(result)];
    }),
  );
  const answered =
    'error (infrastructure): the connector "main" (http://HOST/v1) answered 503 status code (no body)';
  expect(outcomes).toEqual([
    [1, answered],
    [2, `${answered} (2 requests)`],
    [3, `${answered} (3 requests)`],
    [6, `${answered} (6 requests)`],
  ]);
});

test("what is tried again, with the same body", async () => {
  const statuses = [408, 429, 500, 502, 503, 504, 529];
  const tried = await Promise.all(
    statuses.map(async (status) => {
      const limits = { maxRetries: 1 };
      const { result, requests } = await ask({}, failing(1, status), { input: "Hi" }, { limits });
      expect(requests[1]?.body).toEqual(requests[0]!.body);
      return [status, requests.length, outcome(result)];
    }),
  );
  expect(tried).toEqual(statuses.map((status) => [status, 2, "passed"]));
});

test.each<[number, string]>([
  [301, "author"],
  [400, "author"],
  [401, "infrastructure"],
  [403, "infrastructure"],
  [404, "author"],
  [422, "author"],
])("%d is not tried again, and blames %s", async (status, blame) => {
  const limits = { maxRetries: 5 };
  const { result, requests } = await ask({}, failing(9, status), { input: "Hi" }, { limits });
  expect(requests).toHaveLength(1);
  expect(result).toMatchObject({ status: "error", blame });
});

test.each<[string, string]>([
  ["3600", "1h"],
  ["61", "1m1s"],
])("Retry-After: %s gives up at once, and says so", async (after, shown) => {
  const { result, requests } = await ask(
    {},
    failing(1, 429, { "retry-after": after }),
    { input: "Hi" },
    { limits: { maxRetries: 5 } },
  );
  expect(requests).toHaveLength(1);
  expect(outcome(result)).toBe(
    `error (infrastructure): the connector "main" (http://HOST/v1) answered 429 status code (no body) (it asks to wait ${shown})`,
  );
});

test("tool results are sent again, and the tool is not called twice", async () => {
  const calls = {
    tool_calls: [{ id: "k", type: "function", function: { name: "find", arguments: "{}" } }],
  };
  const { result, requests } = await ask(
    {},
    (got, response, number) =>
      number === 1
        ? response.writeHead(500).end()
        : json(completion(number === 0 ? calls : { content: "Done." }))(got, response, 0),
    { input: "Find", mocks: { tools: { find: { sequence: ["first", "second"] } } } },
    { limits: { maxRetries: 1 } },
  );
  expect(outcome(result)).toBe("passed");
  expect(requests).toHaveLength(3);
  expect(result.turns[0]!.tool_calls).toMatchObject([{ name: "find", result: "first" }]);
  expect(requests[2]!.body).toEqual(requests[1]!.body);
});

describe("when time runs out", () => {
  test("while waiting for the next try, the server is blamed", async () => {
    const { result, requests } = await ask(
      {},
      failing(9, 503, { "retry-after": "60" }),
      { input: "Hi", turn_timeout: 300 },
      { limits: { maxRetries: 5 } },
    );
    expect(requests).toHaveLength(1);
    expect(outcome(result)).toBe(
      'error (infrastructure): the connector "main" (http://HOST/v1) answered 503 status code (no body) (1 request; time ran out while waiting for the next try)',
    );
  });

  test.each([{}, { concurrency: 1 }])(
    "while a second request is under way, it is the agent that was too slow: %j",
    async (more) => {
      const { result, requests } = await ask(
        {},
        (_, response, number) => number === 0 && response.writeHead(503).end(),
        { input: "Hi", turn_timeout: 2_000 },
        { limits: { maxRetries: 1, ...more } },
      );
      expect(requests).toHaveLength(2);
      expect(outcome(result)).toBe("failed (agent): timeout after 2s");
    },
  );
});

test("cancelled while waiting for the next try: ends at once, and nothing more is sent", async () => {
  const cancel = new AbortController();
  const { baseURL, requests } = await oddServer((_, response) => {
    response.writeHead(503, { "retry-after": "60" });
    response.end(() => cancel.abort());
  });
  const project = await projectOf({
    connectors: { main: { baseURL, model: "m" } },
    agents: { bot: { type: "openai", connector: "main" } },
  });
  const result = await runCase({ id: "c", input: "Hi" }, { project, signal: cancel.signal });
  expect(result).toMatchObject({ status: "skipped", skip_reason: "cancelled" });
  expect(requests).toHaveLength(1);
}, 30_000);

test("cancelled while the model thinks: the request is given up, and not sent again", async () => {
  const cancel = new AbortController();
  let closed = (): void => undefined;
  const gone = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const { baseURL, requests } = await oddServer((_, response) => {
    response.on("close", closed);
    cancel.abort();
  });
  const project = await projectOf({
    connectors: { main: { baseURL, model: "m" } },
    agents: { bot: { type: "openai", connector: "main" } },
  });
  const result = await runCase({ id: "c", input: "Hi" }, { project, signal: cancel.signal });
  expect(result).toMatchObject({ status: "skipped", skip_reason: "cancelled" });
  await gone;
  expect(requests).toHaveLength(1);
});
