import { randomUUID } from "node:crypto";
import type { CaseResult } from "@turnwise/core";
import { expectAnswered, expectFine, outputText } from "./bench.js";
import { always, given, onlyWith } from "./check.js";
import { Moment } from "./settle.js";

const conversations = 20;

/** Never told before. Short enough for a model to repeat, and of one length, so that none is part of another. */
function newSecret(): string {
  return `otter-${randomUUID().slice(0, 8)}`;
}

/** True if the reply to the question holds the secret. */
function knows(result: CaseResult, secret: string): boolean {
  return outputText(result, 2).includes(secret);
}

const closing = always({
  "a session can be closed that never was, and twice": async (bench) => {
    const { agent, says } = bench;
    await expectFine("closing a session that never was", () => agent.close?.(bench.newSession()));
    const sessionId = bench.newSession();
    const result = await bench.talk([says.input], { sessionId });
    const failed = result.warnings?.find(({ code }) => code === "close_failed");
    if (failed !== undefined) throw new Error(failed.message);
    await expectFine("closing a session a second time", () => agent.close?.(sessionId));
  },
  "the agent answers again after release": async (bench) => {
    const { agent, says } = bench;
    await bench.talk([says.input]);
    await expectFine("release", () => agent.release?.());
    expectAnswered(await bench.talk([says.input]), `${JSON.stringify(says.input)} after release`);
  },
});

const memory = given("remembers", {
  "a conversation is remembered": async (bench, { tell, ask }) => {
    const secret = newSecret();
    const result = await bench.talk([tell(secret), ask]);
    expectAnswered(result, `${JSON.stringify(ask)}, after it had been told,`);
    if (!knows(result, secret))
      throw new Error(
        `the agent was told ${secret}, and does not know it in the next turn of the same conversation: ${outputText(result, 2)}`,
      );
  },
  "20 conversations at once do not mix": async (bench, { tell, ask }) => {
    // What goes wrong with one conversation is the business of another check.
    const first = newSecret();
    const alone = knows(await bench.talk([tell(first), ask]), first);
    // Nobody asks before all have told.
    const allTold = new Moment();
    const telling = new Set(Array.from({ length: conversations }, newSecret));
    const secrets = [...telling];
    const told = (secret: string): void => {
      telling.delete(secret);
      if (telling.size === 0) allTold.reach();
    };
    await Promise.all(
      secrets.map(async (secret) => {
        const result = await bench.talk([tell(secret), ask], {
          async before({ turn }) {
            if (turn === 1) return;
            told(secret);
            await allTold.reached;
          },
        });
        // It may have ended before it could ask.
        told(secret);
        const text = outputText(result, 2);
        const foreign = secrets.find((other) => other !== secret && text.includes(other));
        if (foreign !== undefined)
          throw new Error(
            `a conversation that was told ${secret} got to hear of ${foreign}, which another one was told at the same time: ${text}; keep what you remember by sessionId`,
          );
        if (!alone) return;
        const among = `one of ${conversations} conversations at once`;
        expectAnswered(result, `${JSON.stringify(ask)} in ${among}`);
        if (!knows(result, secret))
          throw new Error(
            `the agent was told ${secret} in ${among}, and does not know it in the next turn: ${text}; keep what you remember by sessionId`,
          );
      }),
    );
  },
});

const forgetting = onlyWith(
  "forgets",
  given("remembers", {
    "a session id can be used anew, and nothing is left of the old one": async (
      bench,
      { tell, ask },
    ) => {
      const sessionId = bench.newSession();
      const secret = newSecret();
      await bench.talk([tell(secret)], { sessionId });
      const result = await bench.talk([ask], { sessionId });
      expectAnswered(result, `${JSON.stringify(ask)} in a session that was closed before`);
      const text = outputText(result, 1);
      if (text.includes(secret))
        throw new Error(
          `the agent still knows ${secret} from a conversation that was closed: ${text}; forget it in close(sessionId)`,
        );
    },
  }),
);

export const sessions = [...closing, ...memory, ...forgetting];
