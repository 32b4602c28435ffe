import { z } from "zod";
import { detectionSchema } from "../awaiting/settings.js";
import { durationSchema } from "../case/schema.js";
import { missingInputPolicies } from "../contract/config.js";
import { isObject } from "../json.js";

const any = z.unknown();
/** An open map. `z.record` would drop a key `__proto__`. */
const openObject = (description: string) =>
  z
    .custom<Record<string, unknown>>(isObject, "expected an object")
    .optional()
    .meta({ type: "object", description });

const hooks = z.union([z.string().min(1), z.array(z.string().min(1))]).optional();

/** Settings for what neither the command line nor the case says. */
const defaultsSchema = z.strictObject({
  agent: z.string().min(1).optional(),
  connector: z.string().min(1).optional(),
  parallel: z.int().positive().optional(),
  timeout: durationSchema.optional(),
  turn_timeout: durationSchema.optional(),
  on_missing_input: z.enum(missingInputPolicies).optional(),
  max_turns: z.int().positive().optional(),
  retries: z.int().nonnegative().optional(),
  repeat: z.int().positive().optional(),
});

/** The contents of a config file. Agents and plugins are checked by what they turn out to be. */
export const configSchema = z.strictObject({
  $schema: z.string().optional().describe("For editors."),
  agents: openObject(
    "Agents by id: { type, ... } for an adapter; functions in a TypeScript config.",
  ),
  scripts: openObject("Scripts by id: paths from the project root."),
  connectors: openObject("Model endpoints by name."),
  plugins: z.array(any).optional().describe("Packages or paths that export a plugin by default."),
  defaults: defaultsSchema.optional(),
  detection: detectionSchema.optional(),
  hooks: z
    .strictObject({
      before: hooks.describe("Once, before the first case. If one fails, nothing is run."),
      after: hooks.describe("Once, when all cases are over."),
      before_each: hooks.describe("Before every attempt at a case, in front of its own."),
      after_each: hooks.describe("After every attempt at a case, behind its own."),
    })
    .optional()
    .describe("Scripts that run around the run and around every case."),
  metrics: any.optional().describe("Not supported yet."),
  thresholds: any.optional().describe("Not supported yet."),
  include: any.optional().describe("Not supported yet."),
  reporters: z
    .array(
      z.union([
        z.string().min(1),
        z.strictObject({
          name: z.string().min(1),
          path: z.string().optional().describe("From the project root."),
          options: any.optional(),
        }),
      ]),
    )
    .optional()
    .describe("Reports beside the console."),
});

/** One connector. Checked apart, since the map of connectors is open. */
export const connectorSchema = z.strictObject({
  provider: z.string().optional(),
  model: z.string().optional(),
  baseURL: z.string().optional(),
  apiKey: z.string().optional(),
  headers: openObject("Sent with every request."),
  limits: z
    .strictObject({
      concurrency: z.int().positive().optional(),
      requestsPerMinute: z.int().positive().optional(),
      maxRetries: z.int().nonnegative().optional(),
    })
    .optional(),
});
