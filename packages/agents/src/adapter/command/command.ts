import { defineAdapter } from "@turnwise/core";
import type { CommandOptions } from "./options.js";
import { commandSchema } from "./options.js";

/** `{ type: "command", command: ["python3", "agent.py"] }`: a program that answers lines of JSON with lines of JSON. */
export const command = defineAdapter<CommandOptions>({
  type: "command",
  schema: commandSchema,
  async create(options, environment) {
    const { CommandAgent } = await import("./command-agent.js");
    return new CommandAgent(options, environment);
  },
});
