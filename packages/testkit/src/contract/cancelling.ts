import type { CaseResult } from "@turnwise/core";
import type { Bench, Exchange } from "./bench.js";
import { agentRequest } from "./agent-request.js";
import { expectAnswered } from "./bench.js";
import { given } from "./check.js";
import { Moment, letGo, settles } from "./settle.js";

/** Turns of the event loop after which a request is on its way, and nothing has come back. */
const onItsWay = 100;

/** A turn that hangs, and how to end it. */
interface Hanging {
  /** Undefined if the conversation did not get so far. */
  readonly exchange: Exchange | undefined;
  readonly abort: () => void;
  /** Core's side of the conversation. */
  readonly talk: Promise<CaseResult>;
}

/** Begins a turn that hangs, the last one of the conversation. */
async function hang(bench: Bench, turns: readonly string[]): Promise<Hanging> {
  const controller = new AbortController();
  const asked = new Moment();
  const sessionId = bench.newSession();
  const talk = bench.talk(turns, {
    sessionId,
    signal: controller.signal,
    asked: ({ request }) => {
      if (request.turn === turns.length) asked.reach();
    },
  });
  await Promise.race([asked.reached, talk]);
  const exchange = bench.of(sessionId).find(({ request }) => request.turn === turns.length);
  return { exchange, talk, abort: () => controller.abort() };
}

function expectUnderWay(exchange: Exchange | undefined, input: string): void {
  if (exchange?.outcome !== "none")
    throw new Error(
      `the agent ${exchange?.outcome ?? "was not asked"} upon ${JSON.stringify(input)} before it could be cancelled, so that nothing can be checked: give "hangs" an input that takes it for ever`,
    );
}

export const cancelling = given("hangs", {
  "a cancelled turn ends at once": async (bench, { input }) => {
    const { patience, says } = bench;
    // The first one finds out whether the input hangs at all: what replies after it was cancelled does not listen then.
    for (const { turns, wait } of [
      { turns: [says.input, input], wait: onItsWay },
      { turns: [input], wait: 0 },
      { turns: [says.input, input], wait: 0 },
    ]) {
      const { exchange, talk, abort } = await hang(bench, turns);
      // That others are answered after a cancelled turn is the business of another check.
      if (exchange === undefined) return;
      await letGo(wait);
      if (wait > 0) expectUnderWay(exchange, input);
      abort();
      const ended = await settles(exchange.over, patience);
      await talk;
      if (!ended)
        throw new Error(
          `the agent went on with ${JSON.stringify(input)} for ${patience}ms after it had been cancelled: pass request.signal on to whatever it waits for, and look at signal.aborted before you listen`,
        );
      if (exchange.outcome === "replied")
        throw new Error(
          `the agent replied upon ${JSON.stringify(input)} after it had been cancelled: reject as soon as request.signal is aborted`,
        );
    }
  },
  "other conversations are answered after a cancelled turn": async (bench, { input }) => {
    const { says } = bench;
    const { talk, abort } = await hang(bench, [input]);
    abort();
    await talk;
    expectAnswered(
      await bench.talk([says.input]),
      `${JSON.stringify(says.input)}, after a turn of another conversation had been cancelled,`,
    );
  },
  "a cancelled turn leaves others under way": async (bench, { input }) => {
    const [one, other] = await Promise.all([hang(bench, [input]), hang(bench, [input])]);
    try {
      expectUnderWay(other.exchange, input);
      one.abort();
      await one.talk;
      await letGo(onItsWay);
      if (other.exchange?.outcome !== "none")
        throw new Error(
          `a turn ${other.exchange?.outcome === "threw" ? "broke" : "was answered"} when that of another conversation was cancelled: each request has a signal of its own`,
        );
    } finally {
      one.abort();
      other.abort();
      await Promise.all([one.talk, other.talk]);
    }
  },
  "a turn that was cancelled before it began does not hang": async (bench, { input }) => {
    const { agent, patience } = bench;
    const sessionId = bench.newSession();
    const request = agentRequest({ sessionId, input, signal: AbortSignal.abort() });
    const answer = (async () => agent.respond(request))();
    const ended = await settles(answer, patience);
    await agent.close?.(sessionId);
    if (!ended)
      throw new Error(
        `asked with a signal that was aborted already, the agent did not answer within ${patience}ms: no event comes any more, look at signal.aborted first`,
      );
  },
});
