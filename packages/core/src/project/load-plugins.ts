import { resolve } from "node:path";
import { z } from "zod";
import type { LazyPlugin, Plugin } from "../contract/plugin.js";
import type { Problem } from "../problem.js";
import type { ModuleLoader } from "../script/load-module.js";
import { reservedFields } from "../case/prepare-assertion.js";
import { check } from "../case/schema-problems.js";
import { errorMessage } from "../errors.js";
import { isObject, jsonTypeOf } from "../json.js";
import { formatPath } from "../problem.js";

/** Where plugins are looked up, and in which file they are named. */
export interface PluginPlace {
  readonly root: string;
  readonly loader: ModuleLoader;
  readonly configFile: string | undefined;
}

const aFunction = z.custom((value) => typeof value === "function", "expected a function");
const aSchema = z.custom(
  (value) => typeof value === "object" && value !== null && "safeParse" in value,
  "expected a zod schema",
);

/** The shape of a plugin. Strict: a misspelt key would be a plugin that does nothing. */
const pluginSchema = z.strictObject({
  name: z.string().min(1),
  adapters: z
    .array(z.looseObject({ type: z.string().min(1), schema: aSchema, create: aFunction }))
    .optional(),
  agents: z.looseObject({}).optional(),
  assertions: z
    .array(
      z.looseObject({
        type: z.string().min(1),
        schema: aSchema,
        label: aFunction,
        check: aFunction,
      }),
    )
    .optional(),
  reporters: z.array(z.looseObject({ name: z.string().min(1), create: aFunction })).optional(),
  metrics: z.array(z.never()).max(0).optional(),
  sources: z.array(z.never()).max(0).optional(),
});

/** Loads plugins and checks their shape. What is wrong is added to the problems. */
export async function loadPlugins(
  entries: readonly (LazyPlugin | string)[],
  place: PluginPlace,
  problems: Problem[],
): Promise<Plugin[]> {
  const plugins: Plugin[] = [];
  for (const [index, entry] of entries.entries()) {
    const name = typeof entry === "string" ? `the plugin ${entry}` : `plugin ${index + 1}`;
    const report = (message: string): void => {
      problems.push({
        code: "cannot_load",
        severity: "error",
        message,
        ...(place.configFile === undefined ? {} : { file: place.configFile, path: ["plugins"] }),
      });
    };
    try {
      const plugin = await loadPlugin(entry, place);
      const checked = check(pluginSchema, plugin);
      if ("problems" in checked) {
        for (const { path = [], message } of checked.problems)
          report(
            path.length === 0
              ? `${name} is not made by definePlugin({ name, ... }): expected an object, got ${jsonTypeOf(plugin)}`
              : `${name}: ${formatPath(path)}: ${message}`,
          );
        continue;
      }
      const good = plugin as Plugin;
      for (const definition of good.assertions ?? [])
        for (const field of reservedFields(definition))
          report(
            `${name}: the assertion type "${definition.type}" declares the field "${field}", which every assertion or result has already; rename it`,
          );
      plugins.push(good);
    } catch (error) {
      // Node adds the places where it has looked.
      report(`cannot load ${name}: ${errorMessage(error).split("\n")[0]}`);
    }
  }
  return plugins;
}

async function loadPlugin(
  entry: LazyPlugin | string,
  { root, loader }: PluginPlace,
): Promise<unknown> {
  if (typeof entry === "function") return (await entry()).default;
  if (typeof entry !== "string") return entry;
  if (/^[./]/.test(entry)) return (await loader.load(resolve(root, entry)))["default"];
  // A package is looked up from the project, not from where Turnwise is installed.
  const module = (await import(await loader.resolve(entry))) as { default?: unknown };
  const { default: exported } = module;
  // The default export of a CommonJS package is all that it exports.
  return isObject(exported) && !("name" in exported) && "default" in exported
    ? exported["default"]
    : exported;
}
