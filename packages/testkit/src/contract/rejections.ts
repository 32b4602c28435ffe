import { errorMessage } from "@turnwise/core";
import type { Bench } from "./bench.js";
import { always } from "./check.js";
import { letGo } from "./settle.js";

/** Turns of the event loop within which Node tells of a rejection. */
const told = 10;

export const rejections = always({
  "no promise is left rejected": async (bench) => {
    const reasons: unknown[] = [];
    const listen = (reason: unknown): void => void reasons.push(reason);
    process.on("unhandledRejection", listen);
    try {
      await everything(bench);
      // It may fail: what is thrown to those who wait is not left.
      await (async () => bench.agent.release?.())().catch(() => undefined);
      await letGo(told);
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
