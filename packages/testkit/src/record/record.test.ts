import type { AdapterEnvironment, AgentRequest } from "@turnwise/core";
import { definePlugin, runCase, runSuite } from "@turnwise/core";
import { expect, test } from "vitest";
import {
  recordAdapter,
  recordAgent,
  recordAssertion,
  recordDetector,
  recordReporter,
} from "../index.js";

test("an agent gives its replies out in every session, and remembers copies", async () => {
  const agent = recordAgent(["one?", { content: "two" }]);
  const turns = ["a", "b", "c"].map((input) => ({ input }));
  await runSuite({
    cases: [
      { id: "x", turns, options: { metadata: { list: [1] } } },
      { id: "y", turns: turns.slice(0, 1) },
    ],
    agent,
    limits: { onMissingInput: "end" },
    newSessionId: (() => {
      let next = 0;
      return () => `s${++next}`;
    })(),
  });
  expect(agent.requests.map(({ testId, turn, input }) => [testId, turn, input])).toEqual([
    ["x", 1, "a"],
    ["x", 2, "b"],
    ["x", 3, "c"],
    ["y", 1, "a"],
  ]);
  expect(agent.requests[2]!.messages).toMatchObject([
    { content: "a" },
    { content: "one?" },
    { content: "b" },
    { content: "two" },
    { content: "c" },
  ]);
  expect(agent.closed).toEqual(["s1", "s2"]);
  expect(agent.released).toBe(1);
});

test("what an agent is asked is copied, and a function may reply", async () => {
  const agent = recordAgent(({ input }) => `echo ${String(input)}`);
  const metadata = { list: [1] };
  const request = {
    sessionId: "s",
    input: "hi",
    messages: [{ role: "user", content: "hi" }],
    options: { metadata },
    signal: new AbortController().signal,
  } as unknown as AgentRequest;
  expect(await agent.respond(request)).toBe("echo hi");
  metadata.list.push(2);
  expect(agent.requests[0]!.options.metadata).toEqual({ list: [1] });
  expect(agent.requests[0]!.signal).toBe(request.signal);
  expect(() => recordAgent([])).toThrow("recordAgent got no replies");
});

test("adapter, assertion, reporter and detector record a run", async () => {
  const adapter = recordAdapter("fake", ["hello"]);
  const assertion = recordAssertion("always", { passed: true, message: "so it is" });
  const picky = recordAssertion("picky", ({ subject }) => ({
    passed: subject === "hello",
    message: String(subject),
  }));
  const reporter = recordReporter("memory");
  const detector = recordDetector({ awaiting: false, reason: "completed", confidence: 1 });
  const environment = { id: "a" } as AdapterEnvironment;
  const agent = await adapter.create({ url: "x" }, environment);
  const plugins = [
    definePlugin({
      name: "fakes",
      adapters: [adapter],
      assertions: [assertion, picky],
      reporters: [reporter],
    }),
  ];
  const stream = { write: async () => {} };
  const check = [{ type: "always", any: 1 }, { type: "picky" }];
  const raw = { id: "x", turns: [{ input: "hi?", assertions: check }] };
  await runSuite({ cases: [raw], agent, plugins, reporters: [{ reporter: "memory", stream }] });
  expect(adapter.created).toMatchObject([{ options: { url: "x" }, environment: { id: "a" } }]);
  expect(adapter.created[0]!.agent.requests.length).toBe(1);
  expect(assertion.contexts).toMatchObject([{ subject: "hello", on: "response" }]);
  expect(reporter.results).toMatchObject([{ id: "x", status: "passed" }]);
  expect(reporter.events.map(({ type }) => type).slice(0, 2)).toEqual(["run-start", "case-start"]);
  expect(reporter.events.at(-1)!.type).toBe("run-end");
  expect(reporter.ended).toBe(true);
  expect(await runCase(raw, { agent, plugins, detector })).toMatchObject({ status: "passed" });
  expect(detector.calls).toMatchObject([{ reply: { content: "hello" } }]);
});
