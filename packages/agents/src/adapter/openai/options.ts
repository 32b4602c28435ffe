import { z } from "zod";
import type { JsonValue } from "@turnwise/core";

/** Options of an `openai` agent. */
export interface OpenAiOptions {
  /** Name of a connector of the config. Default: that of `defaults`, else the variables `OPENAI_API_KEY` and `OPENAI_BASE_URL`. */
  readonly connector?: string | undefined;
  /** Default: that of the connector. A connector chosen for the run, the case or the turn brings its own. */
  readonly model?: string | undefined;
  /** System prompt. */
  readonly system?: string | undefined;
  /** What generators are told about the agent. */
  readonly description?: string | undefined;
  /** Functions that the model may call; `parameters` is a JSON Schema. Test cases mock them. */
  readonly tools?:
    | readonly {
        readonly name: string;
        readonly description?: string | undefined;
        readonly parameters?: unknown;
      }[]
    | undefined;
  /** Which of the two APIs. Default `chat`. */
  readonly api?: "chat" | "responses" | undefined;
  readonly stream?: boolean | undefined;
  /** `{ type: "json_object" }` or `{ type: "json_schema", json_schema: { name, schema } }`, for both APIs. */
  readonly response_format?: { [key: string]: JsonValue } | undefined;
  /** Anything else for the body of the request, such as `temperature`. */
  readonly parameters?: { [key: string]: JsonValue } | undefined;
}

const openMap = z.custom<{ [key: string]: JsonValue }>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "expected an object",
);

/** The fields of the options of an `openai` agent. */
export const openAiFields = {
  connector: z.string().min(1).optional(),
  model: z.string().min(1).optional(),
  system: z.string().optional(),
  description: z.string().optional(),
  tools: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        description: z.string().optional(),
        parameters: z.unknown().optional(),
      }),
    )
    .optional(),
  api: z.enum(["chat", "responses"]).optional(),
  stream: z.boolean().optional(),
  response_format: openMap.optional(),
  parameters: openMap.optional(),
};

/** Checks the options of an `openai` agent. */
export const openAiSchema: z.ZodType<OpenAiOptions> = z.strictObject(openAiFields);
