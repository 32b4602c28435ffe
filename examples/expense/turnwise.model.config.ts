import { defineConfig } from "turnwise";

/*
 * The same tests with models in all roles: an endpoint that speaks OpenAI's API plays the user, judges, and writes cases.
 *   MODEL_URL=http://localhost:11434/v1 MODEL_NAME=llama3.1 npx turnwise test --config turnwise.model.config.ts ...
 */
const { MODEL_URL, MODEL_NAME = "gpt-5-mini", MODEL_KEY = "none" } = process.env;

export default defineConfig({
  connectors: {
    model: {
      model: MODEL_NAME,
      apiKey: MODEL_KEY,
      ...(MODEL_URL === undefined ? {} : { baseURL: MODEL_URL }),
    },
  },
  defaults: { agent: "assistants.expense", connector: "model" },
  agents: {
    "workers.test.user-sim": { type: "simulator" },
    "workers.test.user-simulator": {
      type: "simulator",
      prompts: { system: "prompts/employee.md" },
    },
    "workers.test.validator": { type: "validator" },
    "workers.test.generator": { type: "generator" },
  },
});
