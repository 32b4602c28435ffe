import { AuthorError, defineAdapter } from "@turnwise/core";
import type { JsonValue } from "@turnwise/core";
import { z } from "zod";

/*
 * The contracts of the adapters to come. Their options are checked and typed; using one is refused with a problem of
 * its own instead of failing somewhere later.
 */

declare module "@turnwise/core" {
  interface AdapterOptions {
    /** A model behind an OpenAI-compatible endpoint. Not supported yet. */
    openai: OpenAiOptions;
    /** A JSON endpoint. Not supported yet. */
    http: HttpOptions;
    /** A program that speaks JSON lines. Not supported yet. */
    command: CommandOptions;
  }
}

/** Options of an `openai` agent. */
export interface OpenAiOptions {
  /** Name of a connector of the config. */
  readonly connector?: string | undefined;
  readonly model?: string | undefined;
  /** System prompt. */
  readonly system?: string | undefined;
  readonly tools?:
    | { name: string; description?: string | undefined; parameters?: unknown }[]
    | undefined;
  readonly api?: "chat" | "responses" | undefined;
  readonly stream?: boolean | undefined;
}

/** Options of an `http` agent. */
export interface HttpOptions {
  readonly url: string;
  readonly headers?: { [name: string]: JsonValue } | undefined;
}

/** Options of a `command` agent. */
export interface CommandOptions {
  /** Program and arguments. */
  readonly command: string[];
  readonly env?: { [name: string]: JsonValue } | undefined;
  readonly cwd?: string | undefined;
}

const openMap = z.custom<{ [name: string]: JsonValue }>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "expected an object",
);

function notYet<Options>(type: string, schema: z.ZodType<Options>) {
  const message = `agents of the type "${type}" are not supported yet; write a function or an object with respond(request) in agents/`;
  return defineAdapter<Options>({
    type,
    schema: schema.refine(() => false, { message, params: { code: "not_supported" } }),
    create() {
      throw new AuthorError(message);
    },
  });
}

/** `{ type: "openai", ... }`: not supported yet. */
export const openai = notYet<OpenAiOptions>(
  "openai",
  z.strictObject({
    connector: z.string().optional(),
    model: z.string().optional(),
    system: z.string().optional(),
    tools: z
      .array(
        z.strictObject({
          name: z.string(),
          description: z.string().optional(),
          parameters: z.unknown().optional(),
        }),
      )
      .optional(),
    api: z.enum(["chat", "responses"]).optional(),
    stream: z.boolean().optional(),
  }),
);

/** `{ type: "http", ... }`: not supported yet. */
export const http = notYet<HttpOptions>(
  "http",
  z.strictObject({ url: z.url(), headers: openMap.optional() }),
);

/** `{ type: "command", ... }`: not supported yet. */
export const command = notYet<CommandOptions>(
  "command",
  z.strictObject({
    command: z.array(z.string()).min(1),
    env: openMap.optional(),
    cwd: z.string().optional(),
  }),
);
