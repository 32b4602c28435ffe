import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Agent, AgentLike, AnyAdapterDefinition } from "../contract/agent.js";
import type { AnyAssertionDefinition } from "../contract/assertion.js";
import type { Config } from "../contract/config.js";
import type { LazyPlugin, Plugin } from "../contract/plugin.js";
import type { AnyReporterDefinition } from "../contract/reporter.js";
import type { Problem } from "../problem.js";
import type { ModuleLoader } from "../script/load-module.js";
import { reservedFields } from "../case/prepare-assertion.js";
import { check } from "../case/schema-problems.js";
import { isAgentLike, toAgent } from "../contract/to-agent.js";
import { AuthorError, InvalidProjectError, errorMessage } from "../errors.js";
import { isObject, jsonTypeOf } from "../json.js";
import { didYouMean, nearest } from "../suggest.js";
import { createModuleLoader } from "../script/load-module.js";
import { findModuleFile, listModuleIds } from "./agent-files.js";
import { findConfig, readConfig, readEnvironment } from "./read-config.js";
import { parseReference } from "./reference.js";

/** Where to load a project from. */
export interface LoadProjectOptions {
  /** Folder to start from. Default: the working directory. */
  readonly root?: string;
  /** The config file. Default: the nearest `turnwise.config.*` in `root` or above it. */
  readonly config?: string;
  /** Plugins beside those of the config. The built-ins come in here. */
  readonly plugins?: readonly LazyPlugin[];
  /** Environment variables. Default: those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Package names that must mean the running copies in modules of the project, with their entry files. */
  readonly alias?: Readonly<Record<string, string>>;
}

/**
 * Config, plugins, references and connectors of one run. Nothing is global: two projects do not know of each other.
 */
export interface Project extends ModuleLoader {
  /** Folder of the config file, or where the search for one began. */
  readonly root: string;
  readonly configFile?: string;
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly plugins: readonly Plugin[];
  readonly assertions: ReadonlyMap<string, AnyAssertionDefinition>;
  readonly adapters: ReadonlyMap<string, AnyAdapterDefinition>;
  readonly reporters: ReadonlyMap<string, AnyReporterDefinition>;
  /** Texts that no report may show. */
  readonly secrets: readonly string[];
  /** Ids of the agents that the project itself defines. */
  agentIds(): readonly string[];
  /** What a reference names, or a problem. Imports its module, once, and creates nothing. */
  resolveReference(text: string): Promise<ResolvedReference | { readonly problem: Problem }>;
  /**
   * The agent of that id, made on first use.
   * @throws AuthorError if there is none or it cannot be made.
   */
  agent(id: string): Promise<Agent>;
}

/** What a reference was found to name. */
export type ResolvedReference =
  | {
      readonly kind: "agents";
      readonly id: string;
      readonly parameters: Readonly<Record<string, string | number | boolean>>;
      readonly spec: AgentSpec;
    }
  | {
      readonly kind: "scripts";
      readonly id: string;
      readonly parameters: Readonly<Record<string, string | number | boolean>>;
      readonly file: string;
      readonly exportName: string;
    };

type AgentSpec =
  | { readonly like: AgentLike }
  | { readonly adapter: AnyAdapterDefinition; readonly options: unknown };

/**
 * Loads config and plugins.
 * @throws InvalidProjectError listing everything that is wrong with them.
 */
export async function loadProject(options: LoadProjectOptions = {}): Promise<Project> {
  const start = resolve(options.root ?? process.cwd());
  const environment = options.env ?? process.env;
  if (options.config !== undefined && !isFile(resolve(start, options.config)))
    throw new InvalidProjectError([
      {
        code: "missing_file",
        severity: "error",
        file: options.config,
        message: "there is no such config file",
      },
    ]);
  const configFile =
    options.config === undefined ? findConfig(start) : resolve(start, options.config);
  const root = configFile === undefined ? start : resolve(configFile, "..");
  const env = readEnvironment(root, environment);
  const loader = createModuleLoader(root, options.alias);

  let config: Config = {};
  let usedVariables: readonly string[] = [];
  if (configFile !== undefined) {
    const read = await readConfig(configFile, env, loader);
    if ("problems" in read) throw new InvalidProjectError(read.problems);
    ({ config, usedVariables } = read);
  }
  const problems: Problem[] = [];
  const plugins = await loadPlugins(
    [...(options.plugins ?? []), ...(config.plugins ?? [])],
    { root, loader, configFile },
    problems,
  );
  const project = new LoadedProject({
    root,
    configFile,
    config,
    env,
    plugins,
    loader,
    secrets: secretsOf(env, usedVariables, config),
    problems,
  });
  await project.checkAgents(problems);
  if (problems.length > 0) throw new InvalidProjectError(problems);
  return project;
}

/** A project without a config: what `runCase` and `runSuite` use when they are given only plugins. */
export async function projectOfPlugins(plugins: readonly LazyPlugin[]): Promise<Project> {
  const problems: Problem[] = [];
  const root = process.cwd();
  const loader = createModuleLoader(root);
  const loaded = await loadPlugins(plugins, { root, loader, configFile: undefined }, problems);
  const project = new LoadedProject({
    root,
    configFile: undefined,
    config: {},
    env: process.env,
    plugins: loaded,
    loader,
    secrets: secretsOf(process.env, [], {}),
    problems,
  });
  if (problems.length > 0) throw new InvalidProjectError(problems);
  return project;
}

async function loadPlugins(
  entries: readonly (LazyPlugin | string)[],
  place: { root: string; loader: ModuleLoader; configFile: string | undefined },
  problems: Problem[],
): Promise<Plugin[]> {
  const plugins: Plugin[] = [];
  for (const entry of entries) {
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
      if (isObject(plugin) && typeof plugin["name"] === "string")
        plugins.push(plugin as unknown as Plugin);
      else
        report(
          `expected a plugin made by definePlugin({ name, ... })${typeof entry === "string" ? ` as the default export of ${entry}` : ""}, got ${jsonTypeOf(plugin)}`,
        );
    } catch (error) {
      report(
        typeof entry === "string"
          ? `cannot load the plugin ${entry}: ${errorMessage(error)}`
          : `cannot load a plugin: ${errorMessage(error)}`,
      );
    }
  }
  return plugins;
}

async function loadPlugin(
  entry: LazyPlugin | string,
  { root, loader }: { root: string; loader: ModuleLoader },
): Promise<unknown> {
  if (typeof entry === "function") return (await entry()).default;
  if (typeof entry !== "string") return entry;
  if (/^[./]/.test(entry)) return (await loader.load(resolve(root, entry)))["default"];
  // A package is looked up from the project, not from where Turnwise is installed.
  const file = createRequire(join(root, "package.json")).resolve(entry);
  const module = (await import(pathToFileURL(file).href)) as { default?: unknown };
  return module.default;
}

class LoadedProject implements Project {
  readonly root: string;
  readonly configFile?: string;
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly plugins: readonly Plugin[];
  readonly assertions: ReadonlyMap<string, AnyAssertionDefinition>;
  readonly adapters: ReadonlyMap<string, AnyAdapterDefinition>;
  readonly reporters: ReadonlyMap<string, AnyReporterDefinition>;
  readonly secrets: readonly string[];
  private readonly loader: ModuleLoader;
  private readonly agents = new Map<string, Promise<Agent>>();
  private readonly resolved = new Map<
    string,
    Promise<ResolvedReference | { readonly problem: Problem }>
  >();

  constructor(parts: {
    root: string;
    configFile: string | undefined;
    config: Config;
    env: Readonly<Record<string, string | undefined>>;
    plugins: readonly Plugin[];
    loader: ModuleLoader;
    secrets: readonly string[];
    problems: Problem[];
  }) {
    this.root = parts.root;
    if (parts.configFile !== undefined) this.configFile = parts.configFile;
    this.config = parts.config;
    this.env = parts.env;
    this.plugins = parts.plugins;
    this.loader = parts.loader;
    this.secrets = parts.secrets;
    const collect = <T>(
      what: string,
      of: (plugin: Plugin) => readonly T[] | undefined,
      nameOf: (definition: T) => string,
    ): Map<string, T> => {
      const found = new Map<string, { definition: T; plugin: string }>();
      for (const plugin of parts.plugins)
        for (const definition of of(plugin) ?? []) {
          const name = nameOf(definition);
          const earlier = found.get(name);
          if (earlier === undefined) found.set(name, { definition, plugin: plugin.name });
          else
            parts.problems.push({
              code: "duplicate_definition",
              severity: "error",
              message: `the plugins "${earlier.plugin}" and "${plugin.name}" both define the ${what} "${name}"`,
              hint: "Rename one of them, or remove one of the plugins.",
              ...(parts.configFile === undefined ? {} : { file: parts.configFile }),
            });
        }
      return new Map([...found].map(([name, { definition }]) => [name, definition]));
    };
    this.assertions = collect(
      "assertion type",
      (plugin) => plugin.assertions,
      (definition: AnyAssertionDefinition) => definition.type,
    );
    for (const definition of this.assertions.values())
      for (const field of reservedFields(definition))
        parts.problems.push({
          code: "conflict",
          severity: "error",
          message: `the assertion type "${definition.type}" declares the field "${field}", which every assertion or result has already`,
          hint: "Give the field another name.",
          ...(parts.configFile === undefined ? {} : { file: parts.configFile }),
        });
    this.adapters = collect(
      "agent type",
      (plugin) => plugin.adapters,
      (definition: AnyAdapterDefinition) => definition.type,
    );
    this.reporters = collect(
      "reporter",
      (plugin) => plugin.reporters,
      (definition: AnyReporterDefinition) => definition.name,
    );
  }

  load(file: string): Promise<Readonly<Record<string, unknown>>> {
    return this.loader.load(file);
  }

  agentIds(): readonly string[] {
    return [
      ...new Set([
        ...Object.keys(this.config.agents ?? {}),
        ...listModuleIds(join(this.root, "agents")),
      ]),
    ];
  }

  /** Checks every agent of the config, used or not: a typo must not wait until somebody runs it. */
  async checkAgents(problems: Problem[]): Promise<void> {
    for (const id of Object.keys(this.config.agents ?? {})) {
      const resolved = await this.resolveReference(`agents:${id}`);
      if ("problem" in resolved) problems.push(resolved.problem);
    }
  }

  resolveReference(text: string): Promise<ResolvedReference | { readonly problem: Problem }> {
    let found = this.resolved.get(text);
    if (found === undefined) {
      found = this.resolve(text);
      this.resolved.set(text, found);
    }
    return found;
  }

  private async resolve(text: string): Promise<ResolvedReference | { readonly problem: Problem }> {
    try {
      const reference = parseReference(text);
      if (reference.kind === "scripts") return await this.script(reference);
      const spec = await this.agentSpec(reference.id);
      if ("problem" in spec) return spec;
      return { kind: "agents", id: reference.id, parameters: reference.parameters, spec };
    } catch (error) {
      return {
        problem: { code: "invalid_reference", severity: "error", message: errorMessage(error) },
      };
    }
  }

  private async script(
    reference: ReturnType<typeof parseReference>,
  ): Promise<ResolvedReference | { readonly problem: Problem }> {
    const configured = own(this.config.scripts, reference.id);
    const found =
      typeof configured === "string"
        ? { file: resolve(this.root, configured), exportName: "default" }
        : findModuleFile(join(this.root, "scripts"), reference.id);
    if (found === undefined || !isFile(found.file)) {
      const ids = [
        ...Object.keys(this.config.scripts ?? {}),
        ...listModuleIds(join(this.root, "scripts")),
      ];
      return {
        problem: {
          code: "unknown_script",
          severity: "error",
          message: `there is no script "${reference.id}"${didYouMean(reference.id, ids)}`,
        },
      };
    }
    return { kind: "scripts", id: reference.id, parameters: reference.parameters, ...found };
  }

  private async agentSpec(id: string): Promise<AgentSpec | { readonly problem: Problem }> {
    const configured = own(this.config.agents, id);
    if (configured !== undefined)
      return this.toSpec(configured, {
        ...(this.configFile === undefined ? {} : { file: this.configFile }),
        path: ["agents", id],
      });
    const found = findModuleFile(join(this.root, "agents"), id);
    if (found !== undefined) {
      let module: Readonly<Record<string, unknown>>;
      try {
        module = await this.loader.load(found.file);
      } catch (error) {
        return {
          problem: { code: "cannot_load", severity: "error", message: errorMessage(error) },
        };
      }
      const exported =
        found.exportName === "default" && typeof module === "function"
          ? module
          : own(module, found.exportName);
      if (exported === undefined)
        return {
          problem: {
            code: "unknown_agent",
            severity: "error",
            message: `${relative(this.root, found.file)} has no export "${found.exportName}"${didYouMean(found.exportName, Object.keys(module))}`,
            hint: "An agent is a function (request) => reply, or an object with respond(request).",
          },
        };
      return this.toSpec(exported, { file: found.file });
    }
    for (const plugin of this.plugins) {
      const builtIn = own(plugin.agents, id);
      if (builtIn !== undefined) return this.toSpec(builtIn, { path: ["agents", id] });
    }
    const ids = this.agentIds();
    const near = nearest(id, ids);
    const file = join("agents", ...id.split("."));
    return {
      problem: {
        code: "unknown_agent",
        severity: "error",
        message: `there is no agent "${id}"${near === undefined ? "" : `; did you mean "${near}"?`}`,
        hint:
          ids.length === 0
            ? `Write one in ${file}.ts below ${this.root}, or name it under "agents" in turnwise.config.*.`
            : `Agents here: ${ids.slice(0, 20).join(", ")}. Another goes into ${file}.ts or under "agents" in the config.`,
      },
    };
  }

  private toSpec(
    value: unknown,
    place: { file?: string; path?: (string | number)[] },
  ): AgentSpec | { readonly problem: Problem } {
    if (isAgentLike(value)) return { like: value };
    const problem = (code: Problem["code"], message: string, path: (string | number)[] = []) => ({
      problem: {
        code,
        severity: "error" as const,
        message,
        ...place,
        path: [...(place.path ?? []), ...path],
      },
    });
    if (!isObject(value) || typeof value["type"] !== "string")
      return problem(
        "invalid_value",
        `expected an agent (a function, an object with respond(request), or { type, ... }), got ${jsonTypeOf(value)}`,
      );
    const { type, ...options } = value;
    const adapter = this.adapters.get(type);
    if (adapter === undefined)
      return problem(
        "unknown_adapter",
        `no plugin defines agents of the type "${type}"${didYouMean(type, this.adapters.keys())}`,
        ["type"],
      );
    const checked = check(adapter.schema, options);
    if ("problems" in checked) {
      const [first] = checked.problems;
      return problem(first!.code, first!.message, [...(first!.path ?? [])]);
    }
    return { adapter, options: checked.value };
  }

  agent(id: string): Promise<Agent> {
    let agent = this.agents.get(id);
    if (agent === undefined) {
      agent = this.createAgent(id);
      this.agents.set(id, agent);
    }
    return agent;
  }

  private async createAgent(id: string): Promise<Agent> {
    const resolved = await this.resolveReference(`agents:${id}`);
    if ("problem" in resolved) throw new AuthorError(resolved.problem.message);
    if (resolved.kind !== "agents") throw new AuthorError(`"${id}" is not an agent`);
    const { spec } = resolved;
    if ("like" in spec) return toAgent(spec.like, id);
    const like = await spec.adapter.create(spec.options, {
      id,
      projectRoot: this.root,
      connectors: this.config.connectors ?? {},
      env: this.env,
      fetch: globalThis.fetch,
    });
    return toAgent(like, id);
  }
}

function own(object: object | undefined, key: string): unknown {
  return object !== undefined && Object.hasOwn(object, key)
    ? (object as Record<string, unknown>)[key]
    : undefined;
}

function isFile(file: string): boolean {
  return existsSync(file) && statSync(file).isFile();
}

/** Shorter values are words of every language; masking them would garble reports. */
const shortestSecret = 8;

function secretsOf(
  env: Readonly<Record<string, string | undefined>>,
  usedVariables: readonly string[],
  config: Config,
): string[] {
  const secrets = new Set<string>();
  const add = (value: unknown): void => {
    if (typeof value === "string" && value.length >= shortestSecret) secrets.add(value);
  };
  for (const [name, value] of Object.entries(env))
    if (/KEY|TOKEN|SECRET|PASSWORD/i.test(name)) add(value);
  for (const name of usedVariables) add(env[name]);
  for (const connector of Object.values(config.connectors ?? {})) {
    add(connector.apiKey);
    for (const [name, value] of Object.entries(connector.headers ?? {}))
      if (/^(authorization|proxy-authorization)$/i.test(name)) {
        add(value);
        add(value.replace(/^\w+\s+/, ""));
      }
  }
  // Longest first, so that a secret that contains another is masked as a whole.
  return [...secrets].toSorted((a, b) => b.length - a.length);
}
