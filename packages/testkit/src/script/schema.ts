import type { JsonValue } from "@turnwise/core";
import { isTooDeep } from "@turnwise/core";
import { z } from "zod";

const json = z.custom<JsonValue>((value) => !isTooDeep(value) && isJson(value), "expected JSON");
const text = z.string().min(1);
const count = z.int().min(0);

const times = z
  .union([z.int().min(1), z.literal("always")])
  .optional()
  .describe("Attempts that it happens to. Default 1.");
const retryAfter = z
  .union([z.number().min(0), z.string().regex(/^[ -~]+$/, "expected plain text"), z.null()])
  .optional()
  .describe("Seconds or text for the header Retry-After; null for no header.");

const fault = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("rate_limit"), times, retry_after: retryAfter }),
  z.strictObject({
    type: z.literal("server_error"),
    times,
    status: z.int().min(500).max(599).optional(),
  }),
  z.strictObject({ type: z.literal("unauthorized"), times }),
  z.strictObject({ type: z.literal("bad_request"), times }),
  z.strictObject({ type: z.literal("not_found"), times }),
  z.strictObject({ type: z.literal("overloaded"), times, retry_after: retryAfter }),
  z.strictObject({ type: z.literal("reset"), times }),
  z.strictObject({ type: z.literal("cut"), times }),
  z.strictObject({
    type: z.literal("slow"),
    times,
    delay: z.int().min(0).max(3_600_000).optional().describe("Milliseconds. Default 100."),
  }),
  z.strictObject({ type: z.literal("hang"), times }),
  z.strictObject({ type: z.literal("garbage"), times }),
  z.strictObject({ type: z.literal("empty"), times }),
  z.strictObject({ type: z.literal("wrong_shape"), times }),
  z.strictObject({
    type: z.literal("huge"),
    times,
    bytes: z
      .int()
      .min(1)
      .max(100_000_000)
      .optional()
      .describe("Length of the text. Default 20 MB."),
  }),
]);
/** A fault with its settings. */
export type FakeFaultSettings = z.infer<typeof fault>;

/** Every fault, by name. */
export const faultNames = fault.options.map((option) => option.shape.type.value);

/** Something that goes wrong before a reply is served: its name, or its name with settings. */
export type FakeFault = z.infer<typeof faultSchema>;
const faultSchema = z.union([z.enum(faultNames), fault]);

const call = z.strictObject({
  name: text,
  arguments: json.optional().describe("JSON; text is sent as it is, also when it is no JSON."),
});

const fullReply = z
  .strictObject({
    content: z.string().optional(),
    json: json.optional().describe("The text is this, as JSON."),
    refusal: z.string().optional(),
    tool_calls: z.array(call).optional(),
    approval: call
      .extend({ server_label: text.optional() })
      .optional()
      .describe("An mcp_approval_request; only in /v1/responses."),
    finish_reason: text.optional(),
    usage: z
      .strictObject({ input_tokens: count.optional(), output_tokens: count.optional() })
      .optional(),
    faults: z.array(faultSchema).optional(),
  })
  .refine((reply) => reply.content === undefined || reply.json === undefined, {
    message: "expected content or json, got both",
  });

/** What the model says: text alone, or text, calls and faults. */
export const replySchema = z.union([z.string(), fullReply]);
/** What the model says: text alone, or text, calls and faults. */
export type FakeReply = z.infer<typeof replySchema>;

const conversation = z
  .strictObject({
    id: text.optional(),
    when: z
      .strictObject({
        user: z.string().optional().describe("Pattern for the first message of the user."),
        system: z.string().optional().describe("Pattern for the system messages."),
        model: z.string().optional().describe("Pattern for the name of the model."),
      })
      .optional(),
    answers: z
      .array(
        z.strictObject({
          when: z
            .strictObject({
              user: z.string().optional().describe("Pattern for the last message, if a user's."),
              tool: text.optional().describe("Name of the tool whose result came last."),
              result: z.string().optional().describe("Pattern for the text of that result."),
            })
            .refine((when) => Object.values(when).some((value) => value !== undefined), {
              message: "expected user, tool or result, got none of them",
            }),
          reply: replySchema,
        }),
      )
      .optional(),
    replies: z.array(replySchema).optional(),
  })
  .refine(({ answers, replies }) => answers !== undefined || replies !== undefined, {
    message: "expected answers or replies, got none of them",
  });

/** A whole script. */
export const scriptSchema = z.strictObject({
  conversations: z.array(conversation).optional(),
  otherwise: replySchema.optional(),
});
/** What a fake model says in which conversation. See docs/fake-model.md. */
export type FakeScript = z.infer<typeof scriptSchema>;

function isJson(value: unknown): value is JsonValue {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value);
    case "object":
      return value === null || Object.values(value).every(isJson);
    default:
      return false;
  }
}
