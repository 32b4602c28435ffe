import { resolve } from "node:path";
import type { Agent, AnyAdapterDefinition } from "../contract/agent.js";
import type { AnyAssertionDefinition } from "../contract/assertion.js";
import type { Config } from "../contract/config.js";
import type { LazyPlugin, Plugin } from "../contract/plugin.js";
import type { AnyReporterDefinition } from "../contract/reporter.js";
import type { Problem } from "../problem.js";
import type { ModuleLoader } from "../script/load-module.js";
import type { ResolvedReference } from "./resolved-reference.js";
import { toAgent } from "../contract/to-agent.js";
import { AuthorError, InvalidProjectError } from "../errors.js";
import { located } from "../case/place.js";
import { checkHooks, hooksOf } from "../case/prepare-hooks.js";
import type { ScriptProcesses } from "../script/script-processes.js";
import { named, unknownConnector } from "../case/check-connectors.js";
import { own } from "../json.js";
import { createModuleLoader } from "../script/load-module.js";
import { isFile } from "./agent-files.js";
import { loadPlugins } from "./load-plugins.js";
import { createMask } from "../run/mask.js";
import { findConfig, readConfig, readEnvironment } from "./read-config.js";
import { References } from "./references.js";
import { secretsOf } from "./secrets.js";

type Locate = (path: readonly (string | number)[]) => Promise<number | undefined>;
type Environment = Readonly<Record<string, string | undefined>>;

/** Where to load a project from. */
export interface LoadProjectOptions {
  /** Folder to start from. Default: the working directory. */
  readonly root?: string;
  /** The config file. Default: the nearest `turnwise.config.*` in `root` or above it. */
  readonly config?: string;
  /** Plugins beside those of the config. The built-ins come in here. */
  readonly plugins?: readonly LazyPlugin[];
  /** Environment variables. Default: those of the process. */
  readonly env?: Environment;
  /** What adapters get as `fetch`. Default: the global one. */
  readonly fetch?: typeof fetch;
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
  readonly env: Environment;
  readonly plugins: readonly Plugin[];
  readonly assertions: ReadonlyMap<string, AnyAssertionDefinition>;
  readonly adapters: ReadonlyMap<string, AnyAdapterDefinition>;
  readonly reporters: ReadonlyMap<string, AnyReporterDefinition>;
  /** Texts that no report may show: as far as agents were looked up, which all of a suite are before it runs. */
  readonly secrets: readonly string[];
  /** Ids of the agents that the project itself defines. */
  agentIds(): readonly string[];
  /** What a reference names, or a problem. Imports its module, once, and creates nothing. */
  resolveReference(text: string): Promise<ResolvedReference | { readonly problem: Problem }>;
  /**
   * Runs a script in a thread with limits of time and memory, and returns what it returned.
   * @throws AuthorError if it breaks, does not come to an end, or the reference names none.
   */
  runScript(reference: string, data: object, signal: AbortSignal): Promise<unknown>;
  /**
   * The agent of that id, made on first use.
   * @throws AuthorError if there is none or it cannot be made.
   */
  agent(id: string): Promise<Agent>;
}

/**
 * Loads config and plugins.
 * @throws InvalidProjectError listing everything that is wrong with them.
 */
export async function loadProject(options: LoadProjectOptions = {}): Promise<Project> {
  const start = resolve(options.root ?? process.cwd());
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
  const env = readEnvironment(root, options.env ?? process.env);
  const loader = createModuleLoader(root, options.alias);

  let config: Config = {};
  let usedVariables: readonly string[] = [];
  let locate: Locate = async () => undefined;
  if (configFile !== undefined) {
    const read = await readConfig(configFile, env, loader);
    if ("problems" in read) throw new InvalidProjectError(read.problems);
    ({ config, usedVariables, locate } = read);
  }
  const plugins = [...(options.plugins ?? []), ...(config.plugins ?? [])];
  const { fetch } = options;
  return makeProject({
    root,
    configFile,
    config,
    env,
    usedVariables,
    plugins,
    loader,
    alias: options.alias,
    locate,
    fetch,
  });
}

/** A project without a config: what `runCase` and `runSuite` use when they are given only plugins. */
export function projectOfPlugins(plugins: readonly LazyPlugin[]): Promise<Project> {
  const root = process.cwd();
  return makeProject({
    root,
    configFile: undefined,
    config: {},
    env: process.env,
    usedVariables: [],
    plugins,
    loader: createModuleLoader(root),
  });
}

async function makeProject(parts: {
  readonly root: string;
  readonly configFile: string | undefined;
  readonly config: Config;
  readonly env: Environment;
  readonly usedVariables: readonly string[];
  readonly plugins: readonly (LazyPlugin | string)[];
  readonly loader: ModuleLoader;
  readonly locate?: Locate;
  readonly fetch?: typeof fetch | undefined;
  readonly alias?: Readonly<Record<string, string>> | undefined;
}): Promise<Project> {
  const { root, configFile, config, env, loader } = parts;
  const problems: Problem[] = [];
  const plugins = await loadPlugins(parts.plugins, { root, loader, configFile }, problems);
  const collect = <T>(
    what: string,
    definitionsOf: (plugin: Plugin) => readonly T[] | undefined,
    nameOf: (definition: T) => string,
  ): Map<string, T> => {
    const found = new Map<string, T>();
    const owners = new Map<string, string>();
    for (const plugin of plugins)
      for (const definition of definitionsOf(plugin) ?? []) {
        const name = nameOf(definition);
        const owner = owners.get(name);
        if (owner === undefined) {
          found.set(name, definition);
          owners.set(name, plugin.name);
        } else
          problems.push({
            code: "duplicate_definition",
            severity: "error",
            message: `the plugins "${owner}" and "${plugin.name}" both define the ${what} "${name}"`,
            hint: "Rename one of them, or remove one of the plugins.",
            ...(configFile === undefined ? {} : { file: configFile }),
          });
      }
    return found;
  };
  const assertions = collect(
    "assertion type",
    (plugin) => plugin.assertions,
    ({ type }) => type,
  );
  const adapters = collect(
    "agent type",
    (plugin) => plugin.adapters,
    ({ type }) => type,
  );
  const reporters = collect(
    "reporter",
    (plugin) => plugin.reporters,
    ({ name }) => name,
  );
  const references = new References({ root, configFile, config, plugins, adapters, loader });
  // Every agent of the config is checked, used or not: a typo must not wait until somebody runs it.
  for (const id of Object.keys(config.agents ?? {})) {
    const resolved = await references.resolve(`agents:${id}`);
    if ("problem" in resolved) problems.push(resolved.problem);
    else if (resolved.kind === "agents" && "adapter" in resolved.spec) {
      const { adapter, options } = resolved.spec;
      const connector = adapter.connects === undefined ? undefined : named(options);
      if (connector === undefined || own(config.connectors, connector) !== undefined) continue;
      problems.push({
        severity: "error",
        ...unknownConnector(connector, Object.keys(config.connectors ?? {})),
        path: ["agents", id, "connector"],
        ...(configFile === undefined ? {} : { file: configFile }),
      });
    }
  }
  const refuse = async (): Promise<void> => {
    if (problems.length === 0) return;
    const { locate = async () => undefined } = parts;
    const placed = problems.map(async (problem) =>
      problem.file === configFile && problem.line === undefined
        ? located(problem, { locate })
        : problem,
    );
    throw new InvalidProjectError(await Promise.all(placed));
  };
  await refuse();

  const agents = new Map<string, Promise<Agent>>();
  const createAgent = async (id: string): Promise<Agent> => {
    const resolved = await references.resolve(`agents:${id}`);
    if ("problem" in resolved) throw new AuthorError(resolved.problem.message);
    if (resolved.kind !== "agents") throw new AuthorError(`"${id}" is not an agent`);
    const { spec } = resolved;
    if ("like" in spec) return toAgent(spec.like, id);
    const like = await spec.adapter.create(spec.options, {
      id,
      projectRoot: root,
      connectors: config.connectors ?? {},
      ...(config.defaults?.connector === undefined
        ? {}
        : { defaultConnector: config.defaults.connector }),
      env,
      fetch: parts.fetch ?? globalThis.fetch,
      mask: (text) => createMask(project.secrets)(text),
    });
    return toAgent(like, id);
  };
  let scripts: ScriptProcesses | undefined;
  const project: Project = {
    root,
    ...(configFile === undefined ? {} : { configFile }),
    config,
    env,
    plugins,
    assertions,
    adapters,
    reporters,
    get secrets() {
      return secretsOf(env, parts.usedVariables, config, references.adapterOptions);
    },
    load: (file) => loader.load(file),
    resolve: (name) => loader.resolve(name),
    agentIds: () => references.agentIds(),
    resolveReference: (text) => references.resolve(text),
    async runScript(reference, data, signal) {
      const resolved = await references.resolve(reference);
      if ("problem" in resolved) throw new AuthorError(resolved.problem.message);
      if (resolved.kind !== "scripts") throw new AuthorError(`"${reference}" is not a script`);
      const { ScriptProcesses } = await import("../script/script-processes.js");
      scripts ??= new ScriptProcesses({ root, ...(parts.alias && { alias: parts.alias }) });
      const { file, exportName } = resolved;
      return scripts.run({ file, exportName, label: reference, data, signal });
    },
    agent(id) {
      const known = agents.get(id) ?? createAgent(id);
      agents.set(id, known);
      // Whoever comes next may have more luck.
      known.catch(() => agents.delete(id));
      return known;
    },
  };
  for (const [moment, hooks] of Object.entries(config.hooks ?? {}))
    await checkHooks(hooksOf(hooks as string | readonly string[]), project, (index, problem) =>
      problems.push({
        severity: "error",
        ...problem,
        path: ["hooks", moment, ...(Array.isArray(hooks) ? [index] : [])],
        ...(configFile === undefined ? {} : { file: configFile }),
      }),
    );
  await refuse();
  return project;
}
