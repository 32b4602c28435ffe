import { AgentError, defineAssertion } from "@turnwise/core";
import type { AssertionTurn } from "@turnwise/core";
import { z } from "zod";
import { checkRange, formatRange, isIn } from "./range.js";

const limit = z.int().nonnegative().optional();
const kinds = ["total", "input", "output"] as const;

/** The agent used so many tokens: for a turn those of its reply, for final assertions those of all replies together. */
export const usage = defineAssertion({
  type: "usage",
  schema: z.strictObject({
    min: limit.describe("Fewest tokens that will do."),
    max: limit.describe("Most tokens that will do."),
    tokens: z.enum(kinds).optional().describe("Which tokens. Default: total."),
  }),
  prepare(spec, { problem }) {
    checkRange(spec, problem);
    return spec;
  },
  label: (spec) => `${spec.tokens ?? "total"} tokens ${formatRange(spec)}`,
  check({ scope, turn, conversation }, spec) {
    const kind = spec.tokens ?? "total";
    const turns = scope === "turn" ? [turn] : conversation.turns;
    let actual = 0;
    for (const one of turns) {
      const tokens = tokensOf(one, kind);
      if (tokens === undefined)
        throw new AgentError(`the agent reported no ${kind} tokens for turn ${one.turn}`);
      actual += tokens;
    }
    const passed = isIn(actual, spec);
    return {
      passed,
      message: passed
        ? `${actual} ${kind} tokens`
        : `expected ${formatRange(spec)} ${kind} tokens, got ${actual}`,
      expected: { min: spec.min, max: spec.max },
      actual,
    };
  },
});

function tokensOf(
  { usage: used }: AssertionTurn,
  kind: (typeof kinds)[number],
): number | undefined {
  if (used === undefined) return undefined;
  const { inputTokens, outputTokens, totalTokens } = used;
  if (kind === "input") return inputTokens;
  if (kind === "output") return outputTokens;
  if (totalTokens !== undefined) return totalTokens;
  return inputTokens === undefined || outputTokens === undefined
    ? undefined
    : inputTokens + outputTokens;
}
