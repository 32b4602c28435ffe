import { defineConfig } from "turnwise";
import { inThisProcess } from "./programs/in-this-process.js";

// Where programs/server.mjs and the (fake) model listen.
const server = process.env["ASSISTANT_URL"] ?? "http://127.0.0.1:8090";
const model = process.env["MODEL_URL"] ?? "http://127.0.0.1:8091/v1";

const parameters = { type: "object", properties: { number: { type: "string" } } };
const assistant = {
  type: "openai",
  system: "You help people with their parcels.",
  tools: [
    { name: "find_parcel", description: "Where a parcel is.", parameters },
    { name: "hold_parcel", description: "Has a parcel held at the depot.", parameters },
    { name: "ask_user", description: "Asks the user something." },
  ],
} as const;

export default defineConfig({
  connectors: {
    main: { baseURL: model, model: "parcel-model", limits: { concurrency: 20 } },
  },
  defaults: { connector: "main" },
  agents: {
    // agents/file.ts is there without being named here.
    function: inThisProcess,

    http: { type: "http", url: `${server}/chat` },
    sse: { type: "http", url: `${server}/chat/sse` },
    ndjson: { type: "http", url: `${server}/chat/ndjson` },
    // A server with a format of its own.
    custom: {
      type: "http",
      url: `${server}/talk`,
      history: "last",
      body: { conversation: "{{session_id}}", say: "{{input}}", results: "{{tool_results}}" },
      reply: {
        content: "answer.text",
        session_id: "conversation",
        tool_calls: "actions",
        finish_reason: "status",
      },
    },

    node: { type: "command", command: ["node", "programs/agent.mjs"] },
    python: { type: "command", command: ["python3", "programs/agent.py"] },

    chat: assistant,
    "chat-stream": { ...assistant, stream: true },
    responses: { ...assistant, api: "responses" },
    "responses-stream": { ...assistant, api: "responses", stream: true },
  },
});
