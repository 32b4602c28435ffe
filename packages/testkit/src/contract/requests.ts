import type { CaseResult, TurnResult } from "@turnwise/core";
import type { Bench } from "./bench.js";
import type { AdapterContractOptions } from "./options.js";
import { expectAnswered, expectReply, holds } from "./bench.js";
import { given, onlyWith } from "./check.js";
import { Moment } from "./settle.js";

type Asks = NonNullable<AdapterContractOptions["asks"]>;
type OpenRequest = NonNullable<TurnResult["pending"]>[number];

/** The requests that are open after a turn. */
function openAfter(result: CaseResult, turn: number): readonly OpenRequest[] {
  return result.turns[turn - 1]?.pending ?? [];
}

/** Has the agent ask and answers it. */
async function ask(bench: Bench, { input, answer }: Asks): Promise<CaseResult> {
  const result = await bench.talk([input, { answer }]);
  expectAsked(result, input);
  expectAnswered(result, `the answer to the request that ${JSON.stringify(input)} had opened`);
  return result;
}

function expectAsked(result: CaseResult, input: string): void {
  if (openAfter(result, 1).length > 0) return;
  if (result.turns[0]?.status !== "passed") expectAnswered(result, JSON.stringify(input));
  throw new Error(
    `the agent has no request open after ${JSON.stringify(input)}: list it in "pending" of the reply`,
  );
}

const asking = given("asks", {
  "a request is answered by its answer": async (bench, asks) => {
    const result = await ask(bench, asks);
    const after = "the answer of its request";
    expectReply(result, { turn: 2, reply: asks.reply, after });
  },
  "a request that was answered is closed": async (bench, asks) => {
    const result = await ask(bench, asks);
    const { to } = asks.answer;
    const asked = openAfter(result, 1);
    const answered = asked.find(({ id, tool_name: name }) => to === id || to === name) ?? asked[0]!;
    if (openAfter(result, 2).some(({ id }) => id === answered.id))
      throw new Error(
        `the request ${JSON.stringify(answered.id)} was answered, and is still in "pending" of the next reply`,
      );
  },
  "open requests have ids of their own": async (bench, { input }) => {
    // An agent whose protocol takes no message while it waits may refuse the second one.
    const result = await bench.talk([input, input]);
    expectAsked(result, input);
    for (const { turn, pending = [] } of result.turns) {
      const ids = pending.map(({ id }) => id);
      const twice = ids.find((id, index) => ids.indexOf(id) !== index);
      if (twice !== undefined)
        throw new Error(
          `two requests that are open after turn ${turn} have the id ${JSON.stringify(twice)}: an answer could go to either`,
        );
    }
  },
  "an answer reaches the conversation that it is for": async (bench, asks) => {
    const { input, answer, reply } = asks;
    // What goes wrong with one conversation is the business of another check.
    const alone = holds(await ask(bench, asks), { turn: 2, reply });
    for (const first of [0, 1]) {
      const asked = [new Moment(), new Moment()] as const;
      const answered = new Moment();
      // Both ask, then one is answered, then the other.
      const results = await Promise.all(
        asked.map(async ({ reach }, index) => {
          const talk = bench.talk([input, { answer }], {
            async before({ turn }) {
              if (turn === 1) {
                if (index === 1) await asked[0].reached;
                return;
              }
              reach();
              await Promise.all(asked.map(({ reached }) => reached));
              if (index !== first) await answered.reached;
            },
          });
          const result = await talk;
          reach();
          if (index === first) answered.reach();
          return result;
        }),
      );
      for (const result of results) {
        expectAsked(result, input);
        const after = "the answer of its request, while another conversation had one open,";
        expectAnswered(result, after);
        if (alone) expectReply(result, { turn: 2, reply, after });
      }
    }
  },
});

const closing = onlyWith(
  "forgets",
  given("asks", {
    "a conversation that is closed leaves no request open": async (bench, { input }) => {
      const sessionId = bench.newSession();
      const asked = await bench.talk([input], { sessionId });
      expectAsked(asked, input);
      const [old] = openAfter(asked, 1);
      const result = await bench.talk([bench.says.input], { sessionId });
      if (openAfter(result, 1).some(({ id }) => id === old!.id))
        throw new Error(
          `the request ${JSON.stringify(old!.id)} of a conversation that was closed is open in the next one of that id: forget it in close(sessionId)`,
        );
    },
  }),
);

export const requests = [...asking, ...closing];
