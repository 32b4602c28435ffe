import { compilePattern, errorMessage, isObject } from "@turnwise/core";
import type { Pattern } from "@turnwise/core";
import type { Ajv, ErrorObject, Options, ValidateFunction } from "ajv";

/** Says what is wrong with a document, a sentence each; nothing if it is valid. */
export type Validator = (document: unknown) => readonly string[];
type Schema = boolean | Readonly<Record<string, unknown>>;

/** Compiled schemas by their text. Bounded: a suite may hold a million different ones. */
const cache = new Map<string, Promise<Validator>>();
const cacheSize = 100;

/** Documents are looked at for more than their first error up to this size, in characters of JSON. */
const longestForAllErrors = 100_000;
/** How many errors are told. */
const mostErrors = 20;

/**
 * Compiles a JSON Schema.
 * @throws Error if it is none: an unknown keyword or format, a reference to nothing, a pattern that is not RE2.
 */
export function compileSchema(schema: Schema): Promise<Validator> {
  const text = JSON.stringify(schema);
  const known = cache.get(text);
  if (known !== undefined) return known;
  const compiled = compile(schema);
  // One that cannot be compiled is asked for once more at most, for another case.
  compiled.catch(() => cache.delete(text));
  if (cache.size >= cacheSize) cache.delete(cache.keys().next().value!);
  cache.set(text, compiled);
  return compiled;
}

async function compile(schema: Schema): Promise<Validator> {
  const dialect = dialectOf(schema);
  const patterns = new Map<string, Pattern | Error>();
  await collectPatterns(schema, patterns);
  const validate = (await compilerOf(dialect, false))(schema, patterns);
  const compileAll = await compilerOf(dialect, true);
  let validateAll: ValidateFunction | undefined;
  return (document) => {
    if (validate(document)) return [];
    // All errors of a hostile document could be millions.
    if (JSON.stringify(document).length > longestForAllErrors) return sentencesOf(validate.errors);
    validateAll ??= compileAll(schema, patterns);
    validateAll(document);
    return sentencesOf(validateAll.errors);
  };
}

const dialects = {
  "https://json-schema.org/draft/2020-12/schema": async () =>
    (await import("ajv/dist/2020.js")).Ajv2020,
  "https://json-schema.org/draft/2019-09/schema": async () =>
    (await import("ajv/dist/2019.js")).Ajv2019,
  "http://json-schema.org/draft-07/schema": async () => (await import("ajv")).Ajv,
} as const;
type Dialect = keyof typeof dialects;

function dialectOf(schema: Schema): Dialect {
  const given = isObject(schema) ? schema["$schema"] : undefined;
  if (given === undefined) return "https://json-schema.org/draft/2020-12/schema";
  const uri = typeof given === "string" ? given.replace(/#$/, "") : "";
  if (Object.hasOwn(dialects, uri)) return uri as Dialect;
  throw new Error(
    `$schema ${JSON.stringify(given)} is not known; expected one of ${Object.keys(dialects).join(", ")}`,
  );
}

/** Those of the standard. What else ajv-formats brings is not, and its "url" takes a minute for a long text. */
const formats = [
  "date",
  "time",
  "date-time",
  "duration",
  "uri",
  "uri-reference",
  "uri-template",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "regex",
  "uuid",
  "json-pointer",
  "relative-json-pointer",
] as const;

type Compiler = (
  schema: Schema,
  patterns: ReadonlyMap<string, Pattern | Error>,
) => ValidateFunction;

/** Compilers so far. The first schema of each takes some 50 ms, those that follow one. */
const compilers = new Map<string, { readonly compile: Compiler; uses: number }>();
/** A compiler keeps something of every schema it has seen. */
const mostUses = 1_000;

async function compilerOf(dialect: Dialect, allErrors: boolean): Promise<Compiler> {
  const key = `${dialect} ${allErrors}`;
  const known = compilers.get(key);
  if (known !== undefined && known.uses++ < mostUses) return known.compile;
  const AjvOfDialect = await dialects[dialect]();
  const { default: addFormats } = await import("ajv-formats");
  let current: ReadonlyMap<string, Pattern | Error> = new Map();
  const regExp = (source: string): { test(text: string): boolean; toString(): string } => {
    const pattern = current.get(source);
    if (pattern instanceof Error) throw pattern;
    // Patterns that were not collected are those of the meta-schemas.
    return pattern === undefined
      ? new RegExp(source, "u")
      : { test: (text) => pattern.test(text), toString: () => `linear ${source}` };
  };
  const options: Options = {
    allErrors,
    // A typo in a keyword would make a schema that holds of everything.
    strictSchema: true,
    strictNumbers: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    logger: false,
    addUsedSchema: false,
    code: { regExp: Object.assign(regExp, { code: "linear" }) },
  };
  const ajv: Ajv = new AjvOfDialect(options);
  (addFormats as unknown as typeof addFormats.default)(ajv, { formats: [...formats] });
  const compiler: Compiler = (schema, patterns) => {
    current = patterns;
    try {
      return ajv.compile(schema);
    } finally {
      if (typeof schema !== "boolean") ajv.removeSchema(schema);
    }
  };
  compilers.set(key, { compile: compiler, uses: 0 });
  return compiler;
}

/** Compiles whatever may be a pattern. One that is none throws when it turns out to be meant. */
async function collectPatterns(
  schema: unknown,
  patterns: Map<string, Pattern | Error>,
): Promise<void> {
  if (Array.isArray(schema)) for (const item of schema) await collectPatterns(item, patterns);
  if (!isObject(schema)) return;
  const { pattern, patternProperties } = schema;
  const sources = [
    ...(typeof pattern === "string" ? [pattern] : []),
    ...(isObject(patternProperties) ? Object.keys(patternProperties) : []),
  ];
  for (const source of sources) {
    try {
      patterns.set(source, await compilePattern(source));
    } catch (error) {
      patterns.set(source, error instanceof Error ? error : new Error(errorMessage(error)));
    }
  }
  for (const value of Object.values(schema)) await collectPatterns(value, patterns);
}

function sentencesOf(errors: readonly ErrorObject[] | null | undefined): string[] {
  const sentences = (errors ?? []).map(sentenceOf);
  const more = sentences.length - mostErrors;
  return more > 0 ? [...sentences.slice(0, mostErrors), `… and ${more} more`] : sentences;
}

/** `$.order.total must be number`: the place in the document, then what ajv says. */
function sentenceOf({ instancePath, message, params }: ErrorObject): string {
  const place = instancePath.replaceAll(/\/([^/]*)/g, (_, step: string) => {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (/^\d+$/.test(key)) return `[${key}]`;
    return /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  });
  const named = ["additionalProperty", "unevaluatedProperty", "allowedValue"]
    .filter((name) => params[name] !== undefined)
    .map((name) => ` (${JSON.stringify(params[name])})`)
    .join("");
  const choices = Array.isArray(params["allowedValues"])
    ? ` (${JSON.stringify(params["allowedValues"])})`
    : "";
  return `$${place} ${message ?? "is not valid"}${named}${choices}`;
}
