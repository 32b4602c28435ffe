import { runCase, runSuite } from "@turnwise/core";
import type { CaseResult, Project } from "@turnwise/core";
import { setImmediate } from "node:timers";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Handler } from "./odd-server.test.support.js";
import { ask, completion, json, oddServer, outcome, projectOf } from "./odd-server.test.support.js";

const fine = json(completion({ content: "Hello." }));
const bot = (connector: string) => ({ type: "openai", connector });

const overloaded: Handler = (_, response) => response.writeHead(503).end();
const oneTurn = { input: "Hi", turn_timeout: 2_000 };
const oneAMinute = { requestsPerMinute: 1, maxRetries: 3 };

/** A handler that answers when so many requests are under way, and counts them. */
function together(wanted: number): { handle: Handler; most: () => number } {
  let most = 0;
  let served = false;
  const waiting: (() => void)[] = [];
  const handle: Handler = async (got, response) => {
    const turn = new Promise<void>((resolve) => void waiting.push(resolve));
    most = Math.max(most, waiting.length);
    if (waiting.length >= wanted || served) {
      // Room for requests that should not come: what is asserted does not depend on how long it is.
      await setTimeout(30);
      served = true;
      for (const go of waiting.splice(0)) go();
    }
    await turn;
    fine(got, response, 0);
  };
  return { handle, most: () => most };
}

async function runAll(project: Project, agents: readonly string[]): Promise<string[]> {
  const results: CaseResult[] = [];
  await runSuite({
    project,
    cases: agents.map((agent, index) => ({ id: `c${index}`, input: `${index}`, agent })),
    limits: { parallel: agents.length, turnTimeout: "20s" },
    onEvent: (event) => event.type === "case-end" && results.push(event.result),
  });
  return results.map(outcome);
}

test("concurrency is shared by the cases of an agent, and used", async () => {
  const { handle, most } = together(2);
  const { baseURL } = await oddServer(handle);
  const project = await projectOf({
    connectors: { main: { baseURL, model: "m", limits: { concurrency: 2 } } },
    agents: { a: bot("main") },
  });
  expect(await runAll(project, ["a", "a", "a", "a", "a"])).toEqual(Array(5).fill("passed"));
  expect(most()).toBe(2);
});

test("concurrency is shared by the agents of a connector", async () => {
  const { handle, most } = together(1);
  const { baseURL } = await oddServer(handle);
  const project = await projectOf({
    connectors: { main: { baseURL, model: "m", limits: { concurrency: 1 } } },
    defaults: { connector: "main" },
    agents: { a: bot("main"), b: { type: "openai" } },
  });
  expect(await runAll(project, ["a", "b", "a", "b"])).toEqual(Array(4).fill("passed"));
  expect(most()).toBe(1);
});

test("concurrency is not shared by two connectors to the same server", async () => {
  // Answers only when both are there: with a shared queue the second would never come.
  const { handle, most } = together(2);
  const { baseURL } = await oddServer(handle);
  const connector = { baseURL, model: "m", limits: { concurrency: 1 } };
  const project = await projectOf({
    connectors: { one: connector, two: connector },
    agents: { a: bot("one"), b: bot("two") },
  });
  expect(await runAll(project, ["a", "b"])).toEqual(["passed", "passed"]);
  expect(most()).toBe(2);
});

test("concurrency is not shared by two projects with the same config", async () => {
  const { handle, most } = together(2);
  const { baseURL } = await oddServer(handle);
  const config = {
    connectors: { main: { baseURL, model: "m", limits: { concurrency: 1 } } },
    agents: { a: bot("main") },
  };
  const projects = [await projectOf(config), await projectOf(config)];
  const outcomes = await Promise.all(projects.map((project) => runAll(project, ["a"])));
  expect(outcomes).toEqual([["passed"], ["passed"]]);
  expect(most()).toBe(2);
});

test("without a limit, all requests are under way at once", async () => {
  const { handle, most } = together(6);
  const { baseURL } = await oddServer(handle);
  const project = await projectOf({
    connectors: { main: { baseURL, model: "m" } },
    agents: { a: bot("main") },
  });
  expect(await runAll(project, Array(6).fill("a"))).toEqual(Array(6).fill("passed"));
  expect(most()).toBe(6);
});

test.each<[object, string]>([
  [{ requestsPerMinute: 2 }, "2 a minute"],
  [{ requestsPerMinute: 2, concurrency: 3 }, "3 at once and 2 a minute"],
])(
  "%j: the third request of a minute waits, and its time-out is not the fault of the agent",
  async (limits, shown) => {
    const { result, requests } = await ask(
      {},
      fine,
      { turns: [{ input: "1" }, { input: "2" }, { input: "3", timeout: 50 }] },
      { limits },
    );
    expect(requests).toHaveLength(2);
    expect(outcome(result)).toBe(
      `error (infrastructure): time ran out while waiting for a free place of the connector "main", which takes ${shown}`,
    );
  },
);

test("a try again counts as a request of its minute", async () => {
  const { result, requests } = await ask({}, overloaded, oneTurn, { limits: oneAMinute });
  expect(requests).toHaveLength(1);
  expect(result).toMatchObject({ status: "error", blame: "infrastructure" });
});

// BUG (small): what the server answered is lost, since the abort is kept as the last failure (Attempts.again); and it is
// a place that is waited for by then, which `waitingFor ??=` does not say.
test("a try again that waits for a place says so, and what the server answered", async () => {
  const { result } = await ask({}, overloaded, oneTurn, { limits: oneAMinute });
  expect(result.error).toContain("answered 503 status code (no body) (1 request; time ran out");
  expect(result.error).toContain("a free place");
});

/** A project whose only place is taken by a request that is never answered. */
async function crowded(): Promise<{
  project: Project;
  requests: readonly unknown[];
  taken: Promise<void>;
}> {
  let take = (): void => undefined;
  const taken = new Promise<void>((resolve) => {
    take = resolve;
  });
  const { baseURL, requests } = await oddServer(() => take());
  const project = await projectOf({
    connectors: { main: { baseURL, model: "m", limits: { concurrency: 1 } } },
    agents: { a: bot("main") },
  });
  return { project, requests, taken };
}

test("time runs out in the queue: infrastructure; and the one that holds the place is the agent's", async () => {
  const { project, requests, taken } = await crowded();
  const cancel = new AbortController();
  const holding = runCase({ id: "h", input: "Hold" }, { project, signal: cancel.signal });
  await taken;
  const waiting = await runCase({ id: "w", input: "Wait", turn_timeout: 50 }, { project });
  expect(outcome(waiting)).toBe(
    'error (infrastructure): time ran out while waiting for a free place of the connector "main", which takes 1 at once',
  );
  cancel.abort();
  expect(await holding).toMatchObject({ status: "skipped", skip_reason: "cancelled" });
  // The place is free again: the next one is sent, and runs into its own time-out.
  const next = await runCase({ id: "n", input: "Next", turn_timeout: 300 }, { project });
  expect(outcome(next)).toBe("failed (agent): timeout after 300ms");
  expect(requests).toHaveLength(2);
});

test("cancelled in the queue: ends as cancelled, and is never sent", async () => {
  const { project, requests, taken } = await crowded();
  const [first, second] = [new AbortController(), new AbortController()];
  const holding = runCase({ id: "h", input: "Hold" }, { project, signal: first.signal });
  await taken;
  const waiting = runCase(
    { id: "w", input: "Wait" },
    {
      project,
      signal: second.signal,
      onEvent: (event) => event.type === "agent-call-start" && setImmediate(() => second.abort()),
    },
  );
  expect(await waiting).toMatchObject({ status: "skipped", skip_reason: "cancelled" });
  first.abort();
  await holding;
  expect(requests).toHaveLength(1);
});
