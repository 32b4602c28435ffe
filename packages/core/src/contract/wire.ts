import { z } from "zod";
import { awaitingKinds } from "./agent.js";

/*
 * What goes over the wire between Turnwise and an agent in another process, one JSON value each way. The adapters that
 * speak it are not there yet; servers can be written against this.
 */

const toolResultSchema = z.object({
  id: z.string(),
  name: z.string(),
  result: z.unknown().optional(),
  error: z.string().optional(),
});

/** The request of the default wire of `http` and `command` agents. */
export const wireRequestSchema = z.object({
  session_id: z.string(),
  test_id: z.string(),
  /** 1-based. */
  turn: z.number(),
  input: z.unknown().optional(),
  messages: z.array(z.unknown()),
  attachments: z.array(z.unknown()),
  options: z.unknown(),
  answer: z.unknown().optional(),
  tool_results: z.array(toolResultSchema).optional(),
});
/** The request of the default wire. */
export type WireRequest = z.infer<typeof wireRequestSchema>;

/** The reply of the default wire: text alone, or this. Unknown fields are let pass. */
export const wireReplySchema = z.union([
  z.string(),
  z.looseObject({
    content: z.string(),
    data: z.unknown().optional(),
    tool_calls: z
      .array(
        z.looseObject({
          id: z.string().optional(),
          name: z.string(),
          args: z.unknown().optional(),
          result: z.unknown().optional(),
          error: z.string().optional(),
        }),
      )
      .optional(),
    finish_reason: z.string().optional(),
    awaiting_input: z.boolean().optional(),
    input_hint: z.string().optional(),
    pending: z
      .array(
        z.looseObject({
          id: z.string(),
          kind: z.enum(awaitingKinds),
          prompt: z.string(),
          options: z.array(z.string()).optional(),
          schema: z.unknown().optional(),
          tool_name: z.string().optional(),
        }),
      )
      .optional(),
    state: z.unknown().optional(),
    usage: z
      .looseObject({
        input_tokens: z.number().optional(),
        output_tokens: z.number().optional(),
        total_tokens: z.number().optional(),
      })
      .optional(),
    /** Sent back with every further request of the conversation. */
    session_id: z.string().optional(),
  }),
]);
/** The reply of the default wire. */
export type WireReply = z.infer<typeof wireReplySchema>;
