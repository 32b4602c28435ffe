import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import type { AgentFunction, AgentObject, AgentRequest, Message } from "@turnwise/core";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  adapterContract,
  adapterEnvironment,
  leftOut,
  recordAdapter,
  recordAgent,
} from "../index.js";
import type { AdapterContractOptions } from "../index.js";
import { Desk, deskOptions } from "./desk.test.support.js";

/** Runs every check and gives the messages of those that fail. */
async function failures(
  agent: AdapterContractOptions["agent"],
  options: Partial<AdapterContractOptions> = deskOptions,
): Promise<Record<string, string>> {
  const failed: Record<string, string> = {};
  for (const { name, run } of adapterContract({ patience: 30, ...options, agent })) {
    try {
      await run();
    } catch (error) {
      // Without the place in these files, and what is different every time.
      failed[name] = (error as Error).message
        .replace(/ \(packages\/[^)]+\)$/, "")
        .replaceAll(/(otter|session)-[0-9a-f-]+/g, "$1-ID");
    }
  }
  return failed;
}

// A rejection that a broken agent leaves behind is what one check is about, and no error of these tests.
let listeners: NodeJS.UnhandledRejectionListener[] = [];
const ignore = (): void => undefined;
beforeEach(() => {
  listeners = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", ignore);
});
afterEach(() => {
  process.off("unhandledRejection", ignore);
  for (const listener of listeners) process.on("unhandledRejection", listener);
});

test("an agent that keeps the contract passes, and no check is left out", async () => {
  expect(await failures(() => new Desk())).toEqual({});
  expect(leftOut({ agent: () => new Desk(), ...deskOptions })).toEqual([]);
});

test("checks may run at the same time, of one service", async () => {
  const desk = new Desk();
  const checks = adapterContract({ agent: () => desk, ...deskOptions });
  const ended = await Promise.allSettled([...checks, ...checks].map(({ run }) => run()));
  expect(ended.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []))).toEqual(
    [],
  );
});

test("every check has sessions and secrets of its own", async () => {
  const agent = recordAgent(["Hello!"]);
  const checks = adapterContract({ agent: () => agent, ...deskOptions });
  for (let time = 1; time <= 2; time++) {
    // Most of them fail: what they ask is of interest.
    await Promise.allSettled(checks.map(({ run }) => run()));
  }
  const told = agent.requests.flatMap(({ sessionId, turn, input }) =>
    turn === 1 && String(input).startsWith("remember") ? [{ sessionId, input }] : [],
  );
  expect(told.length).toBeGreaterThan(40);
  expect(new Set(told.map(({ input }) => input)).size).toBe(told.length);
  expect(new Set(told.map(({ sessionId }) => sessionId)).size).toBe(told.length);
});

test("an agent need not forget: core uses no session id twice", async () => {
  class NeverForgets extends Desk {
    override close() {}
  }
  const { forgets: _, ...options } = deskOptions;
  const agent = () => new NeverForgets();
  expect(await failures(agent, options)).toEqual({});
  const left = [
    'a session id can be used anew, and nothing is left of the old one (needs "forgets")',
    'a conversation that is closed leaves no request open (needs "forgets")',
  ];
  expect(leftOut({ agent, ...options })).toEqual(left);
  expect(leftOut({ agent, ...options, forgets: false })).toEqual(left);
});

test("what was rejected before is nothing of this agent", async () => {
  const checks = adapterContract({ agent: () => new Desk(), ...deskOptions });
  const check = checks.find(({ name }) => name === "no promise is left rejected")!;
  void Promise.reject(new Error("of somebody else"));
  await expect(check.run()).resolves.toBeUndefined();
});

test("what is rejected a little after the end is found", async () => {
  class LearnsLater extends Desk {
    override release() {
      setTimeout(() => void Promise.reject(new Error("not written in time")), 20);
    }
  }
  const checks = adapterContract({ agent: () => new LearnsLater() });
  const check = checks.find(({ name }) => name === "no promise is left rejected")!;
  await expect(check.run()).rejects.toThrow("a promise was rejected that nobody waits for");
  // The agent is released once more after a check: that one is told as well, and here.
  await once(process, "unhandledRejection");
});

test("a function that knows no more than what it is asked passes", async () => {
  const desk: AgentFunction = ({ messages, input }) => {
    if (input !== "what was it?") return "Hello!";
    const told = messages.findLast(({ content }) => String(content).startsWith("remember"));
    return told === undefined ? "Nothing." : String(told.content);
  };
  const { says, remembers } = deskOptions;
  expect(await failures(() => desk, { says, remembers })).toEqual({});
  expect(await failures(() => recordAgent(desk), { says, remembers })).toEqual({});
});

test("recording agents and adapters pass with what they can", async () => {
  const says = { input: "book", reply: "Where" };
  const replies = ["Where to?", "Booked."];
  expect(await failures(() => recordAgent(replies), { says })).toEqual({});
  const adapter = recordAdapter("fake", replies);
  expect(await failures(() => adapter.create({}, adapterEnvironment()), {})).toEqual({});
  expect(adapter.created.length).toBe(7);
  expect(leftOut({ agent: () => recordAgent(replies), says })).toMatchInlineSnapshot(`
    [
      "a conversation is remembered (needs "remembers")",
      "20 conversations at once do not mix (needs "remembers")",
      "a session id can be used anew, and nothing is left of the old one (needs "remembers" and "forgets")",
      "a request is answered by its answer (needs "asks")",
      "a request that was answered is closed (needs "asks")",
      "open requests have ids of their own (needs "asks")",
      "an answer reaches the conversation that it is for (needs "asks")",
      "a conversation that is closed leaves no request open (needs "asks" and "forgets")",
      "a tool call gets its result (needs "calls")",
      "a tool call that failed is survived (needs "calls")",
      "a message that leaves a tool call without result is answered (needs "calls")",
      "tool calls have ids of their own (needs "calls")",
      "a cancelled turn ends at once (needs "hangs")",
      "other conversations are answered after a cancelled turn (needs "hangs")",
      "a cancelled turn leaves others under way (needs "hangs")",
      "a turn that was cancelled before it began does not hang (needs "hangs")",
      "a failure is thrown, and blames the right one (needs "fails")",
      "other conversations are answered after a failure (needs "fails")",
    ]
  `);
});

/** Defects, the check that finds each, and what that says. */
const defects: readonly (readonly [check: string, defect: new () => AgentObject])[] = [
  [
    "a turn is answered with a valid reply",
    class SaysSomethingElse extends Desk {
      protected override said(request: AgentRequest, input: string) {
        return input === "hi" ? "Who are you?" : super.said(request, input);
      }
    },
  ],
  [
    "a turn is answered with a valid reply",
    class MisspellsField extends Desk {
      protected override reply(request: AgentRequest, content: string) {
        return { ...super.reply(request, content), awaitngInput: true };
      }
    },
  ],
  [
    "several turns of a conversation are answered",
    class TiresSoon extends Desk {
      protected override begin(request: AgentRequest) {
        if (request.turn === 3) throw new Error("I am tired");
        super.begin(request);
      }
    },
  ],
  [
    "20 conversations at once are answered",
    class KnowsNoCrowds extends Desk {
      private crowd = 0;
      protected override said(request: AgentRequest, input: string) {
        return input === "hi" ? this.greet(request) : super.said(request, input);
      }
      private async greet(request: AgentRequest) {
        if (this.crowd > 5) throw new Error("too many at once");
        this.crowd++;
        await setImmediate();
        this.crowd--;
        return this.reply(request, "Hello!");
      }
    },
  ],
  [
    "what the agent is asked is not changed by it",
    class PushesOntoMessages extends Desk {
      protected override begin(request: AgentRequest) {
        super.begin(request);
        (request.messages as Message[]).push({ role: "system", content: "Be brief." });
      }
    },
  ],
  [
    "what the agent is asked is not changed by it",
    class EditsMetadataLater extends Desk {
      override close(sessionId: string) {
        super.close(sessionId);
        for (const metadata of this.seen) metadata["done"] = true;
      }
      private readonly seen: Record<string, unknown>[] = [];
      protected override begin(request: AgentRequest) {
        super.begin(request);
        this.seen.push(request.options.metadata);
      }
    },
  ],
  [
    "a session can be closed that never was, and twice",
    class ClosesOnlyKnown extends Desk {
      private readonly known = new Set<string>();
      protected override begin(request: AgentRequest) {
        this.known.add(request.sessionId);
        super.begin(request);
      }
      override close(sessionId: string) {
        if (!this.known.has(sessionId)) throw new Error(`there is no ${sessionId}`);
        super.close(sessionId);
      }
    },
  ],
  [
    "a session can be closed that never was, and twice",
    class ClosesOnce extends Desk {
      private readonly closed = new Set<string>();
      protected override begin(request: AgentRequest) {
        this.closed.delete(request.sessionId);
        super.begin(request);
      }
      override close(sessionId: string) {
        if (this.closed.has(sessionId)) throw new Error(`${sessionId} is closed already`);
        this.closed.add(sessionId);
        super.close(sessionId);
      }
    },
  ],
  [
    "the agent answers again after release",
    class EndsWithRelease extends Desk {
      private released = false;
      override release() {
        this.released = true;
      }
      protected override begin(request: AgentRequest) {
        if (this.released) throw new Error("the connection is closed");
        super.begin(request);
      }
    },
  ],
  [
    "the agent answers again after release",
    class CannotRelease extends Desk {
      override async release() {
        throw new Error("nothing to release");
      }
    },
  ],
  [
    "a conversation is remembered",
    class Forgets extends Desk {
      protected override placeOf() {
        return this.newId("place");
      }
    },
  ],
  [
    "20 conversations at once do not mix",
    class RemembersForAll extends Desk {
      protected override placeOf() {
        return "here";
      }
      override close(sessionId: string) {
        super.close(sessionId);
        this.secrets.clear();
      }
    },
  ],
  [
    "20 conversations at once do not mix",
    class RemembersTen extends Desk {
      protected override said(request: AgentRequest, input: string) {
        const reply = super.said(request, input);
        if (this.secrets.size > 10) this.secrets.delete(this.secrets.keys().next().value!);
        return reply;
      }
    },
  ],
  [
    "20 conversations at once do not mix",
    class BreaksInCrowds extends Desk {
      protected override said(request: AgentRequest, input: string) {
        if (this.secrets.size > 10) throw new Error("the store is full");
        return super.said(request, input);
      }
    },
  ],
  [
    "a session id can be used anew, and nothing is left of the old one",
    class NeverForgets extends Desk {
      override close(sessionId: string) {
        this.open.delete(sessionId);
      }
    },
  ],
  [
    "a request is answered by its answer",
    class TakesYesForNo extends Desk {
      protected override answered(
        request: AgentRequest,
        answer: NonNullable<AgentRequest["answer"]>,
      ) {
        return { ...super.answered(request, answer), content: "Kept." };
      }
    },
  ],
  [
    "a request that was answered is closed",
    class KeepsRequestOpen extends Desk {
      protected override answered(request: AgentRequest) {
        return this.reply(request, "Deleted.");
      }
    },
  ],
  [
    "open requests have ids of their own",
    class UsesOneRequestId extends Desk {
      protected override ask(request: AgentRequest) {
        const before = this.open.get(request.sessionId);
        const { pending = [], ...reply } = super.ask(request);
        const all = before === undefined ? pending : [before, ...pending];
        return { ...reply, pending: all.map((one) => ({ ...one, id: "request" })) };
      }
      protected override answered(
        request: AgentRequest,
        answer: NonNullable<AgentRequest["answer"]>,
      ) {
        const requestId = this.open.get(request.sessionId)?.id ?? "none";
        return super.answered(request, { ...answer, requestId });
      }
      protected override reply(request: AgentRequest, content: string) {
        const { pending, ...reply } = super.reply(request, content);
        return pending === undefined
          ? reply
          : { ...reply, pending: pending.map((one) => ({ ...one, id: "request" })) };
      }
    },
  ],
  [
    "an answer reaches the conversation that it is for",
    class KnowsOneRequest extends Desk {
      private last: string | undefined;
      protected override ask(request: AgentRequest) {
        this.last = request.sessionId;
        return super.ask(request);
      }
      protected override answered(
        request: AgentRequest,
        answer: NonNullable<AgentRequest["answer"]>,
      ) {
        if (this.last !== request.sessionId) return this.reply(request, "What do you mean?");
        return super.answered(request, answer);
      }
    },
  ],
  [
    "a conversation that is closed leaves no request open",
    class NeverForgetsRequests extends Desk {
      override close(sessionId: string) {
        this.secrets.delete(sessionId);
      }
    },
  ],
  [
    "a tool call gets its result",
    class DoesNotReadResults extends Desk {
      protected override called(request: AgentRequest) {
        return this.reply(request, "It is unknown.");
      }
    },
  ],
  [
    "a tool call that failed is survived",
    class BreaksWithItsTool extends Desk {
      protected override called(request: AgentRequest) {
        const error = request.toolResults?.[0]?.error;
        if (error !== undefined) throw new Error(error);
        return super.called(request);
      }
    },
  ],
  [
    "a message that leaves a tool call without result is answered",
    class WantsItsResult extends Desk {
      protected override said(request: AgentRequest, input: string) {
        if (request.toolResults !== undefined) throw new Error("there is a call without result");
        return super.said(request, input);
      }
    },
  ],
  [
    "tool calls have ids of their own",
    class UsesOneCallId extends Desk {
      protected override newId(kind: string) {
        return kind === "call" ? "call" : super.newId(kind);
      }
    },
  ],
  [
    "a cancelled turn ends at once",
    class HearsNoSignal extends Desk {
      protected override wait() {
        return new Promise<string>(() => undefined);
      }
    },
  ],
  [
    "a cancelled turn ends at once",
    class RepliesAllTheSame extends Desk {
      protected override wait({ signal }: AgentRequest) {
        return new Promise<string>((resolve) => {
          signal.addEventListener("abort", () => resolve("Here you are."));
        });
      }
    },
  ],
  [
    "other conversations are answered after a cancelled turn",
    class StaysLocked extends Desk {
      private locked = false;
      protected override wait(request: AgentRequest) {
        this.locked = true;
        return super.wait(request);
      }
      protected override said(request: AgentRequest, input: string) {
        if (input === "hi" && this.locked) throw new Error("locked");
        return super.said(request, input);
      }
    },
  ],
  [
    "a cancelled turn leaves others under way",
    class CancelsAll extends Desk {
      private all = new AbortController();
      protected override wait(request: AgentRequest) {
        const { all } = this;
        request.signal.addEventListener("abort", () => {
          all.abort();
          this.all = new AbortController();
        });
        return super.wait({ ...request, signal: all.signal });
      }
    },
  ],
  [
    "a turn that was cancelled before it began does not hang",
    class WaitsForTheEvent extends Desk {
      protected override begin() {}
    },
  ],
  [
    "a failure is thrown, and blames the right one",
    class Apologises extends Desk {
      protected override said(request: AgentRequest, input: string) {
        return input === "break" ? "Sorry, the desk is closed." : super.said(request, input);
      }
    },
  ],
  [
    "a failure is thrown, and blames the right one",
    class BlamesTheAgent extends Desk {
      protected override said(request: AgentRequest, input: string) {
        if (input === "break") throw new Error("status 503");
        return super.said(request, input);
      }
    },
  ],
  [
    "other conversations are answered after a failure",
    class StaysBroken extends Desk {
      private broken = false;
      protected override said(request: AgentRequest, input: string) {
        if (input === "break") this.broken = true;
        if (input === "hi" && this.broken) throw new Error("the connection is gone");
        return super.said(request, input);
      }
    },
  ],
  [
    "no promise is left rejected",
    class DoesNotWait extends Desk {
      override close(sessionId: string) {
        super.close(sessionId);
        void Promise.reject(new Error("the log could not be written"));
      }
    },
  ],
];

test("each defect is found by its check and no other, and told in plain words", async () => {
  const messages: Record<string, string | undefined> = {};
  for (const [check, Defect] of defects) {
    const found = await failures(() => new Defect());
    expect.soft(Object.keys(found), Defect.name).toEqual([check]);
    messages[Defect.name] = found[check];
  }
  expect(messages).toMatchInlineSnapshot(`
    {
      "Apologises": "the agent is to fail upon "break", and replied: Sorry, the desk is closed.; throw an error: a reply that says so would be judged as one",
      "BlamesTheAgent": "the failure upon "break" is blamed on agent, expected infrastructure: agent error: status 503",
      "BreaksInCrowds": ""what was it?" in one of 20 conversations at once was not answered: turn 1 ended as failed: agent error: the store is full",
      "BreaksWithItsTool": "an error as the result of get_weather was not answered: turn 1 ended as failed: agent error: the tool is out of order",
      "CancelsAll": "a turn broke when that of another conversation was cancelled: each request has a signal of its own",
      "CannotRelease": "release failed: nothing to release",
      "ClosesOnce": "closing a session a second time failed: session-ID is closed already",
      "ClosesOnlyKnown": "closing a session that never was failed: there is no session-ID",
      "DoesNotReadResults": "expected the reply to the result of get_weather to hold "sunny", got: It is unknown.",
      "DoesNotWait": "a promise was rejected that nobody waits for, which ends a process as a rule: the log could not be written",
      "EditsMetadataLater": "the agent has changed "options" of its request, at which others look as well: copy what is to be changed (before: {"metadata":{"contract":{"list":[1,2]}}}, after: {"metadata":{"contract":{"list":[1,2]},"done":true}})",
      "EndsWithRelease": ""hi" after release was not answered: turn 1 ended as failed: agent error: the connection is closed",
      "Forgets": "the agent was told otter-ID, and does not know it in the next turn of the same conversation: It was nothing.",
      "HearsNoSignal": "the agent went on with "wait" for 30ms after it had been cancelled: pass request.signal on to whatever it waits for, and look at signal.aborted before you listen",
      "KeepsRequestOpen": "the request "request-1" was answered, and is still in "pending" of the next reply",
      "KnowsNoCrowds": ""hi" in one of 20 conversations at once was not answered: turn 1 ended as failed: agent error: too many at once",
      "KnowsOneRequest": "expected the reply to the answer of its request, while another conversation had one open, to hold /^Deleted\\.$/, got: What do you mean?",
      "MisspellsField": "the reply has a field that is not used: "awaitngInput" (did you mean "awaitingInput"?)",
      "NeverForgets": "the agent still knows otter-ID from a conversation that was closed: It was otter-ID.; forget it in close(sessionId)",
      "NeverForgetsRequests": "the request "request-1" of a conversation that was closed is open in the next one of that id: forget it in close(sessionId)",
      "PushesOntoMessages": "the agent has changed "messages" of its request, at which others look as well: copy what is to be changed (before: [{"role":"user","content":"hi"}], after: [{"role":"user","content":"hi"},{"role":"system","content":"Be brief."}])",
      "RemembersForAll": "a conversation that was told otter-ID got to hear of otter-ID, which another one was told at the same time: It was otter-ID.; keep what you remember by sessionId",
      "RemembersTen": "the agent was told otter-ID in one of 20 conversations at once, and does not know it in the next turn: It was nothing.; keep what you remember by sessionId",
      "RepliesAllTheSame": "the agent replied upon "wait" after it had been cancelled: reject as soon as request.signal is aborted",
      "SaysSomethingElse": "expected the reply to "hi" to hold "Hello", got: Who are you?",
      "StaysBroken": ""hi", after a turn of another conversation had failed, was not answered: turn 1 ended as failed: agent error: the connection is gone",
      "StaysLocked": ""hi", after a turn of another conversation had been cancelled, was not answered: turn 1 ended as failed: agent error: locked",
      "TakesYesForNo": "expected the reply to the answer of its request to hold /^Deleted\\.$/, got: Kept.",
      "TiresSoon": ""hi", said three times was not answered: turn 3 ended as failed: agent error: I am tired",
      "UsesOneCallId": "two tool calls of one conversation have the id "call": a result could belong to either; leave the id out if you have none",
      "UsesOneRequestId": "two requests that are open after turn 2 have the id "request": an answer could go to either",
      "WaitsForTheEvent": "asked with a signal that was aborted already, the agent did not answer within 30ms: no event comes any more, look at signal.aborted first",
      "WantsItsResult": "a message that came with "not executed" for the call of get_weather was not answered: turn 2 ended as failed: agent error: there is a call without result",
    }
  `);
});

test("every check can fail", () => {
  const found = new Set(defects.map(([check]) => check));
  const all = adapterContract({ agent: () => new Desk(), ...deskOptions });
  expect(all.map(({ name }) => name).filter((name) => !found.has(name))).toEqual([]);
});

test("options that do not fit the agent are told", async () => {
  const messages = await failures(() => new Desk(), {
    asks: { input: "hi", answer: { approve: true } },
    calls: { input: "hi", tool: "get_weather", result: "sunny" },
    hangs: { input: "hi" },
    fails: { input: "hi" },
  });
  expect(messages).toMatchInlineSnapshot(`
    {
      "a cancelled turn ends at once": "the agent replied upon "hi" before it could be cancelled, so that nothing can be checked: give "hangs" an input that takes it for ever",
      "a cancelled turn leaves others under way": "the agent replied upon "hi" before it could be cancelled, so that nothing can be checked: give "hangs" an input that takes it for ever",
      "a failure is thrown, and blames the right one": "the agent is to fail upon "hi", and replied: Hello!; throw an error: a reply that says so would be judged as one",
      "a message that leaves a tool call without result is answered": "the agent did not call get_weather upon "hi"; it called nothing",
      "a request is answered by its answer": "the agent has no request open after "hi": list it in "pending" of the reply",
      "a request that was answered is closed": "the agent has no request open after "hi": list it in "pending" of the reply",
      "a tool call gets its result": "the agent did not call get_weather upon "hi"; it called nothing",
      "a tool call that failed is survived": "the agent did not call get_weather upon "hi"; it called nothing",
      "an answer reaches the conversation that it is for": "the agent has no request open after "hi": list it in "pending" of the reply",
      "open requests have ids of their own": "the agent has no request open after "hi": list it in "pending" of the reply",
      "tool calls have ids of their own": "the agent did not call get_weather upon "hi"; it called nothing",
    }
  `);
});
