import { deepEqual, isObject } from "@turnwise/core";
import type { Pattern } from "@turnwise/core";
import { firstFailure } from "./first-failure.js";
import { shown } from "./text.js";

/** Begins a text that is a pattern. */
export const prefix = "regex:";

/** Where the two differ; undefined if they do not. Objects may have more keys, unless they stand in a list. */
export function mismatch(
  actual: unknown,
  wanted: unknown,
  patterns: ReadonlyMap<string, Pattern>,
  path = "",
  exact = false,
): string | undefined {
  const at = path === "" ? "it" : path;
  const differs = (): string => `${at} is ${shown(actual)}, not ${shown(wanted)}`;
  if (typeof wanted === "string" && wanted.startsWith(prefix)) {
    return typeof actual === "string" && patterns.get(wanted)!.test(actual)
      ? undefined
      : `${at} is ${shown(actual)}, which does not match /${wanted.slice(prefix.length)}/`;
  }
  if (Array.isArray(wanted)) {
    if (!Array.isArray(actual)) return differs();
    if (actual.length !== wanted.length)
      return `${at} has ${actual.length} entries, not ${wanted.length}`;
    return firstFailure(wanted.keys(), (index) =>
      mismatch(actual[index], wanted[index], patterns, `${path}[${index}]`, true),
    );
  }
  if (!isObject(wanted)) return deepEqual(actual, wanted) ? undefined : differs();
  if (!isObject(actual)) return differs();
  const surplus = exact
    ? Object.keys(actual).find((key) => !Object.hasOwn(wanted, key))
    : undefined;
  if (surplus !== undefined)
    return `${at} has a key ${JSON.stringify(surplus)} more, and lists compare exactly`;
  return firstFailure(Object.keys(wanted), (key) => {
    const inner = path === "" ? key : `${path}.${key}`;
    return Object.hasOwn(actual, key)
      ? mismatch(actual[key], wanted[key], patterns, inner, exact)
      : `${inner} is missing`;
  });
}
