import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { ConnectorCheck } from "@turnwise/core";
import { z } from "zod";
import { missingToCall } from "../adapter/openai/endpoint.js";
import type { OpenAiOptions } from "../adapter/openai/options.js";
import { openAiFields } from "../adapter/openai/options.js";

/** Options of an agent that plays a role with a model. */
export interface RoleOptions extends Omit<OpenAiOptions, "system" | "tools"> {
  /** Files of the project, from its root, in place of the built-in prompts. */
  readonly prompts?: { readonly system?: string | undefined } | undefined;
}

const { system: _, tools: __, ...callFields } = openAiFields;

/** Checks the options of a role agent. */
export const roleSchema: z.ZodType<RoleOptions> = z.strictObject({
  ...callFields,
  prompts: z.strictObject({ system: z.string().min(1).optional() }).optional(),
});

/** What is missing to play the role, if anything is. */
export function missingToPlay(options: RoleOptions, check: ConnectorCheck): string | undefined {
  const prompt = options.prompts?.system;
  if (prompt !== undefined && !existsSync(resolve(check.projectRoot, prompt)))
    return `there is no such prompt: ${prompt} (paths begin at ${check.projectRoot})`;
  return missingToCall(options, check);
}
