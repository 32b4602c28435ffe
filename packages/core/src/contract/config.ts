import type { AgentLike, AdapterOptions, ConnectorConfig } from "./agent.js";
import type { LazyPlugin } from "./plugin.js";
import type { DetectionSettings } from "../awaiting/settings.js";
import type { Duration } from "../duration.js";

/** An agent reached through an adapter: its `type` and the options of that adapter. */
export type AdapterAgentConfig = {
  [Type in keyof AdapterOptions]: { readonly type: Type } & AdapterOptions[Type];
}[keyof AdapterOptions];

/**
 * An agent in the config: a function, an object with `respond`, the path of a module from the project root, or
 * `{ type, ... }` for an adapter.
 */
export type AgentConfig = AgentLike | AdapterAgentConfig | string;

/** What to do when the agent waits and nobody is left to answer. */
export const missingInputPolicies = ["skip", "fail", "end"] as const;
/** What to do when the agent waits and nobody is left to answer. */
export type MissingInputPolicy = (typeof missingInputPolicies)[number];

/** Values for what neither the command line nor the case says. */
export interface ConfigDefaults {
  /** Id of the agent to test. */
  readonly agent?: string;
  /** Connector of agents and roles that name none. */
  readonly connector?: string;
  /** Cases at once. Default 1. */
  readonly parallel?: number;
  /** Bounds one conversation. Default 5m. */
  readonly timeout?: Duration;
  /** Bounds one turn. Default 2m. */
  readonly turn_timeout?: Duration;
  /** Default `skip`. */
  readonly on_missing_input?: MissingInputPolicy;
  /** Turns after which a simulator or human is not asked for another one. */
  readonly max_turns?: number;
  /** How often a trial that failed or broke is run again. Default 0. */
  readonly retries?: number;
  /** Trials of each case. Default 1. */
  readonly repeat?: number;
}

/** A reporter in the config: its name, or its name with a file and options. */
export type ReporterConfig =
  | string
  | { readonly name: string; readonly path?: string; readonly options?: unknown };

type References = string | readonly string[];

/** Scripts (`scripts:<id>`) that run at certain moments. */
export interface Hooks {
  /** Once, before the first case. If one fails, nothing is run. */
  readonly before?: References;
  /** Once, when all cases are over. */
  readonly after?: References;
  /** Before every attempt at a case, in front of its own. */
  readonly before_each?: References;
  /** After every attempt at a case, behind its own. */
  readonly after_each?: References;
}

/** The contents of `turnwise.config.*`. Its folder is the project root. */
export interface Config {
  /** Address of the JSON Schema, for editors. */
  readonly $schema?: string;
  readonly agents?: Readonly<Record<string, AgentConfig>>;
  /** Scripts by id: paths from the project root. */
  readonly scripts?: Readonly<Record<string, string>>;
  readonly connectors?: Readonly<Record<string, ConnectorConfig>>;
  /** Plugins, or packages and paths that export one by default. */
  readonly plugins?: readonly (LazyPlugin | string)[];
  readonly defaults?: ConfigDefaults;
  /** How to find out whether the agent waits. A case replaces each of the settings. */
  readonly detection?: DetectionSettings;
  /** Scripts that run around the run and around every case. */
  readonly hooks?: Hooks;
  /** Not supported yet. */
  readonly metrics?: never;
  /** Not supported yet. */
  readonly thresholds?: never;
  /** Not supported yet. */
  readonly include?: never;
  readonly reporters?: readonly ReporterConfig[];
}

/** Types a config. Not generic on purpose: a typo inside an agent is a type error. */
export function defineConfig(config: Config): Config {
  return config;
}
