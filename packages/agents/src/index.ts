// Adapters with which Turnwise reaches agents. They come in through the same door as those of any other package.
import { definePlugin } from "@turnwise/core";
import { command, http, openai } from "./adapters.js";

export type { CommandOptions, HttpOptions, OpenAiOptions } from "./adapters.js";

/** The plugin with all built-in adapters. */
const agents = definePlugin({
  name: "@turnwise/agents",
  adapters: [openai, http, command],
});

export default agents;
