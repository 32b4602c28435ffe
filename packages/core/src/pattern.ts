import { TurnwiseError } from "./errors.js";

/** A compiled regular expression in RE2 syntax: matching takes time linear in the text. */
export interface Pattern {
  readonly source: string;
  /** True if it occurs anywhere in the text. */
  test(text: string): boolean;
  /** The first occurrence. */
  find(text: string): { readonly start: number; readonly end: number } | undefined;
}

/** A pattern that cannot be compiled. */
export class PatternError extends TurnwiseError {
  constructor(message: string) {
    super(message, { code: "invalid_pattern", blame: "author" });
  }
}

/** Compiled patterns by source. Bounded: a suite may hold a million different ones. */
const cache = new Map<string, Pattern>();
const cacheSize = 1_000;

/**
 * Compiles a regular expression in RE2 syntax (JavaScript's spelling of escapes and named groups is understood too).
 * Flags are written inline: `(?i)`, `(?s)`, `(?m)`.
 * @throws PatternError if it is not valid, or uses look-around or back-references, which no linear engine can do.
 */
export async function compilePattern(source: string): Promise<Pattern> {
  const known = cache.get(source);
  if (known !== undefined) return known;
  const { RE2JS } = await import("re2js");
  let compiled: InstanceType<typeof RE2JS>;
  try {
    compiled = RE2JS.compile(RE2JS.translateRegExp(source));
  } catch (error) {
    throw new PatternError(explain(source, error));
  }
  const pattern: Pattern = {
    source,
    test: (text) => compiled.matcher(text).find(),
    find(text) {
      const matcher = compiled.matcher(text);
      return matcher.find() ? { start: matcher.start(), end: matcher.end() } : undefined;
    },
  };
  if (cache.size >= cacheSize) cache.delete(cache.keys().next().value!);
  cache.set(source, pattern);
  return pattern;
}

function explain(source: string, error: unknown): string {
  const reason = (error instanceof Error ? error.message : String(error)).replace(
    /^error parsing regexp: /,
    "",
  );
  const unsupported = /\(\?(=|!|<=|<!)|\\[1-9]/.test(source)
    ? " (look-around and back-references are not part of RE2 syntax)"
    : "";
  return `invalid pattern /${source}/: ${reason}${unsupported}`;
}
