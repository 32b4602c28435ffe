import { runInNewContext } from "node:vm";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import type { AgentLike, AgentRequest, Plugin, RunCaseOptions, RunEvent } from "../index.js";
import {
  AgentError,
  AuthorError,
  InfrastructureError,
  InvalidCaseError,
  caseResultSchema,
  defineAssertion,
  definePlugin,
  runCase,
} from "../index.js";

/** Says whether a text occurs; breaks or fails on demand. */
const checks: Plugin = definePlugin({
  name: "checks",
  assertions: [
    defineAssertion({
      type: "has",
      schema: z.strictObject({ value: z.string() }),
      subjects: ["response", "state", "tools", "conversation"],
      label: (spec) => `has ${spec.value}`,
      check({ subject }, { value }) {
        const passed = JSON.stringify(subject ?? null).includes(value);
        return {
          passed,
          message: passed ? "there" : "not there",
          expected: value,
          actual: subject,
        };
      },
    }),
    defineAssertion({
      type: "breaks",
      schema: z.strictObject({}),
      label: () => "breaks",
      check() {
        throw new Error("out of order");
      },
    }),
    defineAssertion({
      type: "hangs",
      schema: z.strictObject({}),
      label: () => "hangs",
      check: () => new Promise<never>(() => {}),
    }),
  ],
});

const run = (testCase: Record<string, unknown>, agent: AgentLike, options: RunCaseOptions = {}) =>
  runCase({ id: "c", ...testCase }, { agent, plugins: [checks], ...options });

const has = (value: string, more: object = {}) => ({ type: "has", value, ...more });
const echo: AgentLike = ({ input }) => `you said ${String(input)}.`;
const turns = (...inputs: string[]) => ({ turns: inputs.map((input) => ({ input })) });

test("a conversation: what the agent is asked and what is recorded", async () => {
  const requests: AgentRequest[] = [];
  const agent: AgentLike = {
    respond(request) {
      requests.push(request);
      return {
        content: request.turn === 1 ? "Which city?" : "Booked.",
        toolCalls:
          request.turn === 1 ? [] : [{ name: "book", arguments: '{"city": "Oslo"}', result: 1 }],
        state: { booked: request.turn === 2 },
        usage: { inputTokens: 10, outputTokens: 2 },
      };
    },
  };
  const result = await run(
    {
      name: "Booking",
      tags: ["smoke"],
      options: { mode: "chat", metadata: { a: { b: 1 } } },
      input: [{ role: "system", content: "Be brief." }],
      turns: [
        { input: "book", assertions: has("city") },
        { input: "Oslo", options: { mode: "voice", metadata: { a: { c: 2 } } } },
      ],
      final_assertions: [has("true", { on: "state" }), has("book", { on: "tools" })],
    },
    agent,
    { runId: "r", newSessionId: () => "s", now: () => 0, date: () => new Date(0) },
  );
  expect(requests).toMatchObject([
    {
      sessionId: "s",
      testId: "c",
      turn: 1,
      input: "book",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "book" },
      ],
      attachments: [],
      options: { mode: "chat", metadata: { a: { b: 1 } } },
      referer: "agent-test",
    },
    {
      turn: 2,
      messages: [
        { role: "system" },
        { role: "user", content: "book" },
        { role: "assistant", content: "Which city?" },
        { role: "user", content: "Oslo" },
      ],
      options: { mode: "voice", metadata: { a: { b: 1, c: 2 } } },
    },
  ]);
  expect(result).toEqual({
    id: "c",
    name: "Booking",
    status: "passed",
    agent: "agent",
    run_id: "r",
    session_id: "s",
    trial: 1,
    started_at: "1970-01-01T00:00:00.000Z",
    tags: ["smoke"],
    turns: [
      {
        turn: 1,
        status: "passed",
        input: "book",
        input_source: "static",
        output: "Which city?",
        awaiting_input: true,
        awaiting_reason: "content_is_question",
        awaiting_kind: "choice",
        evidence: "Which city?",
        input_hint: "Which city?",
        assertions: [
          {
            type: "has",
            value: "city",
            label: "has city",
            status: "passed",
            passed: true,
            reason: "there",
            wanted: "city",
            actual: "Which city?",
          },
        ],
        duration_ms: 0,
      },
      {
        turn: 2,
        status: "passed",
        input: "Oslo",
        input_source: "static",
        output: "Booked.",
        tool_calls: [{ id: "call-2-1", name: "book", args: { city: "Oslo" }, result: 1 }],
        awaiting_input: false,
        awaiting_reason: "completed",
        assertions: [],
        duration_ms: 0,
      },
    ],
    final_assertions: [
      expect.objectContaining({ on: "state", status: "passed" }),
      expect.objectContaining({ on: "tools", status: "passed" }),
    ],
    total_turns: 2,
    duration_ms: 0,
    state: { booked: true },
    usage: { target: { input_tokens: 20, output_tokens: 4, calls: 2 } },
  });
  expect(caseResultSchema.parse(result)).toEqual(result);
});

test("a failed assertion fails turn and case; the talk goes on", async () => {
  const result = await run(
    {
      turns: [
        { input: "1", assertions: [has("no"), has("1"), has("also no", { message: "say it" })] },
        { input: "2" },
      ],
      final_assertions: has("2"),
    },
    echo,
  );
  expect(result).toMatchObject({
    status: "failed",
    blame: "agent",
    error: "turn 1: not there",
    turns: [{ status: "failed", assertion_errors: ["not there", "say it"] }, { status: "passed" }],
    final_assertions: [{ status: "passed" }],
  });
});

test("on_turn_failure: stop leaves the rest unsent, but checks the end", async () => {
  const result = await run(
    {
      on_turn_failure: "stop",
      turns: [{ input: "1", assertions: has("no") }, { input: "2" }],
      final_assertions: has("1"),
    },
    echo,
  );
  expect(result).toMatchObject({ status: "failed", total_turns: 1 });
  expect(result.turns[1]).toEqual({ turn: 2, status: "not_sent", input: "2" });
  expect(result.final_assertions).toHaveLength(1);
});

test("stop_when_complete ends at the first reply that does not wait", async () => {
  const agent: AgentLike = ({ turn }) => (turn === 1 ? "Which one?" : "Done.");
  const result = await run({ stop_when_complete: true, ...turns("1", "2", "3") }, agent);
  expect(result.turns.map((turn) => turn.status)).toEqual(["passed", "passed", "not_sent"]);
  expect(result).toMatchObject({ status: "passed", total_turns: 2 });
});

test("negate swaps holds and holds not, never broken", async () => {
  const statuses = async (assertion: object) => {
    const result = await run({ input: "hi", assert: { ...assertion, negate: true } }, echo);
    return [result.status, result.turns[0]?.assertions?.[0]?.status, result.blame];
  };
  expect(await statuses(has("hi"))).toEqual(["failed", "failed", "agent"]);
  expect(await statuses(has("no"))).toEqual(["passed", "passed", undefined]);
  expect(await statuses({ type: "breaks" })).toEqual(["error", "error", "author"]);
});

test("an assertion that throws cannot tell: error, blame author, never a pass", async () => {
  const result = await run({ input: "hi", assert: { type: "breaks" } }, echo);
  expect(result).toMatchObject({
    status: "error",
    blame: "author",
    error: 'the assertion "breaks" broke: out of order',
    turns: [{ status: "failed", assertions: [{ status: "error", passed: false }] }],
  });
});

test.each([
  ["skip", "skipped", undefined, { status: "skipped", skip_reason: "awaiting input" }],
  ["fail", "failed", "author", { status: "failed", error: "awaiting input" }],
] as const)("waiting and nobody left to answer: %s", async (policy, status, blame, row) => {
  const result = await run(
    { on_missing_input: policy, ...turns("1"), final_assertions: has("never run") },
    () => "Please provide the PO number.",
  );
  expect(result.status).toBe(status);
  expect(result.blame).toBe(blame);
  expect(result.turns[1]).toEqual({ turn: 2, ...row, input_hint: "Please provide the PO number" });
  expect(result.final_assertions).toEqual([]);
  expect(result.total_turns).toBe(1);
});

test("waiting and nobody left to answer: end checks the end", async () => {
  const result = await run(
    { on_missing_input: "end", ...turns("1"), final_assertions: has("Which") },
    () => "Which one?",
  );
  expect(result).toMatchObject({ status: "passed", final_assertions: [{ status: "passed" }] });
});

test("a single_turn case may end with a question; a failed turn wins over skip", async () => {
  expect((await run({ input: "hi" }, () => "Which one?")).status).toBe("passed");
  const failed = await run({ turns: [{ input: "hi", assertions: has("no") }] }, () => "Which one?");
  expect(failed.status).toBe("failed");
});

test("limits of the caller win over the case, the case over the defaults", async () => {
  const waiting: AgentLike = () => "Which one?";
  const own = await run({ on_missing_input: "end", ...turns("1") }, waiting);
  const overruled = await run({ on_missing_input: "end", ...turns("1") }, waiting, {
    limits: { onMissingInput: "fail" },
  });
  expect([own.status, overruled.status]).toEqual(["passed", "failed"]);
});

test.each<[string, () => unknown, string, string, string]>([
  [
    "an error",
    () => {
      throw new Error("boom");
    },
    "failed",
    "agent",
    "agent error: boom",
  ],
  [
    "text",
    () => {
      throw "boom";
    },
    "failed",
    "agent",
    "agent error: boom",
  ],
  [
    "nothing",
    () => {
      throw undefined;
    },
    "failed",
    "agent",
    "agent error: ",
  ],
  [
    "AgentError",
    () => {
      throw new AgentError("bad state");
    },
    "failed",
    "agent",
    "agent error: bad state",
  ],
  [
    "InfrastructureError",
    () => {
      throw new InfrastructureError("GET http://desk: 503");
    },
    "error",
    "infrastructure",
    "GET http://desk: 503",
  ],
  [
    "AuthorError",
    () => {
      throw new AuthorError("no such model");
    },
    "error",
    "author",
    "no such model",
  ],
])("an agent that throws %s", async (_, fail, status, blame, error) => {
  const result = await run({ ...turns("1", "2"), final_assertions: has("x") }, fail as never);
  expect(result).toMatchObject({
    status,
    blame,
    turns: [{ status: "failed" }, { status: "not_sent" }],
  });
  expect(result.error).toContain(error);
  expect(result.final_assertions).toEqual([]);
});

test.each<[string, unknown, string]>([
  ["nothing", undefined, 'expected a string or an object with "content" as the reply, got nothing'],
  ["null", null, "got null"],
  ["a number", 5, "got number"],
  ["an array", [], "got array"],
  ["an empty object", {}, "got an object with no keys"],
  ["another shape", { text: "hi" }, 'got an object with the keys "text"'],
  ["another shape, nearly right", { contents: "hi" }, 'did you mean "content"?'],
  [
    "content of another type",
    { content: 5 },
    'expected "content" of the reply to be a string, got number',
  ],
  [
    "a flag that is text",
    { content: "", awaitingInput: "yes" },
    'expected "awaitingInput" of the reply to be true or false',
  ],
  [
    "calls that are no list",
    { content: "", toolCalls: {} },
    'expected "toolCalls" of the reply to be an array',
  ],
  [
    "a call without a name",
    { content: "", toolCalls: [{ tool: "x" }] },
    'expected tool call 1 of the reply to be an object with a "name", got the keys tool',
  ],
  [
    "a request of no kind",
    { content: "", pending: [{ id: "1", prompt: "?" }] },
    '"pending" of the reply is not a list of {id, kind, prompt}',
  ],
  [
    "state with a cycle",
    {
      content: "",
      state: (() => {
        const a: Record<string, unknown> = {};
        a["a"] = a;
        return a;
      })(),
    },
    '"state" of the reply cannot be written as JSON',
  ],
  ["too much", "x".repeat(10 * 1024 * 1024 + 1), "more than the 10485760 that are taken"],
])("a reply that is %s is an agent error", async (_, reply, error) => {
  const result = await run({ input: "hi" }, (() => reply) as never);
  expect(result).toMatchObject({ status: "failed", blame: "agent" });
  expect(result.error).toContain(error);
});

test("arguments that are not JSON are kept as text and flagged", async () => {
  const result = await run({ input: "hi" }, () => ({
    content: "ok",
    toolCalls: [{ name: "a", arguments: '{"x": ' }, { name: "b" }],
  }));
  expect(result.turns[0]?.tool_calls).toEqual([
    { id: "call-1-1", name: "a", args: '{"x": ', args_invalid: true },
    { id: "call-1-2", name: "b", args: {} },
  ]);
});

test("what an agent changes later does not change what was recorded", async () => {
  const state = { steps: [1] };
  const args = { n: 1 };
  const result = await run({ ...turns("1", "2") }, (request) => {
    (request.messages as unknown[]).length = 0;
    args.n = request.turn;
    state.steps.push(request.turn);
    return {
      content: "ok",
      data: { args },
      toolCalls: [{ name: "t", arguments: args, result: 1 }],
      state,
    };
  });
  expect(result.turns.map((turn) => turn.tool_calls?.[0]?.args)).toEqual([{ n: 1 }, { n: 2 }]);
  expect(result.state).toEqual({ steps: [1, 1, 2] });
});

test("data is the output when there is no text, null too", async () => {
  const output = async (reply: object) =>
    (await run({ input: "hi" }, () => reply as never)).turns[0]?.output;
  expect(await output({ content: "", data: null })).toBeNull();
  expect(await output({ data: { a: 1 } })).toEqual({ a: 1 });
  expect(await output({ content: "text", data: { a: 1 } })).toBe("text");
  expect(await output({ content: "" })).toBe("");
});

test("an agent may answer with anything that can be awaited", async () => {
  const thenable = {
    // oxlint-disable-next-line unicorn/no-thenable -- this is the point
    then: (resolve: (value: string) => void) => resolve("from a thenable"),
  };
  const result = await run({ input: "hi" }, () => thenable as never);
  expect(result.turns[0]?.output).toBe("from a thenable");
});

test("an agent that never answers and ignores its signal ends at its deadline", async () => {
  vi.useFakeTimers();
  try {
    const close = vi.fn();
    let signal: AbortSignal | undefined;
    const pending = run(
      { ...turns("1", "2"), turn_timeout: "30s" },
      {
        respond(request) {
          signal = request.signal;
          return new Promise<never>(() => {});
        },
        close,
      },
    );
    await vi.advanceTimersByTimeAsync(30_000);
    const result = await pending;
    expect(result).toMatchObject({
      status: "failed",
      blame: "agent",
      error: "timeout after 30s",
      turns: [{ status: "failed", error: "timeout after 30s" }, { status: "not_sent" }],
    });
    expect(signal?.aborted).toBe(true);
    expect(close).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("the limit of the conversation holds across turns", async () => {
  vi.useFakeTimers();
  try {
    const slow: AgentLike = ({ signal }) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => resolve("ok"), 4_000);
        signal.addEventListener("abort", () => {
          clearTimeout(timer);
          reject(signal.reason as Error);
        });
      });
    const pending = run({ timeout: "10s", ...turns("1", "2", "3") }, slow);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await pending).toMatchObject({
      status: "failed",
      error: "timeout after 10s",
      turns: [{ status: "passed" }, { status: "passed" }, { status: "failed" }],
    });
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("an assertion that hangs is stopped by its own deadline, blame author; the talk goes on", async () => {
  vi.useFakeTimers();
  try {
    const pending = run(
      { turns: [{ input: "hi", assertions: [{ type: "hangs" }, has("hi")] }, { input: "there" }] },
      echo,
    );
    await vi.advanceTimersByTimeAsync(120_000);
    expect(await pending).toMatchObject({
      status: "error",
      blame: "author",
      error: 'the assertion "hangs" did not finish: timeout after 2m',
      turns: [{ assertions: [{ status: "error" }, { status: "passed" }] }, { status: "passed" }],
    });
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("an agent that blocks the event loop past its deadline was too slow all the same", async () => {
  const result = await run({ ...turns("1"), turn_timeout: 5 }, () => {
    for (const until = performance.now() + 30; performance.now() < until;);
    return "ok";
  });
  expect(result).toMatchObject({ status: "failed", error: "timeout after 5ms" });
});

test("an agent cannot rewrite what was said and called, nor the options of later turns", async () => {
  const seen: unknown[] = [];
  const result = await run(
    {
      options: { metadata: { count: 0, deep: { list: [1] } } },
      ...turns("1", "2"),
      final_assertions: [
        has('\\"amount\\":999', { on: "tools", negate: true }),
        has("999", { on: "tools" }),
        has("999", { on: "conversation" }),
      ],
    },
    ({ turn, messages, options }) => {
      const metadata = options.metadata as { count: number; deep: { list: number[] } };
      seen.push(structuredClone(metadata));
      metadata.count++;
      metadata.deep.list.push(2);
      for (const message of messages)
        if (message.role === "assistant" && message.toolCalls !== undefined)
          (message.toolCalls[0] as { arguments: unknown }).arguments = { amount: 5 };
      return turn === 1
        ? {
            content: "",
            awaitingInput: true,
            toolCalls: [{ name: "pay", arguments: { amount: 999 }, result: 1 }],
          }
        : "Done.";
    },
  );
  expect(result.final_assertions.map((row) => row.status)).toEqual(["passed", "passed", "passed"]);
  expect(result.turns[0]?.tool_calls?.[0]?.args).toEqual({ amount: 999 });
  expect(seen).toEqual([
    { count: 0, deep: { list: [1] } },
    { count: 0, deep: { list: [1] } },
  ]);
});

const deep = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));

test.each<[string, () => unknown, string]>([
  ["data", () => ({ content: "", data: deep(300) }), '"data" of the reply is nested deeper'],
  ["state", () => ({ content: "", state: deep(300) }), '"state" of the reply is nested deeper'],
  [
    "data that no stack can hold",
    () => ({ content: "", data: deep(50_000) }),
    '"data" of the reply cannot be written as JSON',
  ],
  [
    "arguments as text",
    () => ({
      content: "",
      toolCalls: [{ name: "t", arguments: "[".repeat(50_000) + "]".repeat(50_000) }],
    }),
    '"toolCalls[0].arguments" of the reply is nested deeper',
  ],
])(
  "%s nested without end is an agent error, also with secrets to mask",
  async (_, reply, error) => {
    const result = await run({ input: "hi" }, reply as never);
    expect(result.error).toContain(error);
    expect(result).toMatchObject({ status: "failed", blame: "agent" });
  },
);

test("deep JSON in the text of a reply breaks its own assertion at most", async () => {
  const text = "[".repeat(20_000) + "]".repeat(20_000);
  expect(await run({ input: "hi", assert: has("x") }, () => text)).toMatchObject({
    status: "failed",
  });
});

test("nothing to look at is no pass, negated or not", async () => {
  for (const negate of [false, true]) {
    const result = await run({ input: "hi", assert: has("x", { on: "state", negate }) }, echo);
    expect(result.turns[0]?.assertions?.[0]).toMatchObject({
      status: "failed",
      reason: "the agent has returned no state",
    });
  }
});

test("a host that is not there blames the infrastructure, with the reason", async () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:9"), {
    code: "ECONNREFUSED",
  });
  const result = await run({ input: "hi" }, () => {
    throw new TypeError("fetch failed", { cause: refused });
  });
  expect(result).toMatchObject({
    status: "error",
    blame: "infrastructure",
    error: expect.stringMatching(
      /^fetch failed: connect ECONNREFUSED 127\.0\.0\.1:9 \(packages\/.*:\d+\)$/,
    ),
  });
});

test("the spelling of the wire is understood; what is misspelt is a warning", async () => {
  const wire = await run({ ...turns("1"), on_missing_input: "end" }, () => ({
    content: "Done?",
    awaiting_input: false,
    finish_reason: "stop",
    tool_calls: [{ name: "t", args: { a: 1 } }],
  }));
  expect(wire.turns[0]).toMatchObject({
    awaiting_input: false,
    awaiting_reason: "agent_declared",
    tool_calls: [{ name: "t", args: { a: 1 } }],
  });
  expect(wire.warnings).toBeUndefined();
  const misspelt = await run(turns("1", "2"), () => ({
    content: "Done.",
    toolcals: [],
    model: "small",
  }));
  expect(misspelt.warnings).toEqual([
    {
      code: "ignored_field",
      message: 'the reply has a field that is not used: "toolcals" (did you mean "toolCalls"?)',
    },
  ]);
});

test("whatever is thrown, the case gets a row", async () => {
  const hostile = [
    { [Symbol.for("turnwise.error")]: 5 },
    Object.defineProperty(new Error("x"), "message", {
      get() {
        throw new Error("no");
      },
    }),
    Object.create(null) as unknown,
  ];
  for (const thrown of hostile)
    expect(
      await run({ input: "hi" }, () => {
        throw thrown;
      }),
    ).toMatchObject({ status: "failed", blame: "agent" });
});

test("an error without a mark names its class and its place", async () => {
  const result = await run({ input: "hi" }, () => {
    throw new RangeError("out of range");
  });
  expect(result.error).toMatch(
    /^agent error: RangeError: out of range \(packages\/core\/src\/run\/run-case\.test\.ts:\d+\)$/,
  );
});

test("a composite assertion checks nested ones with their own on and negate", async () => {
  const every = definePlugin({
    name: "every",
    assertions: [
      defineAssertion({
        type: "every",
        schema: z.strictObject({ of: z.array(z.unknown()) }),
        label: () => "every",
        prepare: async (spec, { assertion }) =>
          Promise.all(spec.of.map((raw, index) => assertion(raw, ["of", index]))),
        async check({ run: runNested }, prepared) {
          const rows = await Promise.all(prepared.map((one) => runNested(one!)));
          return {
            passed: rows.every((row) => row.passed),
            message: rows.map((row) => row.status).join(" "),
          };
        },
      }),
    ],
  });
  const agent: AgentLike = () => ({ content: "the secret", state: { open: true } });
  const result = await run(
    {
      input: "hi",
      assert: {
        type: "every",
        of: [has("secret", { negate: true }), has("open", { on: "state" }), { type: "breaks" }],
      },
    },
    agent,
    { plugins: [checks, every] },
  );
  expect(result.turns[0]?.assertions?.[0]).toMatchObject({
    status: "failed",
    reason: "failed passed error",
  });
  await expect(
    run({ input: "hi", assert: { type: "every", of: [{ type: "hass" }] } }, agent, {
      plugins: [checks, every],
    }),
  ).rejects.toThrow('assert.of[0].type: there is no assertion type "hass"');
});

test.each([
  [{ parallel: Number.NaN }, "limits.parallel"],
  [{ parallel: 0 }, "limits.parallel"],
  [{ timeout: "25h" }, "limits: expected a duration of at most 24 hours"],
  [{ turnTimeout: "soon" }, "limits: expected a duration"],
])("limits %j are refused before anything runs", async (limits, message) => {
  const agent = vi.fn();
  await expect(run({ input: "hi" }, agent, { limits })).rejects.toThrow(message);
  expect(agent).not.toHaveBeenCalled();
});

test("warnings about a case are in its row", async () => {
  const result = await run({ input: "hi", expected: "x", assert: has("hi") }, echo);
  expect(result.warnings).toMatchObject([{ code: "ignored" }]);
});

test("a case that was cancelled, or whose time was up, during its assertions has not passed", async () => {
  const controller = new AbortController();
  const aborting = definePlugin({
    name: "aborting",
    assertions: [
      defineAssertion({
        type: "aborts",
        schema: z.strictObject({}),
        label: () => "aborts",
        check() {
          controller.abort();
          return { passed: true, message: "held" };
        },
      }),
      defineAssertion({
        type: "aborts_and_breaks",
        schema: z.strictObject({}),
        label: () => "aborts",
        async check() {
          controller.abort();
          await Promise.resolve();
          throw new Error("later");
        },
      }),
    ],
  });
  for (const type of ["aborts", "aborts_and_breaks"]) {
    const result = await run(
      {
        turns: [{ input: "1", assertions: { type } }, { input: "2" }],
        final_assertions: has("NEVER"),
      },
      echo,
      { plugins: [checks, aborting], signal: controller.signal },
    );
    expect(result).toMatchObject({ status: "skipped", skip_reason: "cancelled" });
  }
});

test("the limit of the conversation holds for agents that block, too", async () => {
  const result = await run({ timeout: 60, ...turns("1", "2", "3", "4", "5", "6") }, () => {
    for (const until = performance.now() + 25; performance.now() < until;);
    return "ok";
  });
  expect(result).toMatchObject({ status: "failed", error: "timeout after 60ms" });
  expect(result.turns.at(-1)?.status).toBe("not_sent");
});

test("promises of another realm and things that only look like one end at the deadline", async () => {
  const foreign = runInNewContext("new Promise(() => {})") as Promise<never>;
  // oxlint-disable-next-line unicorn/no-thenable -- this is the point
  for (const never of [foreign, { then() {} }]) {
    const result = await run({ ...turns("1"), turn_timeout: 20 }, () => never as never);
    expect(result).toMatchObject({ status: "failed", blame: "agent", error: "timeout after 20ms" });
  }
});

test.each<[string, Record<string, unknown>, string]>([
  [
    "a function",
    { options: { metadata: { f: () => 1 } } },
    "options.metadata.f: a case is plain data, as JSON could hold it; this is a function",
  ],
  [
    "a BigInt",
    { assert: { value: 10n } },
    "assert.value: a case is plain data, as JSON could hold it; this is a BigInt",
  ],
  ["NaN", { assert: { value: Number.NaN } }, "this is NaN"],
  ["a date", { assert: { value: new Date(0) } }, "this is an instance of Date"],
])("%s in a case is refused: it could not be reported", async (_, more, message) => {
  await expect(run({ input: "hi", ...more }, echo)).rejects.toThrow(message);
});

test("cancelling ends a running case as skipped, and starts nothing more", async () => {
  const controller = new AbortController();
  const result = await run(
    turns("1", "2"),
    () => {
      controller.abort();
      return new Promise<never>(() => {});
    },
    { signal: controller.signal },
  );
  expect(result).toMatchObject({
    status: "skipped",
    skip_reason: "cancelled",
    turns: [{ status: "skipped", skip_reason: "cancelled" }, { status: "not_sent" }],
  });
  expect(result.blame).toBeUndefined();
});

test("a detector of one's own decides; one that is unusable is an error, blame detector", async () => {
  const own = await run(turns("1"), () => "Done.", {
    detector: async () => ({ awaiting: true, reason: "agent_declared", confidence: 1 }),
  });
  expect(own).toMatchObject({ status: "skipped", skip_reason: "awaiting input" });
  for (const detector of [
    () => {
      throw new Error("down");
    },
    () => ({}) as never,
  ]) {
    const broken = await run({ ...turns("1"), final_assertions: has("x") }, echo, { detector });
    expect(broken).toMatchObject({
      status: "error",
      blame: "detector",
      turns: [{ status: "failed" }],
    });
    expect(broken.turns[0]?.assertions).toBeUndefined();
  }
});

test("no initial input is a failed row, blame author", async () => {
  expect(await run({ interactive: { enabled: false } }, echo)).toMatchObject({
    status: "failed",
    blame: "author",
    error: "no initial input",
    turns: [{ turn: 1, status: "failed", error: "no initial input" }],
    total_turns: 0,
  });
});

test("a skipped case is one row without turns", async () => {
  const agent = vi.fn();
  expect(await run({ input: "hi", skip: "flaky server" }, agent)).toMatchObject({
    status: "skipped",
    skip_reason: "flaky server",
    turns: [],
  });
  expect(await run({ input: "hi", skip: true }, agent)).toMatchObject({ status: "skipped" });
  expect(agent).not.toHaveBeenCalled();
  expect(await run({ input: "hi", skip: false }, echo)).toMatchObject({ status: "passed" });
});

test("an agent that cannot close its session is a warning", async () => {
  const result = await run(
    { input: "hi" },
    { respond: () => "ok", close: () => Promise.reject(new Error("stuck")) },
  );
  expect(result).toMatchObject({
    status: "passed",
    warnings: [{ code: "close_failed", message: "the agent could not close its session: stuck" }],
  });
});

test("resolveTool says that a tool has no mock", async () => {
  const result = await run({ input: "hi" }, async ({ resolveTool }) => {
    try {
      await resolveTool("search", {});
      return "mocked";
    } catch (error) {
      return (error as { code: string }).code;
    }
  });
  expect(result.turns[0]?.output).toBe("tool_not_mocked");
});

test("events come in order and are the same data as the result", async () => {
  const events: RunEvent[] = [];
  const result = await run(
    turns("1"),
    () => ({ content: "ok", toolCalls: [{ name: "t", result: 1 }] }),
    { onEvent: (event) => void events.push(event) },
  );
  expect(events.map((event) => event.type)).toEqual([
    "case-start",
    "turn-start",
    "agent-call-start",
    "agent-call-end",
    "tool-call",
    "turn-end",
    "case-end",
  ]);
  expect(events[1]).toMatchObject({ id: "c", trial: 1, attempt: 1, turn: 1, input: "1" });
  expect(events.at(-1)).toMatchObject({ id: "c", result });
});

test("a listener that throws does not disturb the case, and is not hidden", async () => {
  const agent = vi.fn(echo as () => string);
  await expect(
    run(turns("1", "2"), agent, {
      onEvent: () => {
        throw new Error("no space");
      },
    }),
  ).rejects.toThrow("onEvent threw: no space");
  expect(agent).toHaveBeenCalledTimes(2);
});

test.each<[string, Record<string, unknown>, string]>([
  ["an unknown field", { inputs: "hi" }, 'inputs: there is no such field; did you mean "input"?'],
  [
    "an unknown assertion",
    { input: "hi", assert: { type: "hass", value: "x" } },
    'there is no assertion type "hass"; did you mean "has"?',
  ],
  [
    "an assertion without its value",
    { input: "hi", assert: { type: "has" } },
    "assert.value: required field is missing",
  ],
  [
    "a misspelt field of an assertion",
    { input: "hi", assert: { type: "has", value: "x", negat: true } },
    "negat: there is no such field",
  ],
  [
    "a subject it cannot look at",
    { input: "hi", assert: { type: "has", value: "x", on: "world" } },
    '"has" cannot look at "world"',
  ],
  [
    "negate that is no boolean",
    { input: "hi", assert: { type: "has", value: "x", negate: "yes" } },
    "negate: expected true or false, got string",
  ],
  ["a simulator", { input: "hi", simulator: "agents:user" }, 'simulator: there is no agent "user"'],
  [
    "a mock by a script that is not there",
    { input: "hi", mocks: { tools: { find: { use: "scripts:nowhere" } } } },
    'mocks.tools.find.use: there is no script "nowhere"',
  ],
  [
    "an image",
    { input: [{ type: "image", source: "file://a.png" }] },
    "input[0].source: there is no such file: file://a.png",
  ],
  [
    "a checkpoint that waits for itself",
    {
      input: "hi",
      checkpoints: [
        { id: "a", assertions: has("a"), after: ["b"] },
        { id: "b", assertions: has("b"), after: ["c"] },
        { id: "c", assertions: has("c"), after: ["b"] },
      ],
    },
    'checkpoints[1].after: these checkpoints wait for each other: "b" after "c" after "b"',
  ],
  [
    "a checkpoint after one that is not there",
    {
      input: "hi",
      checkpoints: [
        { id: "paid", assertions: has("a") },
        { id: "sent", assertions: has("b"), after: ["payd"] },
      ],
    },
    'checkpoints[1].after[0]: there is no checkpoint "payd" in this case; did you mean "paid"?',
  ],
  [
    "two checkpoints with one id, one of them without an assertion",
    {
      input: "hi",
      checkpoints: [
        { id: "a", assertions: has("a") },
        { id: "a", assertions: [] },
      ],
    },
    'checkpoints[1].id: the id "a" is taken already, by checkpoints[0]',
  ],
  [
    "an invariant of an unknown type",
    { input: "hi", invariants: { type: "hass", value: "x" } },
    'invariants.type: there is no assertion type "hass"; did you mean "has"?',
  ],
])("%s: InvalidCaseError, and the agent is not asked", async (_, testCase, message) => {
  const agent = vi.fn();
  const error: unknown = await run(testCase, agent).catch((thrown: unknown) => thrown);
  expect(error).toSatisfy((thrown) => InvalidCaseError.isInstance(thrown));
  expect((error as Error).message).toContain(message);
  expect(agent).not.toHaveBeenCalled();
});

test("a check that blocks past the limit of the case has not passed", async () => {
  const blocks = definePlugin({
    name: "blocks",
    assertions: [
      defineAssertion({
        type: "blocks",
        schema: z.strictObject({}),
        label: () => "blocks",
        check() {
          const end = performance.now() + 60;
          while (performance.now() < end);
          return { passed: true, message: "at last" };
        },
      }),
    ],
  });
  for (const place of ["assert", "final_assertions", "invariants"])
    expect(
      await runCase(
        { id: "c", input: "hi", [place]: { type: "blocks" }, timeout: 50 },
        { agent: echo, plugins: [blocks] },
      ),
    ).toMatchObject({
      status: "error",
      blame: "author",
      error: expect.stringContaining("timeout after 50ms"),
    });
});

test("core alone says what to install for an assertion", async () => {
  await expect(
    runCase({ id: "c", input: "hi", assert: has("x") }, { agent: echo }),
  ).rejects.toThrow("Install @turnwise/assertions");
});
