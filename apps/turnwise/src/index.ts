// What config files and agents import from "turnwise": all of core, and the options of the built-in adapters.
export * from "@turnwise/core";
export type { CommandOptions, HttpOptions, OpenAiOptions, RoleOptions } from "@turnwise/agents";
