import type { ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import { runSuite } from "@turnwise/core";
import { describe, expect, test } from "vitest";
import { outcomeOf, projectWith, run, send, serve } from "../agent.test.support.js";

const plain = { "content-type": "text/plain" };
const infrastructure = "error (infrastructure): ";
const agent = "failed (agent): agent error: ";

/** Answers each request by the next status of a list, and then well. */
async function failing(answers: readonly (readonly [number, string?])[], options: object = {}) {
  let next = 0;
  const server = await serve((_, response) => {
    const [status, after] = answers[next++] ?? [200];
    const headers = { ...plain, ...(after === undefined ? {} : { "retry-after": after }) };
    send(response, status === 200 ? "ok" : "", { status, headers });
  });
  const project = await projectWith({ type: "http", url: `${server.url}/x`, ...options });
  const outcome = outcomeOf(await run(project)).replace(`POST ${server.url}/x answered `, "");
  return { outcome, requests: server.seen.length };
}

const past = "Thu, 01 Jan 2015 00:00:00 GMT";
const farAway = "Thu, 01 Jan 2099 00:00:00 GMT";
const always = <T>(answer: T): T[] => Array.from({ length: 20 }, () => answer);

describe("sent again", () => {
  test.each<[string, (readonly [number, string?])[], object, number, string]>([
    ["429, without a header", [[429]], {}, 2, "passed"],
    ["429, Retry-After 0", [[429, "0"]], {}, 2, "passed"],
    ["429, Retry-After in the past", [[429, past]], {}, 2, "passed"],
    ["429, Retry-After that says nothing", [[429, "soon"]], {}, 2, "passed"],
    [
      "429 for ever",
      always([429, "0"] as const),
      {},
      3,
      `${infrastructure}429 Too Many Requests (3 requests)`,
    ],
    [
      "429, no retries",
      [[429, "0"]],
      { limits: { maxRetries: 0 } },
      1,
      `${infrastructure}429 Too Many Requests`,
    ],
    [
      "429, one retry",
      always([429, "0"] as const),
      { limits: { maxRetries: 1 } },
      2,
      `${infrastructure}429 Too Many Requests (2 requests)`,
    ],
    [
      "429, then a long wait",
      [
        [429, "0"],
        [429, "3600"],
      ],
      {},
      2,
      `${infrastructure}429 Too Many Requests (2 requests; it asks to wait 1h)`,
    ],
    [
      "429, Retry-After an hour",
      [[429, "3600"]],
      {},
      1,
      `${infrastructure}429 Too Many Requests (it asks to wait 1h)`,
    ],
    ["503, Retry-After 0", [[503, "0"]], {}, 2, "passed"],
    ["503, without a header", [[503]], {}, 1, `${agent}503 Service Unavailable`],
    [
      "503, Retry-After an hour",
      [[503, "3600"]],
      {},
      1,
      `${agent}503 Service Unavailable (it asks to wait 1h)`,
    ],
    ["500", [[500]], {}, 1, `${agent}500 Internal Server Error`],
    ["500, Retry-After 0", [[500, "0"]], {}, 1, `${agent}500 Internal Server Error`],
    ["408", [[408]], {}, 1, `${agent}408 Request Timeout`],
    ["500, unsafe", [[500]], { retry_unsafe: true }, 2, "passed"],
    ["503, unsafe", [[503]], { retry_unsafe: true }, 2, "passed"],
    ["408, unsafe", [[408]], { retry_unsafe: true }, 2, "passed"],
    ["400, unsafe", [[400]], { retry_unsafe: true }, 1, `${agent}400 Bad Request`],
    ["401, unsafe", [[401]], { retry_unsafe: true }, 1, `${infrastructure}401 Unauthorized`],
  ])("%s", async (_, answers, options, requests, outcome) => {
    expect(await failing(answers, options)).toEqual({ requests, outcome });
  });

  test("a date far away is not waited for", async () => {
    const { outcome, requests } = await failing([[429, farAway]]);
    expect(requests).toBe(1);
    expect(outcome).toContain(`${infrastructure}429 Too Many Requests (it asks to wait `);
  });

  test("a wait that is longer than the turn blames nobody, and says what it waited for", async () => {
    const server = await serve((_, response) =>
      send(response, "busy", { status: 429, headers: { ...plain, "retry-after": "30" } }),
    );
    const project = await projectWith({ type: "http", url: `${server.url}/x` });
    expect(outcomeOf(await run(project, { turn_timeout: 500 }))).toBe(
      `${infrastructure}POST ${server.url}/x answered 429 Too Many Requests: busy (1 request; time ran out while waiting for the next try)`,
    );
  });

  test("the same request, byte by byte", async () => {
    let failed = false;
    const server = await serve((_, response) => {
      send(response, "ok", {
        status: failed ? 200 : 429,
        headers: { ...plain, "retry-after": "0" },
      });
      failed = true;
    });
    await run(await projectWith({ type: "http", url: server.url }));
    const [first, second] = server.seen;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers).toEqual(first?.headers);
  });

  test("a connection that breaks is sent again only where that was asked for", async () => {
    for (const [options, requests, passed] of [
      [{}, 1, false],
      [{ retry_unsafe: true }, 2, true],
    ] as const) {
      let broken = false;
      const server = await serve(({ socket }, response) => {
        if (broken) return send(response, "ok", { headers: plain });
        broken = true;
        return socket.resetAndDestroy();
      });
      const project = await projectWith({ type: "http", url: server.url, ...options });
      const result = await run(project);
      expect([server.seen.length, result.status === "passed"]).toEqual([requests, passed]);
    }
  });
});

describe("limits", () => {
  test("so many requests at once, and all of them in the end", async () => {
    const open: ServerResponse[] = [];
    let most = 0;
    const server = await serve(async (_, response) => {
      most = Math.max(most, open.push(response));
      if (open.length !== 2) return;
      // A moment for those to come that should not.
      await setTimeout(10);
      for (const one of open.splice(0)) send(one, "ok", { headers: plain });
    });
    const limits = { concurrency: 2 };
    const project = await projectWith({ type: "http", url: server.url, limits });
    const cases = Array.from({ length: 10 }, (_, index) => ({ id: `c${index}`, input: "x" }));
    const summary = await runSuite({ cases, project, agent: "a", limits: { parallel: 10 } });
    expect([most, server.seen.length, summary.passed]).toEqual([2, 10, 10]);
  });

  test("a minute that is used up: the agent is not to blame, and is not asked", async () => {
    const server = await serve((_, response) => send(response, "ok", { headers: plain }));
    const limits = { requestsPerMinute: 2 };
    const project = await projectWith({ type: "http", url: server.url, limits });
    const turns = [{ input: "a" }, { input: "b" }, { input: "c" }];
    const result = await run(project, { turns, turn_timeout: 1_000 });
    expect(outcomeOf(result)).toBe(
      `${infrastructure}time ran out while waiting for a free place of the agent "a", which takes 2 a minute`,
    );
    expect(server.seen).toHaveLength(2);
  });

  test("a place that another conversation holds: only that one is the agent's failure", async () => {
    const server = await serve(() => undefined);
    const limits = { concurrency: 1, requestsPerMinute: 100 };
    const project = await projectWith({ type: "http", url: server.url, limits });
    const controller = new AbortController();
    const holding = run(project, {}, { signal: controller.signal });
    while (server.seen.length === 0) await setTimeout(1);
    const waiting = await run(project, { turn_timeout: 50 });
    expect(outcomeOf(waiting)).toBe(
      `${infrastructure}time ran out while waiting for a free place of the agent "a", which takes 1 at once and 100 a minute`,
    );
    controller.abort();
    expect((await holding).status).toBe("skipped");
    expect(server.seen).toHaveLength(1);
  });

  test("a request that is aborted gives its place back", async () => {
    const controller = new AbortController();
    const server = await serve((_, response) => {
      if (controller.signal.aborted) send(response, "ok", { headers: plain });
      else controller.abort();
    });
    const limits = { concurrency: 1 };
    const project = await projectWith({ type: "http", url: server.url, limits });
    expect((await run(project, {}, { signal: controller.signal })).status).toBe("skipped");
    expect(outcomeOf(await run(project))).toBe("passed");
  });
});
