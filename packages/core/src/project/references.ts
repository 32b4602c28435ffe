import { join, relative, resolve } from "node:path";
import type { AnyAdapterDefinition } from "../contract/agent.js";
import type { Config } from "../contract/config.js";
import type { Plugin } from "../contract/plugin.js";
import type { Problem } from "../problem.js";
import type { ModuleLoader } from "../script/load-module.js";
import type { ModuleFile } from "./agent-files.js";
import type { AgentSpec, ResolvedReference } from "./resolved-reference.js";
import { check } from "../case/schema-problems.js";
import { isAgentLike } from "../contract/to-agent.js";
import { errorMessage } from "../errors.js";
import { isObject, jsonTypeOf, own } from "../json.js";
import { formatPath } from "../problem.js";
import { didYouMean } from "../suggest.js";
import { findModuleFile, isFile, listModuleIds } from "./agent-files.js";
import { parseReference } from "./reference.js";

/** What references are resolved against. */
export interface ReferenceSource {
  readonly root: string;
  readonly configFile: string | undefined;
  readonly config: Config;
  readonly plugins: readonly Plugin[];
  readonly adapters: ReadonlyMap<string, AnyAdapterDefinition>;
  readonly loader: ModuleLoader;
}

interface Failure {
  readonly problem: Problem;
}
type Place = Pick<Problem, "file" | "path">;

/** Finds what references name. Each is looked up once. */
export class References {
  private readonly resolved = new Map<string, Promise<ResolvedReference | Failure>>();
  private ids: readonly string[] | undefined;
  /** Options of the agents found so far that adapters make. */
  readonly adapterOptions: unknown[] = [];

  constructor(private readonly source: ReferenceSource) {}

  /** Ids of the agents that the project itself defines. */
  agentIds(): readonly string[] {
    const { config, root } = this.source;
    this.ids ??= [
      ...new Set([...Object.keys(config.agents ?? {}), ...listModuleIds(join(root, "agents"))]),
    ];
    return this.ids;
  }

  resolve(text: string): Promise<ResolvedReference | Failure> {
    let found = this.resolved.get(text);
    if (found === undefined) {
      found = this.lookUp(text);
      this.resolved.set(text, found);
    }
    return found;
  }

  private async lookUp(text: string): Promise<ResolvedReference | Failure> {
    let reference: ReturnType<typeof parseReference>;
    try {
      reference = parseReference(text);
    } catch (error) {
      return failure("invalid_reference", `${errorMessage(error)}${this.asId(text)}`);
    }
    const { kind, id, parameters } = reference;
    if (kind === "scripts") {
      const script = this.script(id);
      return "problem" in script ? script : { kind, id, parameters, ...script };
    }
    const spec = await this.agent(id);
    return "problem" in spec ? spec : { kind, id, parameters, spec };
  }

  private script(id: string): ModuleFile | Failure {
    const { config, root } = this.source;
    const configured = own(config.scripts, id);
    const found =
      typeof configured === "string"
        ? { file: resolve(root, configured), exportName: "default" }
        : findModuleFile(join(root, "scripts"), id);
    if (found !== undefined && isFile(found.file)) return found;
    const ids = [...Object.keys(config.scripts ?? {}), ...listModuleIds(join(root, "scripts"))];
    return failure("unknown_script", `there is no script "${id}"${didYouMean(id, ids)}`);
  }

  private async agent(id: string): Promise<AgentSpec | Failure> {
    const { config, configFile, root } = this.source;
    const configured = own(config.agents, id);
    if (configured !== undefined) {
      const place = {
        ...(configFile === undefined ? {} : { file: configFile }),
        path: ["agents", id],
      };
      if (typeof configured !== "string") return this.toSpec(configured, place);
      const file = resolve(root, configured);
      if (isFile(file)) return this.fromModule({ file, exportName: "default" });
      return failure("missing_file", `there is no such file: ${configured}`, place);
    }
    const found = findModuleFile(join(root, "agents"), id);
    if (found !== undefined) return this.fromModule(found);
    for (const plugin of this.source.plugins) {
      const builtIn = own(plugin.agents, id);
      if (builtIn !== undefined) return this.toSpec(builtIn, { path: ["agents", id] });
    }
    const ids = this.agentIds();
    const builtIn = this.source.plugins.flatMap((plugin) => Object.keys(plugin.agents ?? {}));
    const file = join("agents", ...id.split("."));
    return failure(
      "unknown_agent",
      `there is no agent "${id}"${didYouMean(id, [...ids, ...builtIn])}`,
      {},
      {
        hint:
          ids.length === 0
            ? `Write one in ${file}.ts below ${root}, or name it under "agents" in turnwise.config.*.`
            : `Agents here: ${ids.slice(0, 20).join(", ")}. Another goes into ${file}.ts or under "agents" in the config.`,
      },
    );
  }

  private async fromModule({ file, exportName }: ModuleFile): Promise<AgentSpec | Failure> {
    const place = { file };
    let module: Readonly<Record<string, unknown>>;
    try {
      module = await this.source.loader.load(file);
    } catch (error) {
      return failure("cannot_load", errorMessage(error));
    }
    const exported =
      exportName === "default" && typeof module === "function" ? module : own(module, exportName);
    if (exported !== undefined) return this.toSpec(exported, place);
    const names = Object.keys(module);
    const meant =
      exportName === "default"
        ? ""
        : `${didYouMean(exportName, names)}${this.asId(relative(this.source.root, file))}`;
    return failure("unknown_agent", `there is no export "${exportName}" in it${meant}`, place, {
      hint: `It exports ${names.length === 0 ? "nothing" : names.join(", ")}. An agent is a function (request) => reply, or an object with respond(request).`,
    });
  }

  private toSpec(value: unknown, place: Place): AgentSpec | Failure {
    if (typeof value === "function" && /^class\b/.test(Function.prototype.toString.call(value)))
      return failure(
        "invalid_value",
        "expected an agent, got a class; export an instance of it",
        place,
      );
    if (isAgentLike(value)) return { like: value };
    if (!isObject(value) || typeof value["type"] !== "string") {
      const got = isObject(value)
        ? `an object with the keys ${Object.keys(value).join(", ")}`
        : jsonTypeOf(value);
      return failure(
        "invalid_value",
        `expected an agent (a function, an object with respond(request), or { type, ... }), got ${got}`,
        place,
      );
    }
    const { type, ...options } = value;
    const adapter = this.source.adapters.get(type);
    if (adapter === undefined)
      return failure(
        "unknown_adapter",
        `no plugin defines agents of the type "${type}"${didYouMean(type, this.source.adapters.keys())}`,
        { ...place, path: [...(place.path ?? []), "type"] },
      );
    const checked = check(adapter.schema, options);
    if ("value" in checked) {
      this.adapterOptions.push(checked.value);
      return { adapter, options: checked.value };
    }
    const [first, ...more] = checked.problems;
    // One reference is one problem; what else is wrong with the options is said along with it.
    const rest = more
      .map(
        ({ path = [], message }) => `; ${formatPath([...(place.path ?? []), ...path])}: ${message}`,
      )
      .join("");
    return failure(first!.code, `${first!.message}${rest}`, {
      ...place,
      path: [...(place.path ?? []), ...(first!.path ?? [])],
    });
  }

  /** Who writes the file of an agent means its id. */
  private asId(text: string): string {
    const id = text
      .replace(/^agents:/, "")
      .replace(/^(\.\/)?agents\//, "")
      .replace(/\.m?[tj]s$/, "")
      .replaceAll("/", ".");
    return id !== text && this.agentIds().includes(id) ? `; did you mean the id "${id}"?` : "";
  }
}

function failure(
  code: Problem["code"],
  message: string,
  place: Place = {},
  more: Pick<Problem, "hint"> = {},
): Failure {
  return { problem: { code, severity: "error", message, ...place, ...more } };
}
