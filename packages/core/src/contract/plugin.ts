import type { AnyAdapterDefinition } from "./agent.js";
import type { AnyAssertionDefinition } from "./assertion.js";
import type { AgentConfig } from "./config.js";
import type { AnyReporterDefinition } from "./reporter.js";

/** A package of adapters, agents, assertions and reporters. The built-ins are plugins like any other. */
export interface Plugin {
  /** Names the plugin in messages. */
  readonly name: string;
  readonly adapters?: readonly AnyAdapterDefinition[];
  /** Agents by id. The project's own win over them. */
  readonly agents?: Readonly<Record<string, AgentConfig>>;
  readonly assertions?: readonly AnyAssertionDefinition[];
  readonly reporters?: readonly AnyReporterDefinition[];
  /** Reserved. */
  readonly metrics?: readonly never[];
  /** Reserved. */
  readonly sources?: readonly never[];
}

/** A plugin, or a function that loads one when it is needed. */
export type LazyPlugin = Plugin | (() => Promise<{ readonly default: Plugin }>);

/** Defines a plugin. Returns it as it is, typed. */
export function definePlugin(plugin: Plugin): Plugin {
  return plugin;
}
