import { defineAdapter } from "@turnwise/core";
import type { HttpOptions } from "./options.js";
import { httpSchema } from "./options.js";

/** `{ type: "http", url, ... }`: an agent behind a JSON endpoint. */
export const http = defineAdapter<HttpOptions>({
  type: "http",
  schema: httpSchema,
  async create(options, environment) {
    const { HttpAgent } = await import("./http-agent.js");
    return new HttpAgent(options, environment);
  },
});
