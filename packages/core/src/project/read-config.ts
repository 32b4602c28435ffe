import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseEnv } from "node:util";
import type { Config } from "../contract/config.js";
import type { Problem } from "../problem.js";
import type { ModuleLoader } from "../script/load-module.js";
import { unknownConnector } from "../case/check-connectors.js";
import { located } from "../case/place.js";
import { compileDetection } from "../awaiting/settings.js";
import { check } from "../case/schema-problems.js";
import { errorMessage } from "../errors.js";
import { isObject, jsonTypeOf } from "../json.js";
import { createMask } from "../run/mask.js";
import { configSchema, connectorSchema } from "./config-schema.js";
import { parseText } from "../source/located.js";
import { isFile } from "./agent-files.js";
import { secretsOf } from "./secrets.js";

const extensions = ["ts", "mts", "js", "mjs", "json", "yaml", "yml"];

type Environment = Readonly<Record<string, string | undefined>>;

/** The nearest `turnwise.config.*` in `from` or a folder above it. */
export function findConfig(from: string): string | undefined {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    for (const extension of extensions) {
      const file = join(folder, `turnwise.config.${extension}`);
      if (existsSync(file)) return file;
    }
    if (dirname(folder) === folder) return undefined;
  }
}

/** The variables of a project: its `.env`, over which the environment of the process wins. */
export function readEnvironment(root: string, environment: Environment): Environment {
  const file = join(root, ".env");
  // A folder of that name is a virtual environment of Python.
  if (!isFile(file)) return environment;
  return { ...parseEnv(readFileSync(file, "utf8")), ...environment };
}

/** A config that was read, or all that is wrong with it. */
export type ReadConfig =
  | {
      readonly config: Config;
      readonly usedVariables: readonly string[];
      /** Finds the line of a path, where the config is a file of data. */
      readonly locate: (path: readonly (string | number)[]) => Promise<number | undefined>;
    }
  | { readonly problems: readonly Problem[] };

/** Reads and checks a config file. */
export async function readConfig(
  file: string,
  environment: Environment,
  loader: ModuleLoader,
): Promise<ReadConfig> {
  const problems: Problem[] = [];
  const usedVariables: string[] = [];
  let lineOf: (path: readonly (string | number)[]) => Promise<number | undefined> = async () =>
    undefined;
  const report = (problem: Omit<Problem, "severity" | "file">): void => {
    problems.push({ severity: "error", ...problem, file });
  };
  /** With the lines filled in. */
  const placedProblems = async (): Promise<Problem[]> => {
    const placed: Problem[] = [];
    for (const problem of problems) placed.push(await located(problem, { locate: lineOf }));
    // A value that came from a variable may be a secret, also when it is not what was expected.
    return createMask(secretsOf(environment, usedVariables, {}))(placed);
  };

  let raw: unknown;
  if (/\.(json|ya?ml)$/.test(file)) {
    const text = readFileSync(file, "utf8").replace(/^\uFEFF/, "");
    const document = await parseText(text, file.endsWith(".json") ? "json" : "yaml");
    if ("problems" in document) document.problems.forEach(report);
    else ({ lineOf } = document);
    const value = "problems" in document ? {} : document.value;
    raw = withVariables(value, environment, usedVariables, (name, path) =>
      report({
        code: "unset_variable",
        path,
        message: `the environment variable ${name} is not set`,
        hint: `Set it, or put it into .env in the project root.`,
      }),
    );
  } else {
    try {
      const module = await loader.load(file);
      raw = module["default"];
      if (raw === undefined)
        report({
          code: "cannot_load",
          message: "the config has no default export",
          hint: "Write: export default defineConfig({ ... })",
        });
    } catch (error) {
      report({ code: "cannot_load", message: errorMessage(error) });
    }
  }
  if (problems.length > 0) return { problems: await placedProblems() };
  const checked = check(configSchema, raw ?? {});
  if ("problems" in checked) checked.problems.forEach(report);
  const connectors = isObject(raw) ? raw["connectors"] : undefined;
  if (isObject(connectors))
    for (const [name, value] of Object.entries(connectors)) {
      const connector = check(connectorSchema, value);
      if ("problems" in connector)
        for (const problem of connector.problems)
          report({ ...problem, path: ["connectors", name, ...(problem.path ?? [])] });
    }
  const defaults = isObject(raw) && isObject(raw["defaults"]) ? raw["defaults"] : {};
  const names = isObject(connectors) ? Object.keys(connectors) : [];
  const named = defaults["connector"];
  if (typeof named === "string" && !names.includes(named))
    report({ ...unknownConnector(named, names), path: ["defaults", "connector"] });
  if ("value" in checked && checked.value.detection !== undefined)
    await compileDetection(checked.value.detection, (path, message) =>
      report({ code: "invalid_pattern", path: ["detection", ...path], message }),
    );
  const scripts = isObject(raw) && isObject(raw["scripts"]) ? raw["scripts"] : {};
  for (const [id, path] of Object.entries(scripts))
    if (typeof path !== "string")
      report({
        code: "invalid_value",
        path: ["scripts", id],
        message: `expected the path of a module, got ${jsonTypeOf(path)}`,
      });
  if (isObject(raw))
    for (const key of ["metrics", "thresholds", "include"])
      if (raw[key] !== undefined)
        report({
          code: "not_supported",
          path: [key],
          message: `"${key}" in the config is not supported yet`,
        });
  if (problems.length > 0) return { problems: await placedProblems() };
  return { config: raw as Config, usedVariables, locate: lineOf };
}

/** Replaces `${NAME}` in every string, keeping the tree. */
function withVariables(
  value: unknown,
  environment: Environment,
  used: string[],
  unset: (name: string, path: (string | number)[]) => void,
  path: (string | number)[] = [],
): unknown {
  if (typeof value === "string")
    return value.replaceAll(/\$\{([A-Za-z_]\w*)\}/g, (whole, name: string) => {
      const found = environment[name];
      if (found === undefined) unset(name, path);
      else used.push(name);
      return found ?? whole;
    });
  if (Array.isArray(value))
    return value.map((item, index) =>
      withVariables(item, environment, used, unset, [...path, index]),
    );
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      withVariables(item, environment, used, unset, [...path, key]),
    ]),
  );
}
