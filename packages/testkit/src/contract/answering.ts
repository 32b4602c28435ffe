import { deepEqual } from "@turnwise/core";
import { askedOf, expectAnswered, expectReply } from "./bench.js";
import { always } from "./check.js";

const conversations = 20;

export const answering = always({
  "a turn is answered with a valid reply": async (bench) => {
    const { input, reply } = bench.says;
    const result = await bench.talk([input]);
    const after = JSON.stringify(input);
    expectAnswered(result, after);
    expectReply(result, { turn: 1, reply, after });
    const unused = result.warnings?.find(({ code }) => code === "ignored_field");
    if (unused !== undefined) throw new Error(unused.message);
  },
  "several turns of a conversation are answered": async (bench) => {
    const { input } = bench.says;
    const result = await bench.talk([input, input, input]);
    expectAnswered(result, `${JSON.stringify(input)}, said three times`);
  },
  "20 conversations at once are answered": async (bench) => {
    const { input } = bench.says;
    const results = await Promise.all(
      Array.from({ length: conversations }, () => bench.talk([input, input])),
    );
    const after = `${JSON.stringify(input)} in one of ${conversations} conversations at once`;
    for (const result of results) expectAnswered(result, after);
  },
  "what the agent is asked is not changed by it": async (bench) => {
    const metadata = { contract: { list: [1, 2] } };
    const { input } = bench.says;
    await bench.talk([input, input], { fields: { options: { metadata } } });
    for (const { request, before } of bench.exchanges) {
      const after = askedOf(request);
      for (const key of ["messages", "options", "attachments"] as const)
        if (!deepEqual(before[key], after[key]))
          throw new Error(
            `the agent has changed "${key}" of its request, at which others look as well: copy what is to be changed (before: ${shown(before[key])}, after: ${shown(after[key])})`,
          );
    }
  },
});

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
