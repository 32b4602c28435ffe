/** Data that JSON can hold. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | JsonValue[]
  | { [key: string]: JsonValue };

/** True for objects that are neither null nor arrays. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A property of the object itself, never of its prototype. */
export function own<T>(
  object: Readonly<Record<string, T>> | undefined,
  key: string,
): T | undefined {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}

/**
 * A copy through JSON, so that what an agent changes later cannot change what was recorded.
 * @throws TypeError if the value has cycles or BigInts, RangeError if it is nested too deeply.
 */
export function jsonCopy(value: unknown): JsonValue | undefined {
  if (value === undefined || value === null || typeof value === "boolean") return value;
  if (typeof value === "string") return value;
  const text = JSON.stringify(value);
  return text === undefined ? undefined : (JSON.parse(text) as JsonValue);
}

/** Deepest nesting taken from agents and files: far more than data has, far less than the stack can hold. */
export const deepestNesting = 200;

/** True if objects and arrays are nested more than 200 levels deep. Does not recurse. */
export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepestNesting) return true;
    const next: unknown[] = [];
    for (const item of level)
      if (typeof item === "object" && item !== null)
        for (const child of Object.values(item))
          if (typeof child === "object" && child !== null) next.push(child);
    level = next;
  }
  return false;
}

/** The JSON type of a value, as the `type` assertion and error messages name it. */
export function jsonTypeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

/** Equal as JSON: key order does not matter, 1 equals 1.0, arrays in order. */
export function deepEqual(a: unknown, b: unknown): boolean {
  return compare(a, b, false);
}

/** True if `expected` is contained in `actual`: objects may have more keys (recursively), arrays compare exactly. */
export function isSubset(expected: unknown, actual: unknown): boolean {
  return compare(actual, expected, true);
}

function compare(actual: unknown, expected: unknown, subset: boolean): boolean {
  if (actual === expected) return true;
  if (typeof actual !== "object" || typeof expected !== "object") return false;
  if (actual === null || expected === null) return false;
  if (Array.isArray(actual) !== Array.isArray(expected)) return false;
  if (Array.isArray(actual) && Array.isArray(expected))
    return (
      actual.length === expected.length &&
      actual.every((item, index) => compare(item, expected[index], false))
    );
  const keys = Object.keys(expected);
  if (!subset && keys.length !== Object.keys(actual).length) return false;
  return keys.every(
    (key) =>
      Object.hasOwn(actual, key) &&
      compare(
        (actual as Record<string, unknown>)[key],
        (expected as Record<string, unknown>)[key],
        subset,
      ),
  );
}

/** `over` laid over `base`: objects deeply, everything else replaced. Own keys only, `__proto__` included. */
export function mergeDeep<T>(base: T, over: unknown): T {
  if (over === undefined) return base;
  if (!isObject(base) || !isObject(over)) return over as T;
  const merged: Record<string, unknown> = { ...base };
  for (const key of Object.keys(over))
    Object.defineProperty(merged, key, {
      value: Object.hasOwn(base, key) ? mergeDeep(base[key], over[key]) : over[key],
      enumerable: true,
      configurable: true,
      writable: true,
    });
  return merged as T;
}
