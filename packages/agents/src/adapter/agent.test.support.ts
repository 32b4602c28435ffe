import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import type {
  IncomingHttpHeaders,
  IncomingMessage,
  RequestListener,
  ServerResponse,
} from "node:http";
import { createServer } from "node:http";
import type { AddressInfo, Server as NetServer, Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type {
  AgentObject,
  AgentReply,
  AgentRequest,
  CaseResult,
  JsonValue,
  Project,
  RunCaseOptions,
} from "@turnwise/core";
import {
  InvalidProjectError,
  TurnwiseError,
  errorMessage,
  formatProblem,
  loadProject,
  runCase,
} from "@turnwise/core";
import { onTestFinished } from "vitest";
import agents from "../index.js";

/** A folder that is gone after the test. */
export function temporaryFolder(files: Readonly<Record<string, string>> = {}): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "turnwise-agents-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** A project whose only agent, `a`, has these options. The text of the config can be given as well. */
export function projectWith(
  agent: object | string,
  files: Readonly<Record<string, string>> = {},
): Promise<Project> {
  const config = typeof agent === "string" ? agent : JSON.stringify({ agents: { a: agent } });
  const root = temporaryFolder({ "turnwise.config.json": config, ...files });
  return loadProject({ root, plugins: [agents], env: process.env });
}

/** What is wrong with the options of an agent, as the loading of a project tells it. */
export async function problemsOf(agent: object): Promise<string[]> {
  try {
    await projectWith(agent);
    return [];
  } catch (error) {
    if (!InvalidProjectError.isInstance(error)) throw error;
    return error.problems.map((problem) =>
      formatProblem(problem)
        .replace(/^.*config\.json:?\d*/, "")
        .trim(),
    );
  }
}

/** Runs one case against the agent `a`. */
export function run(
  project: Project,
  testCase: Readonly<Record<string, unknown>> = {},
  options: RunCaseOptions = {},
): Promise<CaseResult> {
  const input = "turns" in testCase ? {} : { input: "hi" };
  return runCase({ id: "c", ...input, ...testCase }, { agent: "a", project, ...options });
}

/** What there is to say of a result in one line. */
export function outcomeOf({ status, blame, error }: CaseResult): string {
  return `${status}${blame === undefined ? "" : ` (${blame})`}${error === undefined ? "" : `: ${error}`}`;
}

/** The agent by itself, without a run around it. Released after the test. */
export async function agentOf(
  type: "http" | "command",
  options: object,
  projectRoot = tmpdir(),
): Promise<AgentObject> {
  const adapter = (agents.adapters ?? []).find((one) => one.type === type);
  if (adapter === undefined) throw new Error(`there is no adapter ${type}`);
  const agent = await adapter.create(adapter.schema.parse(options) as object, {
    id: "a",
    projectRoot,
    connectors: {},
    env: process.env,
    fetch,
    mask: (value) => value,
  });
  if (typeof agent === "function") throw new Error("expected an object");
  onTestFinished(async () => {
    await agent.release?.();
  });
  return agent;
}

/** A request as the runner makes one. */
export function requestOf(changes: Partial<AgentRequest> = {}): AgentRequest {
  return {
    sessionId: "s1",
    testId: "t1",
    turn: 1,
    input: "hi",
    messages: [{ role: "user", content: "hi" }],
    attachments: [],
    options: { metadata: {} },
    referer: "agent-test",
    signal: new AbortController().signal,
    resolveTool: () => Promise.reject(new Error("no mocks")),
    ...changes,
  };
}

/** What the agent replies, or what it throws as `blame: message`. */
export async function replyOf(
  agent: AgentObject,
  changes: Partial<AgentRequest> = {},
): Promise<string | AgentReply> {
  try {
    return await agent.respond(requestOf(changes));
  } catch (error) {
    const blame = TurnwiseError.isInstance(error) ? error.blame : "no blame";
    return `${blame}: ${errorMessage(error)}`;
  }
}

/** A request as the server got it. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The body as JSON, or undefined. */
  readonly json: { readonly [key: string]: JsonValue } | undefined;
  /** The connection it came over. */
  readonly socket: Socket;
}

export interface TestServer {
  readonly url: string;
  readonly seen: readonly Seen[];
  /** Connections so far. */
  readonly sockets: readonly Socket[];
}

/** A server on a free port, closed after the test. The listener is called when the request is complete. */
export async function serve(
  answer: (seen: Seen, response: ServerResponse, incoming: IncomingMessage) => unknown,
): Promise<TestServer> {
  const seen: Seen[] = [];
  const listener: RequestListener = (incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("error", () => undefined);
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      const one: Seen = {
        method: incoming.method ?? "",
        url: incoming.url ?? "",
        headers: incoming.headers,
        body,
        json: body === "" ? undefined : (JSON.parse(body) as { [key: string]: JsonValue }),
        socket: incoming.socket,
      };
      seen.push(one);
      answer(one, response, incoming);
    });
  };
  const server = createServer(listener);
  const { sockets, port } = await listen(server);
  return { url: `http://127.0.0.1:${port}`, seen, sockets };
}

/** Starts a server, also one without HTTP, and ends it after the test. */
export async function listen(
  server: NetServer,
): Promise<{ readonly port: number; readonly sockets: readonly Socket[] }> {
  const sockets: Socket[] = [];
  server.on("connection", (socket: Socket) => {
    socket.on("error", () => undefined);
    sockets.push(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  );
  return { sockets, port: (server.address() as AddressInfo).port };
}

/** Answers with a value as JSON, or with text or bytes as they are. */
export function send(
  response: ServerResponse,
  body: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): void {
  const raw = typeof body === "string" || Buffer.isBuffer(body);
  response.writeHead(status, raw ? headers : { "content-type": "application/json", ...headers });
  response.end(raw ? body : JSON.stringify(body));
}
