import { z } from "zod";
import type { ProblemCode } from "../problem.js";
import { detectionSchema } from "../awaiting/settings.js";
import { awaitingKinds } from "../contract/agent.js";
import { missingInputPolicies } from "../contract/config.js";
import { parseDuration } from "../duration.js";
import { isObject } from "../json.js";
import { describeIssue } from "./schema-problems.js";

/*
 * The case format as it stands in files. Checks only: nothing is transformed here, so that the same schema gives the
 * JSON Schema for editors. `normalise.ts` turns what passes into a `TestCase`.
 */

/** A value checked by hand, with the JSON Schema that editors get for it. */
function custom<T>(
  check: (value: unknown) => string | undefined,
  jsonSchema: Record<string, unknown>,
  code: ProblemCode = "invalid_value",
): z.ZodType<T> {
  return z
    .unknown()
    .superRefine((value, context) => {
      const wrong = check(value);
      if (wrong !== undefined)
        context.addIssue({ code: "custom", message: wrong, params: { code } });
    })
    .meta(jsonSchema) as unknown as z.ZodType<T>;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** `"30s"`, `"5m"`, `"1h"` or milliseconds. */
export const durationSchema = custom<string | number>(
  (value) => {
    try {
      parseDuration(value);
      return undefined;
    } catch (error) {
      return `invalid duration: ${(error as Error).message}`;
    }
  },
  {
    anyOf: [
      { type: "string", pattern: "^\\s*(\\d+(\\.\\d+)?|(\\d+(\\.\\d+)?(ms|s|m|h))+)\\s*$" },
      { type: "number", exclusiveMinimum: 0, maximum: 86_400_000 },
    ],
    description: 'A duration: "30s", "5m", "1h", or milliseconds.',
  },
  "invalid_duration",
);

/** Free-form JSON objects are handed on as they are: `z.record` would drop a key `__proto__`. */
const openObject = custom<Readonly<Record<string, unknown>>>(
  (value) => (isObject(value) ? undefined : `expected an object, got ${shown(value)}`),
  { type: "object" },
);

const switches = custom<Readonly<Record<string, boolean>>>(
  (value) => {
    if (!isObject(value)) return `expected an object of booleans, got ${shown(value)}`;
    const wrong = Object.keys(value).find((key) => typeof value[key] !== "boolean");
    return wrong === undefined
      ? undefined
      : `expected true or false for ${JSON.stringify(wrong)}, got ${shown(value[wrong])}`;
  },
  { type: "object", additionalProperties: { type: "boolean" } },
);

/** Options handed to the agent untouched. */
const optionsSchema = z
  .strictObject({
    connector: z.string().min(1).optional().describe("The model endpoint to use."),
    skip: switches.optional().describe("Switches such as history or trace."),
    search: z.unknown().optional(),
    mode: z.string().optional(),
    metadata: openObject.optional(),
  })
  .describe("Options handed to the agent untouched.");

const text = z.string();
const textPart = z.strictObject({ type: z.literal("text"), text });
const mediaPart = z.strictObject({
  type: z.enum(["image", "audio", "file"]),
  source: z.string().min(1),
  name: z.string().optional(),
});
const contentParts = z.array(z.union([textPart, mediaPart])).min(1);
const content = z.union([text, contentParts]);

const historyToolCall = z.strictObject({
  id: z.string().optional(),
  name: z.string().min(1),
  args: z.unknown().optional(),
});

/** One message of a history. */
const messageSchema = z.strictObject({
  role: z.enum(["system", "user", "assistant", "tool"]),
  content,
  tool_calls: z.array(historyToolCall).optional(),
  tool_call_id: z.string().optional(),
});
/** One message of a history, as files hold it. */
export type RawMessage = z.infer<typeof messageSchema>;

/** Assertions are opaque here: their fields belong to the plugins that define them. */
const assertions = custom<
  Readonly<Record<string, unknown>> | readonly Readonly<Record<string, unknown>>[]
>(
  (value) => {
    if (isObject(value)) return undefined;
    if (!Array.isArray(value))
      return `expected an assertion such as {"type": "contains", "value": "..."} or an array of them, got ${shown(value)}`;
    const wrong = value.findIndex((item) => !isObject(item));
    return wrong === -1
      ? undefined
      : `expected an assertion such as {"type": "contains", "value": "..."} at position ${wrong}, got ${shown(value[wrong])}`;
  },
  {
    anyOf: [{ $ref: "#/$defs/assertion" }, { type: "array", items: { $ref: "#/$defs/assertion" } }],
    description: "What must hold: one assertion or several, all of which must hold.",
  },
);

const attachments = z.array(
  z.strictObject({
    type: z.enum(["image", "audio", "file"]),
    source: z.string().min(1).describe("file://, https:// or data: address."),
    name: z.string().optional(),
  }),
);

const defined = custom<unknown>(() => undefined, {});

/** The reply to a pending request of the agent: exactly one of `approve`, `choice`, `payload`. */
export const answerSchema = z
  .strictObject({
    approve: z.boolean().optional(),
    reason: z.string().optional(),
    choice: z.string().optional(),
    payload: z.unknown().optional(),
    to: z.string().optional().describe("Id or tool name of the request. Default: the oldest open."),
  })
  .superRefine((value, context) => {
    const forms = ["approve", "choice", "payload"].filter((key) => Object.hasOwn(value, key));
    if (forms.length !== 1)
      context.addIssue({
        code: "custom",
        message: 'expected exactly one of "approve", "choice" and "payload"',
      });
    if (value.reason !== undefined && value.approve === undefined)
      context.addIssue({ code: "custom", message: '"reason" belongs to "approve"' });
  });

/** One turn of the script. */
const turnSchema = z.strictObject({
  input: content.optional().describe("What the user says."),
  answer: answerSchema.optional(),
  assertions: assertions.optional(),
  assert: assertions.optional().describe("Short for assertions."),
  expected: defined.optional().describe("Short for one equals assertion."),
  options: optionsSchema.optional(),
  attachments: attachments.optional(),
  timeout: durationSchema.optional().describe("Bounds this turn."),
});

const reference = z.string().min(1);

const mock = z
  .strictObject({
    returns: z.unknown().optional(),
    sequence: z.array(z.unknown()).min(1).optional(),
    error: z.string().optional(),
    use: reference.optional(),
    delay: z.union([z.literal(0), durationSchema]).optional(),
  })
  .superRefine((value, context) => {
    const forms = ["returns", "sequence", "error", "use"].filter((key) =>
      Object.hasOwn(value, key),
    );
    if (forms.length !== 1)
      context.addIssue({
        code: "custom",
        message: 'expected exactly one of "returns", "sequence", "error" and "use"',
      });
  });

/** Mocks by tool name. `z.record` would drop a tool called `__proto__`. */
const namedMocks = z
  .unknown()
  .superRefine((value, context) => {
    if (!isObject(value)) {
      const message = `expected an object of mocks by tool name, got ${shown(value)}`;
      context.addIssue({ code: "custom", message });
      return;
    }
    const inOurWords = { error: describeIssue, reportInput: true };
    for (const key of Object.keys(value))
      for (const issue of mock.safeParse(value[key], inOurWords).error?.issues ?? [])
        context.addIssue({ ...issue, path: [key, ...issue.path] });
  })
  .meta({
    type: "object",
    additionalProperties: z.toJSONSchema(mock, { unrepresentable: "any" }),
  }) as unknown as z.ZodType<Readonly<Record<string, z.infer<typeof mock>>>>;

const simulator = z.union([
  reference,
  z.strictObject({
    use: reference,
    options: optionsSchema.optional(),
    metadata: openObject.optional().describe("Short for options.metadata."),
    strict: z.boolean().optional(),
    knowledge: z.array(z.unknown()).optional(),
  }),
  z.strictObject({
    answers: z
      .array(
        z.strictObject({
          when: z
            .string()
            .min(1)
            .describe(`A pattern, or one of ${awaitingKinds.join(", ")}.`),
          say: z.string().optional(),
          answer: answerSchema.optional(),
          times: z.int().positive().optional(),
        }),
      )
      .min(1),
    otherwise: z.string().optional(),
  }),
]);

/** Ids stand in reports, logs and file names. */
const identifier = z
  .string()
  .min(1)
  // oxlint-disable-next-line no-control-regex -- control characters are the point
  .regex(/^[^\u0000-\u001F\u007F]*$/, "expected an id without line breaks and control characters");

const wholeNumber = z.int().nonnegative();

/** A test case as it stands in a file. */
export const caseSchema = z.strictObject({
  $schema: z.string().optional().describe("For editors."),
  id: identifier.describe("Unique in the run."),
  agent: z.string().min(1).optional().describe("The agent to test."),
  name: z.string().optional(),
  description: z.string().optional(),
  tags: z.array(z.string().min(1)).optional(),
  skip: z
    .union([z.boolean(), z.string().min(1)])
    .optional()
    .describe("true, or the reason."),
  only: z.boolean().optional().describe("Run only the cases marked so."),
  type: z.enum(["single_turn", "multi_turn"]).optional(),
  input: z
    .union([content, messageSchema, z.array(messageSchema).min(1)])
    .optional()
    .describe("A message, or a history whose last user message is sent."),
  turns: z.array(turnSchema).min(1).optional(),
  assertions: assertions.optional(),
  assert: assertions.optional().describe("Short for assertions."),
  expected: defined.optional().describe("Short for one equals assertion."),
  options: optionsSchema.optional(),
  simulator: simulator.optional(),
  max_turns: z.int().positive().optional(),
  on_max_turns: z.enum(["fail", "end"]).optional(),
  interactive: z
    .strictObject({ enabled: z.boolean().optional(), timeout: durationSchema.optional() })
    .optional(),
  on_missing_input: z.enum(missingInputPolicies).optional(),
  on_turn_failure: z.enum(["continue", "stop"]).optional(),
  stop_when_complete: z.boolean().optional(),
  final_assertions: assertions.optional(),
  checkpoints: z
    .array(
      z.strictObject({
        id: identifier,
        assertions,
        after: z.array(z.string()).optional(),
        required: z.boolean().optional(),
      }),
    )
    .optional(),
  invariants: assertions.optional(),
  mocks: z
    .strictObject({
      tools: namedMocks.optional(),
      unmocked: z.enum(["error", "passthrough"]).optional(),
    })
    .optional(),
  attachments: attachments.optional(),
  before: z.union([reference, z.array(reference)]).optional(),
  after: z.union([reference, z.array(reference)]).optional(),
  timeout: durationSchema.optional().describe("Bounds the conversation."),
  turn_timeout: durationSchema.optional().describe("Bounds each turn."),
  retries: wholeNumber.optional(),
  repeat: z.int().positive().optional(),
  detection: detectionSchema.optional(),
});

/** A test case as it stands in a file, after the schema passed it. */
export type RawCase = z.infer<typeof caseSchema>;
/** A turn as it stands in a file. */
export type RawTurn = z.infer<typeof turnSchema>;
