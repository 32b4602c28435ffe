import { existsSync, statSync } from "node:fs";
import { extname, resolve } from "node:path";
import type { Problem } from "../problem.js";
import type { Source } from "./source.js";
import type { LoadedSuite, SuiteOptions } from "./suite.js";
import { InvalidCaseError } from "../errors.js";
import { normaliseCase } from "../case/normalise.js";
import { jsonSource } from "./json.js";
import { jsonlSource } from "./jsonl.js";
import { messageSource } from "./message.js";
import { checkSources } from "./suite.js";
import type { TestCase } from "../case/test-case.js";

/** Where the inputs of a run are looked up. */
export interface LoadSuiteOptions extends SuiteOptions {
  /** Folder to which paths are relative. Default: the working directory. */
  readonly cwd?: string;
}

const notYet: Readonly<Record<string, string>> = {
  ".yaml": "YAML files",
  ".yml": "YAML files",
  ".ts": "TypeScript modules",
  ".mts": "TypeScript modules",
  ".js": "JavaScript modules",
  ".mjs": "JavaScript modules",
};

/**
 * Reads inputs: paths of case files, or messages to send. Everything is checked before anything can run; on success
 * the suite streams the cases, reading the files again.
 */
export async function loadSuite(
  inputs: readonly string[],
  options: LoadSuiteOptions,
): Promise<LoadedSuite> {
  const cwd = options.cwd ?? process.cwd();
  const problems: Problem[] = [];
  const sources: Source[] = [];
  for (const input of inputs) {
    const found = toSource(input, cwd);
    if ("message" in found) problems.push({ severity: "error", ...found });
    else sources.push(found);
  }
  if (problems.length === 0) return checkSources(sources, options);
  // A file that cannot be read must not hide what is wrong with the others.
  const checked = sources.length === 0 ? undefined : await checkSources(sources, options);
  return { problems: [...problems, ...(checked?.problems ?? [])] };
}

function toSource(input: string, cwd: string): Source | Omit<Problem, "severity"> {
  if (input.trim() === "") return { code: "invalid_value", message: "the input is empty" };
  if (input === "-")
    return { code: "not_supported", message: "reading cases from a pipe is not supported yet" };
  if (/^(agents|scripts|agent|script):/.test(input))
    return {
      code: "not_supported",
      message: `generating cases (${input}) is not supported yet`,
    };
  const path = resolve(cwd, input);
  const exists = existsSync(path);
  const extension = extname(input).toLowerCase();
  const knownExtension = extension === ".jsonl" || extension === ".json" || extension in notYet;
  if (!exists && isGlob(input, knownExtension))
    return { code: "not_supported", message: `globs (${input}) are not supported yet` };
  if (!exists && !knownExtension) return messageSource(input);
  if (!exists) return { code: "missing_file", file: input, message: "there is no such file" };
  if (!statSync(path).isFile())
    return {
      code: "missing_file",
      file: input,
      message: "this is a folder; name the files in it",
    };
  if (extension === ".jsonl") return jsonlSource(path, input);
  if (extension === ".json") return jsonSource(path, input);
  return {
    code: "not_supported",
    file: input,
    message:
      extension in notYet
        ? `${notYet[extension]} are not supported yet; use .jsonl or .json`
        : `a file of the type "${extension}" is not a case file; use .jsonl or .json`,
  };
}

/** "Why?" and "What [exactly]?" are messages: a glob has no spaces, and more to it than a question mark. */
function isGlob(input: string, knownExtension: boolean): boolean {
  return knownExtension ? /[*?[\]{}]/.test(input) : /[*[\]{}]/.test(input) && !/\s/.test(input);
}

/** A suite of cases that a harness made itself. They are held in memory. */
export async function suiteOfCases(
  cases: Iterable<unknown> | AsyncIterable<unknown>,
  options: SuiteOptions,
): Promise<LoadedSuite> {
  const held: unknown[] = [];
  for await (const raw of cases) held.push(raw);
  return checkSources(
    [
      {
        kind: "cases",
        name: "cases",
        async *read() {
          for (const raw of held) yield { raw, origin: {} };
        },
      },
    ],
    options,
  );
}

/**
 * Parses inputs in one pass, without looking at agents and assertions: each case, or the problem in its place, as
 * soon as it is read.
 */
export async function* parseCases(
  inputs: readonly string[],
  options: { readonly cwd?: string } = {},
): AsyncGenerator<{ readonly testCase: TestCase } | { readonly problem: Problem }> {
  for (const input of inputs) {
    const source = toSource(input, options.cwd ?? process.cwd());
    if ("message" in source) {
      yield { problem: { severity: "error", ...source } };
      continue;
    }
    for await (const item of source.read()) {
      if ("problem" in item) {
        yield item;
        continue;
      }
      const { testCase, problems } = normaliseCase(item.raw, item.origin);
      for (const problem of problems) yield { problem };
      if (testCase !== undefined) yield { testCase };
    }
  }
}

/** Normalises a raw case or throws. */
export function normaliseOrThrow(raw: unknown): TestCase {
  const { testCase, problems } = normaliseCase(raw);
  if (testCase === undefined) throw new InvalidCaseError(problems);
  return testCase;
}
