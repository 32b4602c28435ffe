import type { JsonValue } from "@turnwise/core";
import { isObject } from "@turnwise/core";
import type { Step } from "./path.js";
import { every, parsePath } from "./path.js";

/** Everything that a path names in a value, in order. Own properties only. */
export function valuesAt(path: string, value: unknown): JsonValue[] {
  let found = [value];
  for (const step of parsePath(path) ?? []) found = found.flatMap((one) => next(one, step));
  return found.filter((one) => one !== undefined) as JsonValue[];
}

function next(value: unknown, step: Step): unknown[] {
  if (Array.isArray(value)) {
    if (step === every) return value;
    return typeof step === "number" && step < value.length ? [value[step]] : [];
  }
  if (!isObject(value)) return [];
  if (step === every) return Object.values(value);
  return Object.hasOwn(value, step) ? [value[step as string]] : [];
}
