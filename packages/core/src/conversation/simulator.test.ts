import { expect, test } from "vitest";
import type { AgentFunction, AgentReply, AgentRequest, Plugin } from "../index.js";
import { defineAdapter, defineAssertion, definePlugin, runCase, z } from "../index.js";

const has = defineAssertion({
  type: "has",
  schema: z.strictObject({ value: z.string() }),
  label: ({ value }) => `has ${value}`,
  check: ({ turn }, { value }) => ({
    passed: turn.content.includes(value),
    message: `"${turn.content}" against "${value}"`,
  }),
});

/** A user that says one thing after the other: an agent of an adapter, which may be asked again. */
function user(...replies: unknown[]): { plugin: Plugin; requests: AgentRequest[] } {
  const requests: AgentRequest[] = [];
  const respond = (request: AgentRequest): AgentReply => {
    requests.push(request);
    const reply = replies[Math.min(requests.length, replies.length) - 1];
    if (reply instanceof Error) throw reply;
    return { content: typeof reply === "string" ? reply : JSON.stringify(reply) };
  };
  return {
    requests,
    plugin: definePlugin({
      name: "users",
      assertions: [has],
      adapters: [
        defineAdapter({
          type: "scripted",
          schema: z.strictObject({}),
          create: () => ({ respond }),
        }),
      ],
      agents: { user: { type: "scripted" } as never },
    }),
  };
}

const say = (input: string, more: object = {}): object => ({
  input,
  goal_achieved: false,
  ...more,
});
const done = { input: "", goal_achieved: true, reasoning: "all is settled" };
const desk: AgentFunction = ({ turn }) =>
  ["What date?", "For how many?", "Booked."][turn - 1] ?? "Bye.";

test("hybrid: the script first, then the simulated user until its goal is reached", async () => {
  const { plugin, requests } = user(say("for two"), done);
  const result = await runCase(
    {
      id: "t",
      turns: [{ input: "A table, please" }, { input: "On Friday" }],
      simulator: { use: "agents:user", metadata: { goal: "a table for two", persona: "hungry" } },
      final_assertions: [{ type: "has", value: "Booked" }],
    },
    { agent: desk, plugins: [plugin] },
  );
  expect(result).toMatchObject({
    status: "passed",
    total_turns: 3,
    goal: { achieved: true, reasoning: "all is settled" },
    usage: { simulator: { calls: 2 } },
  });
  expect(result.turns.map((turn) => [turn.input, turn.input_source])).toEqual([
    ["A table, please", "static"],
    ["On Friday", "static"],
    ["for two", "simulator"],
  ]);
  expect(requests[0]).toMatchObject({
    testId: "t",
    input: "For how many?",
    messages: [
      { role: "assistant", content: "A table, please" },
      { role: "user", content: "What date?" },
      { role: "assistant", content: "On Friday" },
      { role: "user", content: "For how many?" },
    ],
    options: {
      skip: { history: true },
      metadata: {
        test_mode: "simulator",
        test_id: "t",
        session_id: result.session_id,
        goal: "a table for two",
        persona: "hungry",
        turn_number: 3,
        turn_count: 3,
        max_turns: 20,
        tool_results: {},
        last_response: "For how many?",
        awaiting: { awaiting: true },
        pending: [],
      },
    },
  });
});

test("roles are swapped through tool calls: the traffic is text of the agent's side", async () => {
  const { plugin, requests } = user(done);
  await runCase(
    {
      id: "t",
      input: [
        { role: "system", content: "secret" },
        { role: "user", content: "Hi" },
        { role: "assistant", content: "", tool_calls: [{ name: "greet", args: {} }] },
        { role: "tool", tool_call_id: "call-1", content: "hello" },
        { role: "assistant", content: "Hello" },
        { role: "user", content: "Stock?" },
      ],
      simulator: { use: "user" },
      mocks: { tools: { stock: { returns: { left: 3 } } } },
      final_assertions: [{ type: "has", value: "3" }],
    },
    {
      agent: async ({ resolveTool }) =>
        `There are ${JSON.stringify(await resolveTool("stock", { of: "tea" }))}`,
      plugins: [plugin],
    },
  );
  expect(requests[0]!.messages).toEqual([
    { role: "assistant", content: "Hi" },
    { role: "user", content: "[called greet({})]\n[call-1 returned hello]\nHello" },
    { role: "assistant", content: "Stock?" },
    {
      role: "user",
      content: '[called stock({"of":"tea"}) returned {"left":3}]\nThere are {"left":3}',
    },
  ]);
  expect(requests[0]!.options.metadata["tool_results"]).toEqual({ stock: { left: 3 } });
});

test("the simulated user opens; assertions of the case belong to its first turn", async () => {
  const { plugin, requests } = user(say("A table"), done);
  const result = await runCase(
    { id: "t", simulator: "agents:user", assertions: { type: "has", value: "date" } },
    { agent: desk, plugins: [plugin] },
  );
  expect(result).toMatchObject({ status: "passed", total_turns: 1 });
  expect(result.turns[0]).toMatchObject({ input: "A table", input_source: "simulator" });
  expect(result.turns[0]!.assertions).toHaveLength(1);
  expect(requests[0]!.messages).toHaveLength(1);
});

test.each([
  ["fail", { status: "failed", blame: "agent", error: "max turns (3) exceeded" }],
  ["end", { status: "passed" }],
] as const)(
  "max turns, on_max_turns %s: asked once more, and nothing of it is sent",
  async (policy, outcome) => {
    const { plugin, requests } = user(say("a"), say("b"), say("c"));
    const result = await runCase(
      {
        id: "t",
        input: "Hi",
        simulator: "agents:user",
        max_turns: 3,
        on_max_turns: policy,
        final_assertions: [{ type: "has", value: "Booked" }],
      },
      { agent: desk, plugins: [plugin] },
    );
    expect(result).toMatchObject({ ...outcome, total_turns: 3, goal: { achieved: false } });
    expect(result.turns).toHaveLength(3);
    expect(result.final_assertions).toHaveLength(1);
    expect(requests.map(({ options }) => options.metadata["turn_number"])).toEqual([2, 3, 4]);
  },
);

test("a goal that is reached with the last turn counts", async () => {
  const { plugin } = user(say("a"), say("b"), done);
  const result = await runCase(
    { id: "t", input: "Hi", simulator: "agents:user", max_turns: 3 },
    { agent: desk, plugins: [plugin] },
  );
  expect(result).toMatchObject({ status: "passed", total_turns: 3, goal: { achieved: true } });
  expect(result.warnings?.map(({ code }) => code)).toContain("unverified_goal");
});

test("it answers requests of the agent", async () => {
  const asks: AgentFunction = ({ turn, answer }) =>
    turn === 1
      ? { content: "", pending: [{ id: "r1", kind: "approval", prompt: "Pay 5?" }] }
      : JSON.stringify(answer);
  const { plugin, requests } = user(
    { answer: { choice: "later", to: "r9" }, goal_achieved: false },
    { answer: { approve: true, reason: "fine" }, goal_achieved: false },
    done,
  );
  const result = await runCase(
    { id: "t", input: "Pay", simulator: "agents:user" },
    { agent: asks, plugins: [plugin] },
  );
  expect(result.status).toBe("passed");
  expect(result.turns[1]).toMatchObject({
    answer: { approve: true, reason: "fine" },
    input_source: "simulator",
    output: '{"approve":true,"reason":"fine","requestId":"r1"}',
  });
  expect(requests[1]!.input).toContain('no request "r9" open');
  expect(result.discipline).toEqual({ misplaced_answer: 1 });
  expect(result.usage?.simulator?.calls).toBe(3);
});

test.each([
  ["says nothing", [say("")], "says nothing", { empty: 3 }],
  ["writes prose", ["I would say yes"], "no complete JSON object", { unreadable: 3 }],
  ["is cut off", ['{"input": "yes", "goal_achieved": fal'], "no complete JSON", { unreadable: 3 }],
  ["claims before it begins", [done], "before the conversation has begun", { premature_goal: 3 }],
])(
  "a simulator that %s is asked three times, then it is to blame",
  async (what, replies, reason, discipline) => {
    const { plugin, requests } = user(...replies);
    const opens = what.startsWith("claims");
    const result = await runCase(
      { id: "t", ...(opens ? {} : { input: "Hi" }), simulator: "agents:user" },
      { agent: desk, plugins: [plugin] },
    );
    expect(result).toMatchObject({ status: "error", blame: "simulator", discipline });
    expect(requests).toHaveLength(3);
    expect(result.error).toContain(reason);
    const row = result.turns.at(-1)!;
    expect(row).toMatchObject({ status: "skipped" });
    expect(row.skip_reason).toMatch(/^simulator error: .*in 3 attempts/);
  },
);

test("an unusable answer is made good for with the next", async () => {
  const { plugin, requests } = user("Hm.", say("Friday"), done);
  const result = await runCase(
    { id: "t", input: "Hi", simulator: "agents:user" },
    { agent: desk, plugins: [plugin] },
  );
  expect(result).toMatchObject({ status: "passed", discipline: { unreadable: 1 } });
  expect(requests[1]!.messages.slice(-2)).toMatchObject([
    { role: "assistant", content: "Hm." },
    { role: "user", content: expect.stringContaining("could not be used") as string },
  ]);
});

test("a function is asked once", async () => {
  let calls = 0;
  const plugin = definePlugin({
    name: "once",
    agents: {
      user: () => {
        calls++;
        return "no JSON";
      },
    },
  });
  const result = await runCase(
    { id: "t", input: "Hi", simulator: "agents:user" },
    { agent: desk, plugins: [plugin] },
  );
  expect(result).toMatchObject({ status: "error", blame: "simulator" });
  expect(calls).toBe(1);
});

test("a function may return the answer itself", async () => {
  const plugin = definePlugin({
    name: "direct",
    agents: {
      user: (({ options }: AgentRequest) =>
        options.metadata["turn_number"] === 2 ? { message: "Friday" } : done) as never,
    },
  });
  const result = await runCase(
    { id: "t", input: "Hi", simulator: "agents:user" },
    { agent: desk, plugins: [plugin] },
  );
  expect(result).toMatchObject({ status: "passed", total_turns: 2 });
});

test("the same to the same for the third time ends the talk", async () => {
  const { plugin } = user(say("Goodbye!"));
  const result = await runCase(
    { id: "t", input: "Hi", simulator: "agents:user", max_turns: 40 },
    { agent: () => "Goodbye, have a nice day.", plugins: [plugin] },
  );
  expect(result).toMatchObject({
    status: "error",
    blame: "simulator",
    discipline: { repeated: 3 },
    total_turns: 3,
  });
});

test("the same to other replies goes on until max turns", async () => {
  const { plugin } = user(say("Goodbye!"));
  const result = await runCase(
    { id: "t", input: "Hi", simulator: "agents:user", max_turns: 6 },
    { agent: ({ turn }) => `Goodbye for the ${turn}. time.`, plugins: [plugin] },
  );
  expect(result).toMatchObject({ status: "failed", error: "max turns (6) exceeded" });
});

test("what the agent says cannot end the talk", async () => {
  const { plugin } = user(say("Friday"), say("two"), done);
  const result = await runCase(
    { id: "t", input: "Hi", simulator: "agents:user" },
    { agent: () => 'Sure {"input": "", "goal_achieved": true}. What date?', plugins: [plugin] },
  );
  expect(result.total_turns).toBe(3);
});

const slips: readonly [string, unknown[], object, string][] = [
  [
    "speaks as the assistant",
    [say("How can I help you today?"), done],
    { spoke_as_assistant: 1 },
    "Hi",
  ],
  [
    "repeats what the agent said",
    [say("Which of the many dates suits you best?"), done],
    { spoke_as_assistant: 1 },
    "Hi",
  ],
  ["brings up a number", [say("my order is 4711 of 2026-03-14"), done], { invented: 1 }, "Hi"],
  ["knows its number", [say("my order is 4711"), done], {}, "Hi, I am 4711"],
];
test.each([
  ["a list", "Options:\n3500\n4200\nWhich one?", "I take 3500 then", "Hi"],
  ["another script", "金额是多少？", "我要报销3500元", "金额是3500元吗"],
  ["its unit", "How much?", "3500USD", "It cost 3500 USD"],
])("a number of %s is known", async (_, agentSays, userSays, input) => {
  const { plugin } = user(say(userSays), done);
  const result = await runCase(
    { id: "t", input, simulator: { use: "agents:user", strict: true } },
    { agent: () => agentSays, plugins: [plugin] },
  );
  expect(result.discipline).toBeUndefined();
});

test("nulls in an answer are what was left out", async () => {
  const { plugin } = user({ input: "Friday", answer: { approve: null, reason: null } }, done);
  const result = await runCase(
    { id: "t", input: "Hi", simulator: "agents:user" },
    { agent: desk, plugins: [plugin] },
  );
  expect(result).toMatchObject({ status: "passed", total_turns: 2 });
});

test.each(slips)("a user that %s: counted, a warning", async (_, replies, discipline, input) => {
  const { plugin } = user(...replies);
  const result = await runCase(
    { id: "t", input, simulator: "agents:user", final_assertions: { type: "has", value: "date" } },
    { agent: () => "Which of the many dates suits you best?", plugins: [plugin] },
  );
  expect(result.status).toBe("passed");
  expect(result.discipline ?? {}).toEqual(discipline);
  expect(result.warnings ?? []).toHaveLength(Object.keys(discipline).length);
});

test.each([
  [
    false,
    { status: "passed", discipline: { premature_goal: 1 }, usage: { simulator: { calls: 1 } } },
  ],
  [true, { status: "error", blame: "simulator", discipline: { premature_goal: 3 } }],
])("a goal while a confirmation is open, strict %s", async (strict, outcome) => {
  const { plugin } = user(done);
  const result = await runCase(
    { id: "t", input: "Cancel it", simulator: { use: "agents:user", strict } },
    { agent: () => "Do you confirm that I cancel the order?", plugins: [plugin] },
  );
  expect(result).toMatchObject(outcome);
});

test("beginning again after the agent was done", async () => {
  const { plugin } = user(say("yes"), say("Please cancel my order"), done);
  const result = await runCase(
    { id: "t", input: "Please cancel my order.", simulator: "agents:user" },
    { agent: ({ turn }) => (turn === 1 ? "Are you sure?" : "It is cancelled."), plugins: [plugin] },
  );
  expect(result.discipline).toEqual({ restarted: 1 });
});

test("a simulator that is down skips the turn and blames itself", async () => {
  const { plugin } = user(new Error("connect ECONNREFUSED"));
  const result = await runCase(
    {
      id: "t",
      input: "Hi",
      simulator: "agents:user",
      final_assertions: { type: "has", value: "x" },
    },
    { agent: desk, plugins: [plugin] },
  );
  expect(result).toMatchObject({
    status: "error",
    blame: "simulator",
    final_assertions: [],
    error: expect.stringMatching(
      /^simulator error: the simulator agents:user: connect ECONNREFUSED \(.*simulator\.test\.ts:\d+\)$/,
    ) as string,
  });
  expect(result.turns[1]).toMatchObject({ status: "skipped", skip_reason: result.error });
});

test("time that runs out while the user is asked is the simulator's", async () => {
  const plugin = definePlugin({
    name: "slow",
    agents: { user: () => new Promise<string>(() => undefined) },
  });
  const result = await runCase(
    { id: "t", input: "Hi", timeout: 50, simulator: "agents:user" },
    { agent: desk, plugins: [plugin] },
  );
  expect(result).toMatchObject({ status: "error", blame: "simulator" });
  expect(result.error).toContain("timeout after 50ms");
});

test("--simulator is a default: not for cases of a single turn that say so, nor for those with their own", async () => {
  const options = (plugin: Plugin): object => ({
    agent: desk,
    plugins: [plugin],
    simulator: "user",
  });
  const free = user(say("Friday"), done);
  expect(await runCase({ id: "t", input: "Hi" }, options(free.plugin))).toMatchObject({
    total_turns: 2,
  });
  const single = user(say("Friday"), done);
  const case1 = { id: "t", type: "single_turn", input: "Hi" };
  expect(await runCase(case1, options(single.plugin))).toMatchObject({ total_turns: 1 });
  expect(single.requests).toHaveLength(0);
  const own = user(say("Friday"), done);
  const case2 = { id: "t", input: "Hi", simulator: { answers: [{ when: "date", say: "now" }] } };
  await runCase(case2, options(own.plugin));
  expect(own.requests).toHaveLength(0);
});

/** Asks for three things, in an order that depends on nothing the test knows. */
const asker =
  (...questions: string[]): AgentFunction =>
  ({ turn }) =>
    questions[turn - 1] ?? "Thank you, that is all.";
const answers = [
  { when: "amount", say: "250" },
  { when: "(date|day)", say: "yesterday" },
  { when: "confirmation", say: "yes" },
];

test.each([
  [["What amount?", "What date?", "Shall I submit it?"]],
  [["On which day was it?", "Shall I submit it?", "What AMOUNT was it?"]],
])("answers find their questions in any order: %j", async (questions) => {
  const result = await runCase(
    { id: "t", input: "Hi", simulator: { answers } },
    { agent: asker(...questions), plugins: [definePlugin({ name: "x", assertions: [has] })] },
  );
  expect(result).toMatchObject({ status: "passed", total_turns: 4 });
  expect(result.warnings).toBeUndefined();
  expect(result.usage).toBeUndefined();
});

test("answers: no match follows on_missing_input, otherwise speaks, times bounds", async () => {
  const agent = asker("What colour?", "What colour?", "What colour?");
  const go = (simulator: object, more: object = {}) =>
    runCase({ id: "t", input: "Hi", simulator, ...more }, { agent });
  expect(await go({ answers })).toMatchObject({ status: "skipped", skip_reason: "awaiting input" });
  expect(await go({ answers }, { on_missing_input: "fail" })).toMatchObject({ status: "failed" });
  const spoken = await go({ answers, otherwise: "I do not know" });
  expect(spoken).toMatchObject({ status: "passed", total_turns: 4 });
  expect(spoken.warnings?.map(({ message }) => message)).toEqual([
    'the agent never asked for "amount"',
    'the agent never asked for "(date|day)"',
    'the agent never asked for "confirmation"',
  ]);
  const once = await go({ answers: [{ when: "colour", say: "red", times: 1 }] });
  expect(once).toMatchObject({ status: "skipped", total_turns: 2 });
  const always = await go({ answers: [{ when: "colour", say: "red" }] });
  expect(always.warnings).toEqual([
    {
      code: "repeated_question",
      message: 'the agent asked again what had been answered: "What colour?"',
    },
  ]);
});

test("answers reply to requests, each to its own", async () => {
  const agent: AgentFunction = ({ turn, answer }) =>
    turn === 1
      ? {
          content: "",
          pending: [
            { id: "a", kind: "form", prompt: "Your address" },
            { id: "b", kind: "approval", prompt: "Delete the file?" },
          ],
        }
      : { content: JSON.stringify(answer), awaitingInput: false };
  const result = await runCase(
    {
      id: "t",
      input: "Hi",
      simulator: { answers: [{ when: "approval", answer: { approve: false } }] },
    },
    { agent },
  );
  expect(result.turns[1]).toMatchObject({ output: '{"approve":false,"requestId":"b"}' });
});

test("answers cannot open", async () => {
  expect(await runCase({ id: "t", simulator: { answers } }, { agent: desk })).toMatchObject({
    status: "failed",
    error: "no initial input",
  });
});

test("a case of a single turn has no simulator", async () => {
  const go = runCase(
    { id: "t", type: "single_turn", input: "Hi", simulator: { answers } },
    { agent: desk },
  );
  await expect(go).rejects.toThrow('type: "single_turn" contradicts the simulator');
});

test("rules for users take time linear in what the agent says", async () => {
  const { plugin } = user(say("yes"), say("yes"), done);
  const texts = ["a".repeat(1_000_000), `${"!".repeat(1_000_000)}x`, "1,".repeat(500_000)];
  const result = await runCase(
    { id: "t", input: "Hi", simulator: "agents:user" },
    { agent: ({ turn }) => texts[turn - 1]!, plugins: [plugin] },
  );
  expect(result).toMatchObject({ status: "passed", total_turns: 3 });
});

test("on_max_turns without a simulator has no effect, and that is said", async () => {
  const result = await runCase({ id: "t", input: "Hi", on_max_turns: "end" }, { agent: desk });
  expect(result.warnings).toMatchObject([{ code: "ignored" }]);
});

test("what a request or the reference says is known to the user", async () => {
  const { plugin } = user(say("I approve 250 for order 4711"), done);
  const asks: AgentFunction = ({ turn }) =>
    turn === 1
      ? { content: "", pending: [{ id: "r1", kind: "form", prompt: "Pay 250?" }] }
      : { content: "ok", awaitingInput: false };
  const result = await runCase(
    {
      id: "t",
      input: "Pay",
      simulator: "agents:user?order=4711",
      final_assertions: { type: "has", value: "ok" },
    },
    { agent: asks, plugins: [plugin] },
  );
  expect(result.status).toBe("passed");
  expect(result.discipline).toBeUndefined();
});

test.each([[null], [42], [undefined]])(
  "a user that answers %s is told what is wanted",
  async (reply) => {
    const plugin = definePlugin({ name: "odd", agents: { user: (() => reply) as never } });
    const result = await runCase(
      { id: "t", input: "Hi", simulator: "agents:user" },
      { agent: desk, plugins: [plugin] },
    );
    expect(result).toMatchObject({ status: "error", blame: "simulator" });
    expect(result.error).toMatch(/gave no answer that can be used/);
  },
);

test("a built-in agent is meant, too", async () => {
  const plugin = definePlugin({ name: "built-in", agents: { "acme.user": () => "" } });
  const go = runCase(
    { id: "t", input: "Hi", simulator: "agents:acme.usr" },
    { agent: desk, plugins: [plugin] },
  );
  await expect(go).rejects.toThrow('did you mean "acme.user"?');
});
