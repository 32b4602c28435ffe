import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { runCase } from "@turnwise/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { fakeModel, outcome, projectOf, replies } from "./openai.test-support.js";
import { runCli, temporaryProject } from "./support/cli.js";

/*
 * Which key goes where, and that none of them is ever written down.
 */

const without = (connector: object | undefined, options: object = {}) => ({
  ...(connector && { connectors: { main: connector }, defaults: { connector: "main" } }),
  agents: { bot: { type: "openai", ...options } },
});

test.each<[string, object, object, string]>([
  [
    "key of the connector",
    { apiKey: "${MY_KEY}" },
    { MY_KEY: "k-of-connector" },
    "Bearer k-of-connector",
  ],
  ["no key", {}, {}, "Bearer none"],
  ["header of its own", { headers: { Authorization: "Basic abcdefgh" } }, {}, "Basic abcdefgh"],
])("sent to a connector with its own baseURL: %s", async (_, connector, env, sent) => {
  const model = await fakeModel();
  const config = without({ baseURL: model.baseURL, model: "m", ...connector });
  const keys = { OPENAI_API_KEY: "k-environment", OPENAI_BASE_URL: "http://127.0.0.1:1/v1" };
  for (const [name, value] of Object.entries({
    ...keys,
    OPENAI_ORG_ID: "org-secret",
    OPENAI_PROJECT_ID: "proj-secret",
  }))
    vi.stubEnv(name, value);
  const project = await projectOf(config, {}, { ...keys, ...env });
  expect(outcome(await runCase({ id: "c", input: "Hi" }, { project }))).toBe("passed");
  const { headers } = model.requests[0]!;
  expect(headers["authorization"]).toBe(sent);
  expect(JSON.stringify(headers)).not.toMatch(/k-environment|org-secret|proj-secret/);
});

test("OPENAI_CUSTOM_HEADERS goes to no connector with its own baseURL", async () => {
  const model = await fakeModel();
  vi.stubEnv("OPENAI_CUSTOM_HEADERS", "X-Gateway-Key: k-environment");
  const project = await projectOf(without({ baseURL: model.baseURL, model: "m" }));
  await runCase({ id: "c", input: "Hi" }, { project });
  expect(model.requests[0]!.headers).not.toHaveProperty("x-gateway-key");
});

test("without a connector, key and address come from the environment or .env", async () => {
  const model = await fakeModel();
  const files = {
    "turnwise.config.json": JSON.stringify(without(undefined, { model: "m" })),
    "c.jsonl": '{"id": "c", "input": "Hi"}\n',
    ".env": `OPENAI_BASE_URL=${model.baseURL}\nOPENAI_API_KEY=k-of-file\n`,
  };
  const project = temporaryProject(files);
  expect(await project.run("test", "-i", "c.jsonl")).toMatchObject({ code: 0 });
  const env = { OPENAI_API_KEY: "k-of-process" };
  await runCli(["test", "-i", "c.jsonl"], { cwd: project.root, env });
  expect(model.requests.map(({ headers }) => headers["authorization"])).toEqual([
    "Bearer k-of-file",
    "Bearer k-of-process",
  ]);
});

test("keys and headers are masked in everything that is written, when the model repeats them", async () => {
  const secrets = ["k-connector-1", "t0ken-in-header", "k-environment-1"] as const;
  const leak = `key ${secrets[0]}, header Bearer ${secrets[1]}, variable ${secrets[2]}`;
  const model = await fakeModel(
    replies(
      { content: leak, tool_calls: [{ name: "tell", arguments: { [secrets[0]]: leak } }] },
      leak,
      { content: leak, faults: ["bad_request"] },
    ),
  );
  const project = temporaryProject({
    "turnwise.config.json": JSON.stringify({
      connectors: {
        main: {
          baseURL: model.baseURL,
          model: "m",
          apiKey: "${MY_VARIABLE}",
          headers: { "X-Auth-Token": `Bearer ${secrets[1]}` },
        },
      },
      agents: { bot: { type: "openai", connector: "main" } },
    }),
    ".env": `MY_VARIABLE=${secrets[0]}\nOTHER_API_KEY=${secrets[2]}\n`,
    "c.yaml": `- id: c
  turns: [{ input: Hi, assertions: { type: contains, value: nowhere } }, { input: Ho }]
  mocks: { tools: { tell: { returns: "${leak}" } } }
`,
  });
  const args = ["test", "-i", "c.yaml", "-n", "bot"];
  const runs = [
    await project.run(...args),
    await project.run(...args, "--json"),
    await project.run(...args, "-o", "report.jsonl"),
  ];
  expect(model.requests[0]!.headers).toMatchObject({
    authorization: `Bearer ${secrets[0]}`,
    "x-auth-token": `Bearer ${secrets[1]}`,
  });
  const written =
    runs.map(({ stdout, stderr }) => stdout + stderr).join("") + project.read("report.jsonl");
  expect(runs.map(({ code }) => code)).toEqual([1, 1, 1]);
  expect(written).toContain("key ***");
  for (const secret of secrets) expect(written).not.toContain(secret);
});

test("a key that a server repeats at length is masked as a whole", async () => {
  const key = "k-secret-of-mine-0123456789";
  const results = await Promise.all(
    [270, 275, 280, 285, 290].map(async (length) => {
      const server = await answering(
        400,
        JSON.stringify({ error: { message: "x".repeat(length) + key } }),
      );
      const project = await projectOf(without({ baseURL: server, model: "m", apiKey: key }));
      return (await runCase({ id: "c", input: "Hi" }, { project })).error;
    }),
  );
  for (const error of results) expect(error).not.toContain("k-secret");
});

test("a key with a line break in it is not shown", async () => {
  const model = await fakeModel();
  const key = "k-secret-of-mine\nsecond-line";
  const project = await projectOf(without({ baseURL: model.baseURL, model: "m", apiKey: key }));
  const result = await runCase({ id: "c", input: "Hi" }, { project });
  expect(result.status).toBe("error");
  expect(result.error).not.toContain("k-secret-of-mine");
});

test("a password in a baseURL is in no message", async () => {
  const model = await fakeModel(() => ({ content: "", faults: ["bad_request"] }));
  const baseURL = model.baseURL.replace("http://", "http://user:pa55word-1@");
  const project = await projectOf(without({ baseURL, model: "m" }));
  const result = await runCase({ id: "c", input: "Hi" }, { project });
  expect(result.status).toBe("error");
  expect(result.error).not.toContain("pa55word-1");
});

test("a stream that is not JSON prints nothing but the report", async () => {
  const server = await answering(200, "data: {broken k-secret-of-mine\n\n", "text/event-stream");
  const project = temporaryProject({
    "turnwise.config.json": JSON.stringify(
      without({ baseURL: server, model: "m", apiKey: "k-secret-of-mine" }, { stream: true }),
    ),
    "c.jsonl": '{"id": "c", "input": "Hi"}\n',
  });
  const { stdout, stderr } = await project.run("test", "-i", "c.jsonl");
  expect(stdout + stderr).not.toContain("k-secret-of-mine");
});

/** A server that answers every request with this. */
async function answering(status: number, text: string, type = "application/json"): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(status, { "content-type": type });
    response.end(text);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}
