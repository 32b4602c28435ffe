import type { AssertionContext, AssertionDefinition, AssertionVerdict } from "@turnwise/core";
import { z } from "@turnwise/core";

/** An assertion with a fixed verdict. */
export interface RecordingAssertion extends AssertionDefinition<Record<string, unknown>> {
  /** What it was asked to judge, in order. */
  readonly contexts: readonly AssertionContext[];
}

/** Makes an assertion type that takes any fields and always decides the same, or as the function says. */
export function recordAssertion(
  type: string,
  verdict: AssertionVerdict | ((context: AssertionContext) => AssertionVerdict),
): RecordingAssertion {
  const contexts: AssertionContext[] = [];
  return {
    type,
    schema: z.looseObject({}),
    contexts,
    label: () => type,
    check(context) {
      contexts.push(context);
      return typeof verdict === "function" ? verdict(context) : verdict;
    },
  };
}
