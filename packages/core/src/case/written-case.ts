import type { TestCase } from "./test-case.js";
import { originOf } from "./test-case.js";

/**
 * A case as a file may hold it. What was inferred is left to be inferred again: a case that says nothing of its type can
 * still be given a simulator.
 */
export function writtenCase(testCase: TestCase): Readonly<Record<string, unknown>> {
  const { type, ...rest } = testCase;
  if (originOf(testCase)?.raw?.["type"] !== undefined) return { ...testCase };
  const [turn] = rest.turns;
  if (type !== "single_turn" || turn === undefined) return rest;
  const { turns: _, input: history, id, name, ...fields } = rest;
  const { input, assertions, attachments } = turn;
  return {
    id,
    ...(name === undefined ? {} : { name }),
    input: history === undefined ? input : [...history, { role: "user", content: input }],
    ...(assertions.length === 0 ? {} : { assertions }),
    ...(attachments === undefined ? {} : { attachments }),
    ...fields,
  };
}
