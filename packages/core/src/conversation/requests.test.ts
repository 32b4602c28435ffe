import { expect, test } from "vitest";
import type { AgentLike, AgentReply, AgentRequest, RunCaseOptions } from "../index.js";
import { runCase } from "../index.js";

const run = (turns: object[], agent: AgentLike, more: object = {}, options: RunCaseOptions = {}) =>
  runCase({ id: "c", turns, ...more }, { agent, ...options });

const approval = {
  id: "req-1",
  kind: "approval",
  prompt: "Delete it?",
  toolName: "delete",
} as const;
const choice = { id: "req-2", kind: "choice", prompt: "Which?", options: ["red", "blue"] } as const;

/** Replies by a list, and remembers what it was asked. */
function scripted(...replies: (string | AgentReply)[]): {
  agent: AgentLike;
  requests: AgentRequest[];
} {
  const requests: AgentRequest[] = [];
  return {
    requests,
    agent: (request) => {
      requests.push({ ...request });
      return replies[requests.length - 1] ?? "Done.";
    },
  };
}

test("an answer goes to the oldest open request, and is no message of the user", async () => {
  const { agent, requests } = scripted({ content: "", pending: [approval, choice] });
  const result = await run(
    [{ input: "delete it" }, { answer: { approve: true, reason: "sure" } }],
    agent,
  );
  expect(requests[1]!.answer).toEqual({ requestId: "req-1", approve: true, reason: "sure" });
  expect(requests[1]).not.toHaveProperty("input");
  expect(requests[1]!.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  expect(result).toMatchObject({
    status: "passed",
    turns: [
      {
        awaiting_reason: "agent_declared",
        awaiting_kind: "approval",
        pending: [
          { id: "req-1", tool_name: "delete" },
          { id: "req-2", options: ["red", "blue"] },
        ],
      },
      { answer: { approve: true, reason: "sure" }, output: "Done." },
    ],
  });
  expect(result.turns[1]).not.toHaveProperty("input");
});

test.each([
  ["an id", { to: "req-2", choice: "blue" }, { requestId: "req-2", choice: "blue" }],
  ["a tool name", { to: "delete", approve: false }, { requestId: "req-1", approve: false }],
  ["a payload", { payload: { ok: [1] } }, { requestId: "req-1", payload: { ok: [1] } }],
])("an answer by %s", async (_, answer, sent) => {
  const { agent, requests } = scripted({ content: "", pending: [approval, choice] });
  expect((await run([{ input: "a" }, { answer }], agent)).status).toBe("passed");
  expect(requests[1]!.answer).toEqual(sent);
});

test.each<[string, (string | AgentReply)[], object, string]>([
  ["with nothing open", ["Hello."], { approve: true }, "the agent has none open"],
  [
    "to a request that was closed",
    [{ content: "", pending: [approval] }, "Fine."],
    { approve: true },
    "the agent has none open",
  ],
  [
    "to nobody",
    [{ content: "", pending: [approval] }],
    { to: "delet", approve: true },
    'no request "delet" open; did you mean "delete"? (open: req-1 (delete), approval)',
  ],
  [
    "with a choice that is not on offer",
    [{ content: "", pending: [choice] }],
    { choice: "green" },
    'the choice "green" is none of those on offer: "red", "blue"',
  ],
])("an answer %s is an error of the author", async (_, replies, answer, text) => {
  const { agent } = scripted(...replies);
  const before = replies.map((_reply, index) => ({ input: String(index) }));
  const result = await run([...before, { answer }, { input: "later" }], agent);
  expect(result).toMatchObject({ status: "error", blame: "author" });
  expect(result.error).toContain(text);
  expect(result.turns.slice(-2)).toMatchObject([
    { status: "failed", answer },
    { status: "not_sent" },
  ]);
});

const ask = {
  id: "ask-1",
  name: "ask_user",
  arguments: { question: "Which colour?", options: ["red", { label: "blue" }] },
};
const find = { id: "find-1", name: "find", arguments: {} };

test("an open call that asks the user is a request; a plain message is its result", async () => {
  const { agent, requests } = scripted({
    content: "",
    toolCalls: [ask],
    finishReason: "tool_calls",
  });
  const result = await run([{ input: "paint it" }, { input: "blue" }], agent);
  expect(result.turns[0]).toMatchObject({
    awaiting_input: true,
    awaiting_reason: "tool_requires_confirmation",
    pending: [
      {
        id: "ask-1",
        kind: "tool",
        prompt: "Which colour?",
        options: ["red", "blue"],
        tool_name: "ask_user",
      },
    ],
  });
  expect(requests[1]).not.toHaveProperty("input");
  expect(requests[1]!.toolResults).toEqual([{ id: "ask-1", name: "ask_user", result: "blue" }]);
  expect(requests[1]!.messages.at(-1)).toEqual({
    role: "tool",
    toolCallId: "ask-1",
    toolName: "ask_user",
    content: "blue",
  });
});

test("an answer to a call that asks the user is its result too", async () => {
  for (const [answer, result] of [
    [{ choice: "red" }, "red"],
    [{ payload: { colour: "red" } }, { colour: "red" }],
    [
      { approve: false, reason: "no" },
      { approved: false, reason: "no" },
    ],
  ] as const) {
    const { agent, requests } = scripted({ content: "", toolCalls: [ask] });
    expect((await run([{ input: "a" }, { answer }], agent)).status).toBe("passed");
    expect(requests[1]!.answer).toEqual({ requestId: "ask-1", ...answer });
    expect(requests[1]!.toolResults).toEqual([{ id: "ask-1", name: "ask_user", result }]);
  }
});

test("results of the round wait for the user, and go out with the answer", async () => {
  const { agent, requests } = scripted(
    { content: "", toolCalls: [find, ask, { ...ask, id: "ask-2" }], finishReason: "tool_calls" },
    "Done.",
  );
  const result = await run([{ input: "a" }, { input: "red" }], agent, {
    mocks: { tools: { find: { returns: 7 } } },
  });
  expect(requests).toHaveLength(2);
  expect(requests[1]!.toolResults).toEqual([
    { id: "find-1", name: "find", result: 7 },
    { id: "ask-1", name: "ask_user", result: "red" },
    { id: "ask-2", name: "ask_user", error: "not executed" },
  ]);
  expect(result).toMatchObject({
    status: "passed",
    turns: [{ awaiting_input: true, tool_calls: [{ result: 7 }, { name: "ask_user" }, {}] }, {}],
  });
});

test("a mocked call that asks the user is answered by its mock", async () => {
  const { agent, requests } = scripted({ content: "", toolCalls: [ask] }, "Blue it is.");
  const result = await run([{ input: "a" }], agent, {
    mocks: { tools: { ask_user: { returns: "blue" } } },
  });
  expect(requests).toHaveLength(2);
  expect(result.turns[0]).toMatchObject({ output: "Blue it is.", awaiting_input: false });
});

test("an image in the message that answers a call comes along beside it", async () => {
  const { agent, requests } = scripted({ content: "", toolCalls: [ask] });
  const image = { type: "image", source: "data:image/png;base64,AAAA" };
  await run([{ input: "a" }, { input: [{ type: "text", text: "this one" }, image] }], agent);
  expect(requests[1]!.toolResults![0]!.result).toBe("this one");
  expect(requests[1]!.attachments).toEqual([image]);
});

test("attachments stand in the history too: they are not lost on the next turn", async () => {
  const { agent, requests } = scripted("Nice.", "Still nice.");
  const image = { type: "image", source: "data:image/png;base64,AAAA" };
  await run([{ input: "look", attachments: [image] }, { input: "again" }], agent);
  expect(requests[0]).toMatchObject({ input: "look", attachments: [image] });
  expect(requests[1]!.attachments).toEqual([]);
  expect(requests[1]!.messages[0]).toEqual({
    role: "user",
    content: [{ type: "text", text: "look" }, image],
  });
});

/**
 * Some protocols ask inside of a turn and wait there for the answer: the call of `respond` ends while the request stays
 * open, and the next one brings the answer.
 */
class CallbackAgent {
  readonly #open = new Map<string, { answer: (yes: boolean) => void; done: Promise<string> }>();

  get openRequests(): number {
    return this.#open.size;
  }

  async respond({ sessionId, answer, input }: AgentRequest): Promise<AgentReply> {
    const open = this.#open.get(sessionId);
    if (open === undefined) return this.#start(sessionId);
    const approve = answer !== undefined && "approve" in answer ? answer.approve : input === "yes";
    open.answer(approve);
    return { content: await open.done };
  }

  #start(sessionId: string): AgentReply {
    let answer: (yes: boolean) => void = () => {};
    const asked = new Promise<boolean>((resolve) => (answer = resolve));
    const done = asked.then((yes) => {
      this.#open.delete(sessionId);
      return yes ? "Written." : "Left alone.";
    });
    this.#open.set(sessionId, { answer, done });
    return {
      content: "",
      pending: [{ id: "permission", kind: "approval", prompt: "Write a.txt?" }],
    };
  }

  close(sessionId: string): void {
    this.#open.get(sessionId)?.answer(false);
  }
}

test("a request inside of a turn stays open while the reply is out", async () => {
  const agent = new CallbackAgent();
  const answered = await run([{ input: "write" }, { answer: { approve: true } }], agent);
  expect(answered.turns[1]!.output).toBe("Written.");
  const plain = await run([{ input: "write" }, { input: "no" }], agent);
  expect(plain.turns[1]!.output).toBe("Left alone.");
  const left = await run([{ input: "write" }], agent);
  expect(left).toMatchObject({ status: "skipped", skip_reason: "awaiting input" });
  await new Promise(setImmediate);
  expect(agent.openRequests).toBe(0);
});
