import { z } from "zod";
import type { JsonValue } from "@turnwise/core";
import { nearest } from "@turnwise/core";
import { parsePath } from "./path.js";
import { textsSchema } from "../texts-schema.js";
import { headerProblem } from "./header-problem.js";
import { placeholderNames, placeholdersOf, unknownPlaceholders } from "./template.js";

/** Options of an `http` agent. */
export interface HttpOptions {
  /** Address, with placeholders if need be: `https://host/chats/{{session_id}}`. */
  readonly url: string;
  /** Default `POST`. */
  readonly method?: "POST" | "PUT" | "PATCH" | "GET" | undefined;
  /** Sent with every request. May hold placeholders. */
  readonly headers?: { [name: string]: string } | undefined;
  /** The request as JSON with placeholders, instead of that of the default wire. */
  readonly body?: JsonValue | undefined;
  /** Where the parts of the reply are, instead of where the default wire has them. */
  readonly reply?: ReplyPaths | undefined;
  /** How streams are read when their content type does not say it. */
  readonly stream?: "sse" | "ndjson" | undefined;
  /** What `messages` holds: the whole conversation (default), or only what is new. */
  readonly history?: "all" | "last" | undefined;
  /** Requests at once and per minute, and how often one is sent again (default 2). */
  readonly limits?:
    | {
        concurrency?: number | undefined;
        requestsPerMinute?: number | undefined;
        maxRetries?: number | undefined;
      }
    | undefined;
  /** Sends a request again also where the agent may have worked on it already. Default false. */
  readonly retry_unsafe?: boolean | undefined;
}

/** Paths into the reply, such as `output.text` or `messages[*].content`. */
export interface ReplyPaths {
  readonly content?: string | undefined;
  readonly data?: string | undefined;
  readonly tool_calls?: string | undefined;
  /** Where a tool call has its parts, if not where they are looked for. */
  readonly tool_call?:
    | {
        id?: string | undefined;
        name?: string | undefined;
        args?: string | undefined;
        result?: string | undefined;
        error?: string | undefined;
      }
    | undefined;
  readonly state?: string | undefined;
  /** The path of a boolean, or of a value that means yes when it equals one of these. */
  readonly awaiting_input?: string | { path: string; equals: JsonValue } | undefined;
  readonly input_hint?: string | undefined;
  readonly pending?: string | undefined;
  readonly finish_reason?: string | undefined;
  readonly usage?: string | undefined;
  readonly session_id?: string | undefined;
  /** Of a text or object that is there only when the agent has failed. */
  readonly error?: string | undefined;
  /** In streams: of a piece of text, to be put behind those before it. */
  readonly delta?: string | undefined;
}

const path = z
  .string()
  .refine(
    (text) => parsePath(text) !== undefined,
    "expected a path such as output.text, messages[*].content or choices[0].message",
  );

const replySchema = z.strictObject({
  content: path.optional(),
  data: path.optional(),
  tool_calls: path.optional(),
  tool_call: z
    .strictObject({
      id: path.optional(),
      name: path.optional(),
      args: path.optional(),
      result: path.optional(),
      error: path.optional(),
    })
    .optional(),
  state: path.optional(),
  awaiting_input: z
    .union([path, z.strictObject({ path, equals: z.custom<JsonValue>() })])
    .optional(),
  input_hint: path.optional(),
  pending: path.optional(),
  finish_reason: path.optional(),
  usage: path.optional(),
  session_id: path.optional(),
  error: path.optional(),
  delta: path.optional(),
});

/** Limits of requests, as connectors have them. */
const limitsSchema = z.strictObject({
  concurrency: z.int().positive().optional(),
  requestsPerMinute: z.int().positive().optional(),
  maxRetries: z.int().nonnegative().optional(),
});

/** Checks the options of an `http` agent. */
export const httpSchema: z.ZodType<HttpOptions> = z
  .strictObject({
    url: z.string().refine(isAddress, "expected an address with http:// or https://"),
    method: z.enum(["POST", "PUT", "PATCH", "GET"]).optional(),
    headers: textsSchema.optional(),
    body: z.custom<JsonValue>().optional(),
    reply: replySchema.optional(),
    stream: z.enum(["sse", "ndjson"]).optional(),
    history: z.enum(["all", "last"]).optional(),
    limits: limitsSchema.optional(),
    retry_unsafe: z.boolean().optional(),
  })
  .superRefine((options, context) => {
    for (const field of ["url", "headers", "body"] as const)
      for (const name of unknownPlaceholders(options[field])) {
        const near = nearest(name.split(".")[0]!, placeholderNames);
        context.addIssue({
          code: "custom",
          path: [field],
          message: `there is no placeholder {{${name}}}${near === undefined ? "" : `; did you mean {{${near}}}?`} (there are ${placeholderNames.join(", ")})`,
        });
      }
    for (const [name, value] of Object.entries(options.headers ?? {})) {
      const wrong = headerProblem(name, value.replaceAll(/\{\{[^{}]*\}\}/g, ""));
      if (wrong !== undefined)
        context.addIssue({ code: "custom", path: ["headers", name], message: wrong });
    }
    if (options.method === "GET" && options.body !== undefined)
      context.addIssue({
        code: "custom",
        path: ["body"],
        message: "a GET request has no body; put placeholders into the url",
      });
    else if (options.body !== undefined && !saysInput(options))
      context.addIssue({
        code: "custom",
        path: ["body"],
        message:
          "what the user says has no place in it; put in {{input}}, {{text}} or {{messages}}",
      });
    if (options.reply !== undefined && Object.keys(options.reply).length === 0)
      context.addIssue({ code: "custom", path: ["reply"], message: "expected at least one path" });
  });

/** Whether what the user says goes out. A placeholder that is misspelt is a problem of its own. */
function saysInput({ body, headers, url }: HttpOptions): boolean {
  const templates = [url, headers, body];
  return (
    unknownPlaceholders(templates).length > 0 ||
    placeholdersOf(templates).some((name) => ["input", "text", "messages"].includes(name))
  );
}

function isAddress(text: string): boolean {
  try {
    return /^https?:$/.test(new URL(text.replaceAll(/\{\{[^{}]*\}\}/g, "x")).protocol);
  } catch {
    return false;
  }
}
