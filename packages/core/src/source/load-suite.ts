import { existsSync, statSync } from "node:fs";
import { extname, resolve } from "node:path";
import type { Problem } from "../problem.js";
import type { ModuleLoader } from "../script/load-module.js";
import type { Source } from "./source.js";
import type { LoadedSuite, SuiteOptions } from "./suite.js";
import type { TestCase } from "../case/test-case.js";
import { InvalidCaseError } from "../errors.js";
import { normaliseCase } from "../case/normalise.js";
import { located } from "../case/place.js";
import { createModuleLoader } from "../script/load-module.js";
import { generatedSource } from "./generated.js";
import { jsonlSource, pipeSource } from "./jsonl.js";
import { messageSource } from "./message.js";
import { moduleSource } from "./module.js";
import { checkSources } from "./suite.js";
import { textFileSource } from "./text-file.js";

/** Where inputs are looked up. */
interface InputOptions {
  /** Folder to which paths are relative. Default: the working directory. */
  readonly cwd?: string;
  /** What `-` reads. Default: standard input. */
  readonly stdin?: AsyncIterable<Buffer>;
  /** Gives up waiting for generators. */
  readonly signal?: AbortSignal;
}

/** Where the inputs of a run are looked up, and what is checked. */
export interface LoadSuiteOptions extends SuiteOptions, InputOptions {}

/** How the files of each extension become cases. */
const fileSources: Readonly<
  Record<string, (path: string, name: string, loader: ModuleLoader) => Source>
> = {
  ".jsonl": jsonlSource,
  ".json": (path, name) => textFileSource(path, name, "json"),
  ".yaml": (path, name) => textFileSource(path, name, "yaml"),
  ".yml": (path, name) => textFileSource(path, name, "yaml"),
  ".ts": moduleSource,
  ".mts": moduleSource,
  ".js": moduleSource,
  ".mjs": moduleSource,
};

/**
 * Reads inputs: paths of case files, `-` for JSONL from a pipe, references of generators, or messages to send. Everything is checked before
 * anything can run; on success the suite streams the cases, reading the files again.
 */
export async function loadSuite(
  inputs: readonly string[],
  options: LoadSuiteOptions,
): Promise<LoadedSuite> {
  const problems: Problem[] = [];
  const sources: Source[] = [];
  let messages = 0;
  for (const input of inputs) {
    const found = /^(agents|scripts):/.test(input)
      ? generatedSource(input, options)
      : toSource(input, options, options.project);
    if ("kind" in found && found.kind === "message") {
      messages++;
      sources.push(messageSource(input, messages));
      continue;
    }
    if ("message" in found) problems.push({ severity: "error", ...found });
    else sources.push(found);
  }
  if (problems.length === 0) return checkSources(sources, options);
  // A file that cannot be read must not hide what is wrong with the others.
  const checked = sources.length === 0 ? undefined : await checkSources(sources, options);
  return { problems: [...problems, ...(checked?.problems ?? [])] };
}

function toSource(
  input: string,
  options: InputOptions,
  loader: ModuleLoader,
): Source | Omit<Problem, "severity"> {
  if (input.trim() === "") return { code: "invalid_value", message: "the input is empty" };
  if (input === "-") return pipeSource(options.stdin ?? process.stdin);
  if (/^(agent|script):/.test(input))
    return {
      code: "invalid_reference",
      message: `${input.replace(/:.*/s, ":")} is no prefix; did you mean "${input.replace(":", "s:")}"?`,
    };
  if (/^(agents|scripts):/.test(input))
    return {
      code: "not_supported",
      message: `cases are not generated here (${input}): loadSuite does that`,
    };
  if (/\.sim\.m?[tj]s$/.test(input))
    return {
      code: "not_supported",
      file: input,
      message: "scenario files (.sim.ts) are not supported yet",
    };
  const path = resolve(options.cwd ?? process.cwd(), input);
  const extension = extname(input).toLowerCase();
  const source = Object.hasOwn(fileSources, extension) ? fileSources[extension] : undefined;
  if (!existsSync(path)) {
    if (isGlob(input))
      return {
        code: "missing_file",
        file: input,
        message: "no file matches this pattern",
      };
    if (source !== undefined || isPathLike(input))
      return {
        code: "missing_file",
        file: input,
        message: "there is no such file",
        ...(source === undefined
          ? { hint: 'If it is a message, put it into a case: {"id": "a", "input": "..."}.' }
          : {}),
      };
    return messageSource(input, 1);
  }
  if (!statSync(path).isFile())
    return {
      code: "missing_file",
      file: input,
      message: "this is a folder; name the files in it, or write a pattern",
      hint: `For example "${input.replace(/\/$/, "")}/**/*.jsonl", in quotes.`,
    };
  if (source !== undefined) return source(path, input, loader);
  return {
    code: "invalid_value",
    file: input,
    message: `a file of the type "${extension}" is not a case file; expected ${Object.keys(fileSources).join(", ")}`,
  };
}

/** "tests/first" and "cases.jsnl" are paths with a slip in them, not something to say to an agent. */
function isPathLike(input: string): boolean {
  return !/\s|^https?:/i.test(input) && /[\\/]|\w\.[A-Za-z]\w{0,5}$/.test(input);
}

/**
 * True for an input that is meant as a pattern for file names. "Why?" and "What [exactly]?" are messages: a pattern has
 * no spaces, and more to it than a question mark, unless it ends like a case file.
 */
export function isGlob(input: string): boolean {
  if (Object.hasOwn(fileSources, extname(input).toLowerCase())) return /[*?[\]{}]/.test(input);
  return /[*[\]{}]/.test(input) && !/\s/.test(input);
}

/** A suite of cases that a harness made itself. They are held in memory. */
export async function suiteOfCases(
  cases: Iterable<unknown> | AsyncIterable<unknown>,
  options: SuiteOptions,
  /** What reports call them. */
  name = "cases",
): Promise<LoadedSuite> {
  const held: unknown[] = [];
  for await (const raw of cases) held.push(raw);
  return checkSources(
    [
      {
        kind: "cases",
        name,
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
  options: InputOptions = {},
): AsyncGenerator<{ readonly testCase: TestCase } | { readonly problem: Problem }> {
  const loader = createModuleLoader(options.cwd ?? process.cwd());
  for (const input of inputs) {
    const source = toSource(input, options, loader);
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
      for (const problem of problems) yield { problem: await located(problem, item.origin) };
      if (testCase !== undefined) yield { testCase };
    }
  }
}

/** Normalises a raw case or throws. */
export function normaliseOrThrow(raw: unknown): {
  readonly testCase: TestCase;
  readonly problems: readonly Problem[];
} {
  const { testCase, problems } = normaliseCase(raw);
  if (testCase === undefined) throw new InvalidCaseError(problems);
  return { testCase, problems };
}
