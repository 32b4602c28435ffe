/** A value that JSON cannot hold, or not every program that reads it, and where it stands. */
export interface NotJson {
  readonly path: readonly (string | number)[];
  readonly what: string;
}

/**
 * The first value inside a case made by code that JSON cannot hold: a case is data, and what cannot be written into a
 * result could not be reported either. Fields that are undefined count as absent.
 */
export function findNotJson(value: unknown): NotJson | undefined {
  const seen = new Set<object>();
  const open: { value: unknown; path: readonly (string | number)[] }[] = [{ value, path: [] }];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    const { value: current, path } = item;
    const what = whatOf(current);
    if (what !== undefined) return { path, what };
    if (typeof current !== "object" || current === null) continue;
    // A value that holds itself would never end; one that stands in two places is looked at once.
    if (seen.has(current)) continue;
    seen.add(current);
    for (const [key, child] of Object.entries(current))
      open.push({ value: child, path: [...path, Array.isArray(current) ? Number(key) : key] });
  }
  return undefined;
}

/** With the flag u, a surrogate that has its other half is part of a character, and no match. */
const loneSurrogate = /\p{Surrogate}/u;

/** True if a text in parsed JSON, keys included, holds half a character: it would not survive being sent. */
export function hasLoneSurrogate(value: unknown): boolean {
  const open = [value];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    if (typeof item === "string" && loneSurrogate.test(item)) return true;
    if (typeof item !== "object" || item === null) continue;
    for (const key of Object.keys(item)) {
      if (!Array.isArray(item) && loneSurrogate.test(key)) return true;
      open.push((item as Record<string, unknown>)[key]);
    }
  }
  return false;
}

function whatOf(current: unknown): string | undefined {
  switch (typeof current) {
    case "function":
    case "symbol":
      return `a ${typeof current}`;
    case "bigint":
      return "a BigInt";
    case "number":
      return Number.isFinite(current) ? undefined : String(current);
    case "object": {
      if (current === null || Array.isArray(current)) return undefined;
      const prototype: unknown = Object.getPrototypeOf(current);
      if (prototype === null || prototype === Object.prototype) return undefined;
      // Objects of another realm have another Object.
      const name = (prototype as { constructor?: { name?: string } }).constructor?.name;
      return name === "Object" ? undefined : `an instance of ${name ?? "a class"}`;
    }
    case "string":
      return loneSurrogate.test(current)
        ? "text with half a character in it (a lone surrogate)"
        : undefined;
    default:
      return undefined;
  }
}
