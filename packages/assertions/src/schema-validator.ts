import { compilePattern, errorMessage, isObject } from "@turnwise/core";
import type { Pattern } from "@turnwise/core";
import type { Ajv, ErrorObject, Options, ValidateFunction } from "ajv";

/** Says what is wrong with a document, a sentence each; nothing if it is valid. */
export type Validator = (document: unknown) => Promise<readonly string[]>;
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
  // What cannot be compiled is reported, and no part of a run.
  compiled.catch(() => cache.delete(text));
  if (cache.size >= cacheSize) cache.delete(cache.keys().next().value!);
  cache.set(text, compiled);
  return compiled;
}

async function compile(schema: Schema): Promise<Validator> {
  const dialect = dialectOf(schema);
  const facts = await factsOf(schema);
  const validate = (await compilerOf(dialect, { allErrors: false }))(schema, facts);
  let validateAll: ValidateFunction | undefined;
  return async (document) => {
    if (validate(document)) return [];
    // All errors of a hostile document could be millions.
    if (JSON.stringify(document).length > longestForAllErrors) return sentencesOf(validate.errors);
    validateAll ??= (await compilerOf(dialect, { allErrors: true }))(schema, facts);
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

/** Annotations that check nothing, and that ajv does not know. Extensions (`x-...`) are added as they come. */
const annotations = ["$anchor", "example", "externalDocs"];

/** What a schema holds that ajv cannot be left alone with. */
interface SchemaFacts {
  readonly patterns: ReadonlyMap<string, Pattern | Error>;
  readonly ids: readonly string[];
  readonly extensions: readonly string[];
}

type Compiler = (schema: Schema, facts: SchemaFacts) => ValidateFunction;

/** Compilers so far. The first schema of each takes some 50 ms, those that follow one. */
const compilers = new Map<string, { readonly compile: Compiler; uses: number }>();
/** A compiler keeps something of every schema it has seen. */
const mostUses = 1_000;

async function compilerOf(
  dialect: Dialect,
  { allErrors }: { readonly allErrors: boolean },
): Promise<Compiler> {
  const key = `${dialect} ${allErrors}`;
  const known = compilers.get(key);
  if (known !== undefined && known.uses++ < mostUses) return known.compile;
  const AjvOfDialect = await dialects[dialect]();
  const { default: addFormats } = await import("ajv-formats");
  let current: SchemaFacts["patterns"] = new Map();
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
    // `{}` has no "constructor".
    ownProperties: true,
    // 19.99 is a multiple of 0.01.
    multipleOfPrecision: 9,
    logger: false,
    code: { regExp: Object.assign(regExp, { code: "linear" }) },
  };
  const ajv: Ajv = new AjvOfDialect(options);
  (addFormats as unknown as typeof addFormats.default)(ajv, { formats: [...formats] });
  for (const keyword of annotations) if (ajv.getKeyword(keyword) === false) ajv.addKeyword(keyword);
  // Theirs compares each with each.
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    error: { message: "must NOT have duplicate items" },
    compile: (wanted: boolean) => (items: unknown) => !wanted || areUnique(items as unknown[]),
  });
  const compiler: Compiler = (schema, { patterns, ids, extensions }) => {
    for (const id of ids)
      if (ajv.getSchema(id) !== undefined)
        throw new Error(
          `the $id ${JSON.stringify(id)} is that of a schema which is known; refer to it: {"$ref": ${JSON.stringify(id)}}`,
        );
    for (const keyword of extensions)
      if (ajv.getKeyword(keyword) === false) ajv.addKeyword(keyword);
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

function areUnique(items: readonly unknown[]): boolean {
  return new Set(items.map(canonical)).size === items.length;
}

/** Text that is the same for equal values. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    isObject(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}

/**
 * Looks through a schema. Whatever may be a pattern is compiled; one that is none throws when it turns out to be meant.
 * @throws Error for what ajv would take and not check.
 */
async function factsOf(schema: Schema): Promise<SchemaFacts> {
  const patterns = new Map<string, Pattern | Error>();
  const ids: string[] = [];
  const extensions = new Set<string>();
  const look = async (part: unknown): Promise<void> => {
    if (Array.isArray(part)) for (const item of part) await look(item);
    if (!isObject(part)) return;
    const { $async, $id, pattern, patternProperties, properties } = part;
    if ($async === true) throw new Error("$async is not part of JSON Schema");
    if (isObject(properties) && Object.hasOwn(properties, "__proto__"))
      throw new Error('a property "__proto__" cannot be checked; use patternProperties');
    if (typeof $id === "string") ids.push($id);
    for (const key of Object.keys(part)) if (key.startsWith("x-")) extensions.add(key);
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
    for (const value of Object.values(part)) await look(value);
  };
  await look(schema);
  return { patterns, ids, extensions: [...extensions] };
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
  const named = ["additionalProperty", "unevaluatedProperty", "allowedValue", "allowedValues"]
    .filter((name) => params[name] !== undefined)
    .map((name) => ` (${JSON.stringify(params[name])})`)
    .join("");
  return `$${place} ${message ?? "is not valid"}${named}`;
}
