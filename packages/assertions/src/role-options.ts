import type { AssertionProblem } from "@turnwise/core";
import { deepEqual, isObject } from "@turnwise/core";
import { z } from "zod";

/** A free object: `z.record` would drop a key `__proto__`. */
const openObject = z
  .custom<Readonly<Record<string, unknown>>>(isObject, "expected an object")
  .meta({ type: "object" });

/** Options of a call, as of any agent, and the metadata beside them. */
export const callFields = {
  options: z
    .strictObject({
      connector: z.string().min(1).optional().describe("The model endpoint to use."),
      skip: openObject.optional(),
      search: z.unknown().optional(),
      mode: z.string().optional(),
      metadata: openObject.optional(),
    })
    .optional()
    .describe("Options of the call."),
  metadata: openObject.optional().describe("Short for options.metadata."),
};

type CallFields = z.infer<z.ZodObject<typeof callFields>>;

/** The metadata of both places. A key that has two values is a problem. */
export function metadataOf(
  { options, metadata = {} }: CallFields,
  problem: (problem: AssertionProblem) => void,
): Readonly<Record<string, unknown>> {
  const inner = options?.metadata ?? {};
  for (const key of Object.keys(metadata))
    if (Object.hasOwn(inner, key) && !deepEqual(inner[key], metadata[key]))
      problem({
        code: "conflict",
        path: ["metadata", key],
        message: `${JSON.stringify(key)} has another value in options.metadata`,
      });
  return { ...inner, ...metadata };
}
