import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CaseResult, Project } from "@turnwise/core";
import { loadProject, runCase } from "@turnwise/core";
import { onTestFinished } from "vitest";
import agents from "../index.js";

/** A request as the server got it. */
export interface Got {
  readonly headers: IncomingMessage["headers"];
  readonly body: Readonly<Record<string, unknown>>;
}

/** What a server does with its request number so-and-so, from 0. */
export type Handler = (got: Got, response: ServerResponse, number: number) => unknown;

/** A server that does what it is told, and is closed with the test. */
export async function oddServer(handle: Handler): Promise<{ baseURL: string; requests: Got[] }> {
  const requests: Got[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (bytes: Buffer) => chunks.push(bytes));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      const got = { headers: request.headers, body: JSON.parse(text) as Got["body"] };
      requests.push(got);
      void handle(got, response, requests.length - 1);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return { baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests };
}

/** Answers each request with the next of these JSON values; the last one again and again. */
export function json(...values: readonly unknown[]): Handler {
  return (_, response, number) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(values[Math.min(number, values.length - 1)]));
  };
}

/** Answers with a stream of server-sent events, as text. */
export function events(...texts: readonly string[]): Handler {
  return (_, response, number) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(texts[Math.min(number, texts.length - 1)]);
  };
}

/** Values as events, with the end mark of chat completions. */
export function sse(...values: readonly unknown[]): string {
  return `${values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join("")}data: [DONE]\n\n`;
}

/** A chat completion with this message. */
export function completion(message: object, more: object = {}): object {
  return { id: "x", object: "chat.completion", choices: [{ index: 0, message, ...more }] };
}

/** A piece of a streamed chat completion. */
export function chunk(delta: object, finish: string | null = null): object {
  return { id: "x", choices: [{ index: 0, delta, finish_reason: finish }] };
}

/** A project of this config in an empty folder, which disappears with the test. */
export async function projectOf(
  config: object,
  env: Readonly<Record<string, string>> = {},
): Promise<Project> {
  const root = mkdtempSync(join(tmpdir(), "turnwise-odd-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  writeFileSync(join(root, "turnwise.config.json"), JSON.stringify(config));
  return loadProject({ root, plugins: [agents], env });
}

/** Runs a case with an `openai` agent of these options against a server. */
export async function ask(
  agent: object,
  handle: Handler,
  testCase: object = { input: "Hi" },
  { limits = { maxRetries: 0 } }: { limits?: object } = {},
): Promise<{ result: CaseResult; requests: Got[] }> {
  const { baseURL, requests } = await oddServer(handle);
  const project = await projectOf({
    connectors: { main: { baseURL, model: "m", limits } },
    defaults: { connector: "main" },
    agents: { bot: { type: "openai", ...agent } },
  });
  const result = await runCase({ id: "c", ...testCase }, { project, agent: "bot" });
  return {
    result: {
      ...result,
      ...(result.error === undefined
        ? {}
        : { error: result.error.replaceAll(baseURL, "http://HOST/v1") }),
    },
    requests,
  };
}

/** What went right or wrong, and where: for comparing at once. */
export function outcome({ status, blame, error }: CaseResult): string {
  return `${status}${blame === undefined ? "" : ` (${blame})`}${error === undefined ? "" : `: ${error}`}`;
}

/** Calls of the first turn as name and arguments. */
export function callsOf(result: CaseResult): unknown[] {
  return (result.turns[0]!.tool_calls ?? []).map(({ name, args }) => [name, args]);
}
