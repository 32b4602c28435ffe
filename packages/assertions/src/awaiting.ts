import { awaitingKinds, defineAssertion } from "@turnwise/core";
import { z } from "zod";

/** The agent waits for its user after this turn, or does not. */
export const awaiting = defineAssertion({
  type: "awaiting",
  schema: z.strictObject({
    value: z.boolean().describe("Whether the agent waits."),
    kind: z.enum(awaitingKinds).optional().describe("What it waits for."),
  }),
  prepare(spec, { problem }) {
    if (spec.kind !== undefined && !spec.value)
      problem({
        code: "conflict",
        path: ["kind"],
        message: '"kind" needs "value": true: an agent that does not wait waits for nothing',
      });
    return spec;
  },
  label: (spec) =>
    spec.value
      ? `awaiting input${spec.kind === undefined ? "" : ` (${spec.kind})`}`
      : "not awaiting input",
  check({ turn }, spec) {
    const { detection } = turn;
    const passed =
      detection.awaiting === spec.value &&
      (spec.kind === undefined || detection.kind === spec.kind);
    const got = detection.awaiting
      ? `it waits${detection.kind === undefined ? "" : ` (${detection.kind})`}`
      : "it does not wait";
    const because = `${detection.reason}${detection.evidence === undefined ? "" : `: ${JSON.stringify(detection.evidence)}`}`;
    return {
      passed,
      message: passed
        ? `${got} (${because})`
        : `expected the agent ${spec.value ? "to wait for the user" : "to be done"}${spec.kind === undefined ? "" : ` (${spec.kind})`}, but ${got} (${because})`,
      expected: spec.kind === undefined ? spec.value : { value: spec.value, kind: spec.kind },
      actual:
        detection.kind === undefined
          ? detection.awaiting
          : { value: detection.awaiting, kind: detection.kind },
      details: { ...detection },
    };
  },
});
