import { defineConfig } from "turnwise";

export default defineConfig({
  defaults: { agent: "assistants.expense" },
});
