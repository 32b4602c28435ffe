// Adapters with which Turnwise reaches agents. They come in through the same door as those of any other package.
import { definePlugin } from "@turnwise/core";
import { command } from "./adapter/command/command.js";
import type { CommandOptions } from "./adapter/command/options.js";
import { http } from "./adapter/http/http.js";
import type { HttpOptions } from "./adapter/http/options.js";
import { openai } from "./adapter/openai/openai.js";
import type { OpenAiOptions } from "./adapter/openai/options.js";
import type { RoleOptions } from "./role/options.js";
import { roleAdapters, roleAgents } from "./role/roles.js";

export type { CommandOptions } from "./adapter/command/options.js";
export type { HttpOptions, ReplyPaths } from "./adapter/http/options.js";
export type { RoleOptions } from "./role/options.js";
export type { OpenAiOptions } from "./adapter/openai/options.js";

declare module "@turnwise/core" {
  interface AdapterOptions {
    /** A model behind OpenAI's API, or behind any endpoint that speaks it. */
    openai: OpenAiOptions;
    /** A model that plays a user. */
    simulator: RoleOptions;
    /** A model that judges. */
    validator: RoleOptions;
    /** A model that writes test cases. */
    generator: RoleOptions;
    /** A JSON endpoint. */
    http: HttpOptions;
    /** A program that speaks JSON lines. */
    command: CommandOptions;
  }
}

/** The plugin with all built-in adapters, and the agents of the built-in roles. */
const agents = definePlugin({
  name: "@turnwise/agents",
  adapters: [openai, http, command, ...roleAdapters],
  agents: roleAgents,
});

export default agents;
