import { defineAssertion, errorMessage, formatDuration, parseDuration } from "@turnwise/core";
import type { PrepareContext } from "@turnwise/core";
import { z } from "zod";
import { checkRange, formatRange, isIn } from "./range.js";
import type { Range } from "./range.js";

const duration = z.union([z.string(), z.number()]).optional();
const schema = z.strictObject({
  min: duration.describe('Shortest time that will do: "500ms", "2s", or milliseconds.'),
  max: duration.describe("Longest time that will do."),
});
type Spec = z.infer<typeof schema>;

/** The agent took so long to answer: for a turn its reply, for final assertions all replies together. */
export const latency = defineAssertion({
  type: "latency",
  schema,
  prepare(spec, { problem }): Range {
    const range = {
      min: milliseconds(spec, "min", problem),
      max: milliseconds(spec, "max", problem),
    };
    const readable =
      (spec.min === undefined || range.min !== undefined) &&
      (spec.max === undefined || range.max !== undefined);
    if (readable) checkRange(range, problem);
    return range;
  },
  label: (spec) =>
    `latency ${formatRange(
      {
        ...(spec.min === undefined ? {} : { min: parseDuration(spec.min) }),
        ...(spec.max === undefined ? {} : { max: parseDuration(spec.max) }),
      },
      formatDuration,
    )}`,
  check({ scope, turn, conversation }, range) {
    const turns = scope === "turn" ? [turn] : conversation.turns;
    const took = turns.reduce((total, one) => total + one.durationMs, 0);
    // Timers are no more exact than that.
    const actual = Math.round(took * 10) / 10;
    const passed = isIn(took, range);
    const what = scope === "turn" ? "the reply" : `the ${turns.length} replies together`;
    return {
      passed,
      message: passed
        ? `${what} took ${formatDuration(actual)}`
        : `expected ${what} to take ${formatRange(range, formatDuration)}, got ${formatDuration(actual)}`,
      expected: range,
      actual,
    };
  },
});

function milliseconds(
  spec: Spec,
  field: "min" | "max",
  problem: PrepareContext["problem"],
): number | undefined {
  if (spec[field] === undefined) return undefined;
  try {
    return parseDuration(spec[field]);
  } catch (error) {
    const message = `invalid duration: ${errorMessage(error)}`;
    problem({ code: "invalid_duration", path: [field], message });
    return undefined;
  }
}
