/** A value that is no JSON, and where it stands. */
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

function whatOf(value: unknown): string | undefined {
  switch (typeof value) {
    case "function":
    case "symbol":
      return `a ${typeof value}`;
    case "bigint":
      return "a BigInt";
    case "number":
      return Number.isFinite(value) ? undefined : String(value);
    case "object": {
      if (value === null || Array.isArray(value)) return undefined;
      const prototype: unknown = Object.getPrototypeOf(value);
      if (prototype === null || prototype === Object.prototype) return undefined;
      // Objects of another realm have another Object.
      const name = (prototype as { constructor?: { name?: string } }).constructor?.name;
      return name === "Object" ? undefined : `an instance of ${name ?? "a class"}`;
    }
    default:
      return undefined;
  }
}
