import { createServer as createTlsServer } from "node:https";
import type { Socket } from "node:net";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import {
  agentOf,
  listen,
  outcomeOf,
  projectWith,
  replyOf,
  requestOf,
  run,
  send,
  serve,
} from "../agent.test.support.js";
import { privateKey, selfSigned, withoutChain } from "./certificates.test.support.js";

const turns = [{ input: "a" }, { input: "b" }, { input: "c" }];
const closed = (socket: Socket): Promise<void> =>
  // Not events.once: that rejects on an error, and a reset is one.
  new Promise((resolve) => {
    if (socket.destroyed) resolve();
    else socket.once("close", () => resolve());
  });

test("turns one after the other share a connection, which is closed when the run is over", async () => {
  const server = await serve((_, response) =>
    send(response, "ok", { headers: { "content-type": "text/plain" } }),
  );
  const project = await projectWith({ type: "http", url: server.url });
  expect(outcomeOf(await run(project, { turns }))).toBe("passed");
  expect([server.seen.length, server.sockets.length]).toEqual([3, 1]);
  await closed(server.sockets[0]!);
  // Not the end: more may be asked later.
  expect(outcomeOf(await run(project, { turns }))).toBe("passed");
  expect([server.seen.length, server.sockets.length]).toEqual([6, 2]);
});

test("a failed answer leaves the connection as it is", async () => {
  const server = await serve((_, response) => send(response, "no", { status: 500 }));
  const agent = await agentOf("http", { url: server.url });
  for (let count = 0; count < 3; count++) await replyOf(agent);
  expect([server.seen.length, server.sockets.length]).toEqual([3, 1]);
});

test("a server that closes idle connections does not fail the next turn", async () => {
  const server = await serve(({ socket }, response) => {
    send(response, "ok", { headers: { "content-type": "text/plain" } });
    response.on("finish", () => socket.end());
  });
  const agent = await agentOf("http", { url: server.url });
  for (let count = 0; count < 3; count++) {
    expect(await replyOf(agent)).toBe("ok");
    await closed(server.sockets.at(-1)!);
  }
  expect(server.sockets).toHaveLength(3);
});

// The end of the connection is on its way to us when the next request is written. Whether the agent has read it nobody can
// tell, so it is sent again only by those who do not mind that.
test.each<[string, (socket: Socket) => unknown]>([
  ["closed", (socket) => socket.destroy()],
  ["reset", (socket) => socket.resetAndDestroy()],
])("a kept connection that is %s as the next request is sent", async (_, end) => {
  const server = await serve((_seen, response) =>
    send(response, "ok", { headers: { "content-type": "text/plain" } }),
  );
  const agent = await agentOf("http", { url: server.url });
  expect(await replyOf(agent)).toBe("ok");
  end(server.sockets[0]!);
  // Which of the two comes first is up to Node: it may have noticed the end, and have made another connection.
  const reply = await replyOf(agent);
  expect(reply).toMatch(/^ok$|the connection broke before the reply was complete/);
  expect(server.seen).toHaveLength(reply === "ok" ? 2 : 1);
  const again = await agentOf("http", { url: server.url, retry_unsafe: true });
  expect(await replyOf(again)).toBe("ok");
  end(server.sockets.at(-1)!);
  expect(await replyOf(again)).toBe("ok");
});

test.each(["before the answer", "in the middle of it"])(
  "an aborted request is closed, %s",
  async (when) => {
    const controller = new AbortController();
    const server = await serve((_, response) => {
      if (when !== "before the answer") {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write('data: {"delta":"x"}\n\n');
      }
      controller.abort(new Error("enough"));
    });
    const agent = await agentOf("http", { url: server.url });
    await expect(
      (async () => agent.respond(requestOf({ signal: controller.signal })))(),
    ).rejects.toThrow(/abort|enough/);
    await closed(server.sockets[0]!);
  },
);

test("a turn that takes too long: the connection is closed and the agent blamed", async () => {
  const server = await serve((_, response) => {
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    response.write('{"delta":"x"}\n');
  });
  const project = await projectWith({ type: "http", url: server.url });
  expect(outcomeOf(await run(project, { turn_timeout: 500 }))).toBe(
    "failed (agent): timeout after 500ms",
  );
  await closed(server.sockets[0]!);
});

test("a cancelled run closes its connections", async () => {
  const controller = new AbortController();
  const server = await serve(() => controller.abort());
  const project = await projectWith({ type: "http", url: server.url });
  const result = await run(project, {}, { signal: controller.signal });
  expect([result.status, result.skip_reason]).toEqual(["skipped", "cancelled"]);
  await closed(server.sockets[0]!);
});

test("a host that is not there is nobody's failure", async () => {
  const refusing = createServer();
  const { port } = await listen(refusing);
  await new Promise((resolve) => refusing.close(resolve));
  const limits = { maxRetries: 0 };
  const refused = await projectWith({ type: "http", url: `http://127.0.0.1:${port}/x`, limits });
  expect(outcomeOf(await run(refused))).toBe(
    `error (infrastructure): POST http://127.0.0.1:${port}/x: the connection was refused; is the agent running?`,
  );
  const unknown = await projectWith({ type: "http", url: "http://host.invalid/x", limits });
  expect(outcomeOf(await run(unknown))).toMatch(
    /^error \(infrastructure\): POST http:\/\/host\.invalid\/x cannot be reached: getaddrinfo (ENOTFOUND|EAI_AGAIN) host\.invalid$/,
  );
});

// The code is EPROTO.
test("https to a server that speaks http is nobody's failure", async () => {
  const server = await serve((_, response) => send(response, "ok"));
  const project = await projectWith({ type: "http", url: server.url.replace("http:", "https:") });
  expect(outcomeOf(await run(project))).toMatch(
    /^error \(infrastructure\): POST https:.* cannot be reached: /,
  );
});

async function withCertificate(cert: string): Promise<string> {
  const { port } = await listen(
    createTlsServer({ key: privateKey, cert }, (_, response) => response.end('"ok"')),
  );
  return outcomeOf(
    await run(await projectWith({ type: "http", url: `https://127.0.0.1:${port}/` })),
  );
}

test("a certificate that nobody trusts is nobody's failure", async () => {
  expect(await withCertificate(selfSigned)).toMatch(
    /^error \(infrastructure\): POST https:.* cannot be reached: self.signed certificate/,
  );
});

// The code is UNABLE_TO_VERIFY_LEAF_SIGNATURE, with neither CERT nor SSL nor TLS in it.
test("a certificate without its chain is nobody's failure", async () => {
  expect(await withCertificate(withoutChain)).toMatch(/^error \(infrastructure\): /);
});

test.each<[string, (socket: Socket) => unknown]>([
  ["is reset", (socket) => socket.resetAndDestroy()],
  ["ends at once", (socket) => socket.end()],
  ["ends within the headers", (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Le")],
  [
    "ends within the body",
    (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"content":'),
  ],
  [
    "ends within the chunks",
    (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n"abcd\r\n'),
  ],
  [
    "is reset within a stream",
    (socket) =>
      socket.write(
        'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\nb\r\ndata: "x"\n\n\r\n',
        () => socket.resetAndDestroy(),
      ),
  ],
  ["brings no HTTP", (socket) => socket.end("SSH-2.0-thing\r\n")],
  [
    "brings endless headers",
    (socket) => socket.end(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(100_000)}\r\n\r\n`),
  ],
])("a connection that %s is the agent's failure", async (_, answer) => {
  const { port } = await listen(
    createServer((socket) => socket.once("data", () => answer(socket))),
  );
  const project = await projectWith({ type: "http", url: `http://127.0.0.1:${port}/x` });
  expect(outcomeOf(await run(project))).toMatch(
    `failed (agent): agent error: POST http://127.0.0.1:${port}/x: the connection broke before the reply was complete: `,
  );
});

const megabyte = "x".repeat(1024 * 1024);

test.each(["application/json", "text/plain", "text/event-stream", "application/x-ndjson"])(
  "more than 10 MB are not taken, as %s: in one piece, or without end",
  async (type) => {
    const server = await serve(({ json }, response) => {
      response.writeHead(200, { "content-type": type });
      if (json?.["turn"] === 1) return response.end(`"${megabyte.repeat(11)}"`);
      const more = (): void => {
        if (!response.destroyed) response.write(megabyte, () => setImmediate(more));
      };
      return more();
    });
    const agent = await agentOf("http", { url: `${server.url}/x` });
    const message = `agent: POST ${server.url}/x answered more than the 10 MB that are taken`;
    expect(await replyOf(agent)).toBe(message);
    expect(await replyOf(agent, { turn: 2 })).toBe(message);
    for (const socket of server.sockets) await closed(socket);
  },
);

test("an error whose text has no end is not read without end", async () => {
  const server = await serve((_, response) => {
    response.writeHead(500);
    const more = (): void => {
      if (!response.destroyed) response.write(megabyte, () => setImmediate(more));
    };
    more();
  });
  expect(await replyOf(await agentOf("http", { url: server.url }))).toEqual(
    expect.stringMatching(/^agent: .*10 MB/),
  );
  await closed(server.sockets[0]!);
});

test("just under 10 MB are taken", async () => {
  const text = "x".repeat(10 * 1024 * 1024 - 2);
  const server = await serve((_, response) => send(response, `"${text}"`));
  const reply = await replyOf(await agentOf("http", { url: server.url }));
  expect(reply === text).toBe(true);
});
