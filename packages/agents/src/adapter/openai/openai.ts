import { defineAdapter } from "@turnwise/core";
import { missingToCall } from "./endpoint.js";
import type { OpenAiOptions } from "./options.js";
import { openAiSchema } from "./options.js";

/** `{ type: "openai", ... }`: a model behind OpenAI's API, or behind any endpoint that speaks it. */
export const openai = defineAdapter<OpenAiOptions>({
  type: "openai",
  schema: openAiSchema,
  connects: missingToCall,
  async create(options, environment) {
    const { OpenAiAgent } = await import("./openai-agent.js");
    return new OpenAiAgent(options, environment);
  },
});
