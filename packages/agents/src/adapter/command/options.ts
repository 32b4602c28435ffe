import { z } from "zod";
import { textsSchema } from "../texts-schema.js";

/** Options of a `command` agent. */
export interface CommandOptions {
  /** Program and arguments. No shell is involved. */
  readonly command: readonly string[];
  /** Variables beside those of the process. */
  readonly env?: { [name: string]: string } | undefined;
  /** Working directory, from the project root. Default: the project root. */
  readonly cwd?: string | undefined;
  /** What `messages` holds: the whole conversation (default), or only what is new. */
  readonly history?: "all" | "last" | undefined;
}

/** Checks the options of a `command` agent. */
export const commandSchema: z.ZodType<CommandOptions> = z.strictObject({
  command: z.array(z.string().min(1)).min(1),
  env: textsSchema.optional(),
  cwd: z.string().min(1).optional(),
  history: z.enum(["all", "last"]).optional(),
});
