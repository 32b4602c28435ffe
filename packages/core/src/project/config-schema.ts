import { z } from "zod";
import { durationSchema } from "../case/schema.js";
import { missingInputPolicies } from "../contract/config.js";
import { isObject } from "../json.js";

const any = z.unknown();
const openObject = z.custom<Record<string, unknown>>(isObject, "expected an object");

const connector = z.strictObject({
  provider: z.string().optional(),
  model: z.string().optional(),
  baseURL: z.string().optional(),
  apiKey: z.string().optional(),
  headers: openObject.optional(),
  limits: z
    .strictObject({
      concurrency: z.int().positive().optional(),
      requestsPerMinute: z.int().positive().optional(),
      maxRetries: z.int().nonnegative().optional(),
    })
    .optional(),
});

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
  agents: openObject.optional(),
  scripts: openObject.optional(),
  connectors: openObject.optional(),
  plugins: z.array(any).optional(),
  defaults: defaultsSchema.optional(),
  detection: any.optional(),
  hooks: any.optional(),
  metrics: any.optional(),
  thresholds: any.optional(),
  include: any.optional(),
  reporters: z
    .array(
      z.union([
        z.string().min(1),
        z.strictObject({
          name: z.string().min(1),
          path: z.string().optional(),
          options: any.optional(),
        }),
      ]),
    )
    .optional(),
});

/** One connector. Checked apart, since the map of connectors is open. */
export const connectorSchema = connector;
