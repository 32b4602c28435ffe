import type { Exchange } from "./bench.js";
import { expectAnswered, expectFine, outputText } from "./bench.js";
import { always, given } from "./check.js";
import { Moment } from "./settle.js";

const conversations = 20;

/** Of one length, so that none is part of another. */
function secretOf(index: number): string {
  return `otter-${String(index).padStart(2, "0")}`;
}

const closing = always({
  "a session can be closed that never was, and twice": async (bench) => {
    const { agent, says } = bench;
    await expectFine("closing a session that never was", () => agent.close?.("session-never"));
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
    const secret = secretOf(0);
    const result = await bench.talk([tell(secret), ask]);
    expectAnswered(result, `${JSON.stringify(ask)}, after it had been told,`);
    const text = outputText(result, 2);
    if (!text.includes(secret))
      throw new Error(
        `the agent was told ${secret}, and does not know it in the next turn of the same conversation: ${text}`,
      );
  },
  "20 conversations at once do not mix": async (bench, { tell, ask }) => {
    // Nobody asks before all have told. Those that are not answered are the business of another check.
    const told = new Moment();
    let telling = conversations;
    const tellOne = async ({ over }: Exchange): Promise<void> => {
      await over;
      if (--telling === 0) told.reach();
    };
    const secrets = Array.from({ length: conversations }, (_, index) => secretOf(index));
    await Promise.all(
      secrets.map(async (secret) => {
        const talk = bench.talk([tell(secret), ask], {
          async before({ turn }) {
            if (turn > 1) await told.reached;
          },
          asked: (exchange) => {
            if (exchange.request.turn === 1) void tellOne(exchange);
          },
        });
        const text = outputText(await talk, 2);
        const foreign = secrets.find((other) => other !== secret && text.includes(other));
        if (foreign !== undefined)
          throw new Error(
            `a conversation that was told ${secret} got to hear of ${foreign}, which another one was told at the same time: ${text}; keep what you remember by sessionId`,
          );
      }),
    );
  },
  "a session id can be used anew, and nothing is left of the old one": async (
    bench,
    { tell, ask },
  ) => {
    const sessionId = bench.newSession();
    const secret = secretOf(0);
    await bench.talk([tell(secret)], { sessionId });
    const result = await bench.talk([ask], { sessionId });
    expectAnswered(result, `${JSON.stringify(ask)} in a session that was closed before`);
    const text = outputText(result, 1);
    if (text.includes(secret))
      throw new Error(
        `the agent still knows ${secret} from a conversation that was closed: ${text}; forget it in close(sessionId)`,
      );
  },
});

export const sessions = [...closing, ...memory];
