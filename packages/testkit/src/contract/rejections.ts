import { setTimeout } from "node:timers/promises";
import { errorMessage } from "@turnwise/core";
import type { Bench } from "./bench.js";
import { always } from "./check.js";
import { letGo } from "./settle.js";

/**
 * How long is listened after the end, in milliseconds of real time: what an agent left behind may wait for a socket, a
 * program or a short timer, which no number of turns of the event loop stands for.
 */
const aftermath = 50;

export const rejections = always({
  "no promise is left rejected": async (bench) => {
    // What was rejected before is told in the turn after it.
    await letGo(1);
    const reasons: unknown[] = [];
    const listen = (reason: unknown): void => void reasons.push(reason);
    process.on("unhandledRejection", listen);
    try {
      await everything(bench);
      // It may fail: what is thrown to those who wait is not left.
      await (async () => bench.agent.release?.())().catch(() => undefined);
      await setTimeout(aftermath);
    } finally {
      process.off("unhandledRejection", listen);
    }
    if (reasons.length > 0)
      throw new Error(
        `a promise was rejected that nobody waits for, which ends a process as a rule: ${errorMessage(reasons[0])}`,
      );
  },
});

/** Conversations that go well, break, are cancelled, and are closed with a request or a call open. */
async function everything(bench: Bench): Promise<void> {
  const { says } = bench;
  const { asks, calls, fails, hangs } = bench.options;
  await bench.talk([says.input]);
  for (const part of [asks, calls, fails]) if (part !== undefined) await bench.talk([part.input]);
  if (hangs === undefined) return;
  const controller = new AbortController();
  await bench.talk([hangs.input], {
    signal: controller.signal,
    asked: () => controller.abort(),
  });
}
