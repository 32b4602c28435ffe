import { JSONPath } from "jsonpath-plus";
import type { JsonValue } from "@turnwise/core";

/** Everything that a path names in a value, in order. */
export function valuesAt(path: string, value: unknown): JsonValue[] {
  if (value === null || typeof value !== "object") return path === "$" ? [value as JsonValue] : [];
  const found: unknown = JSONPath({
    path: path.startsWith("$") ? path : `$.${path}`,
    json: value,
    // Paths are data: nothing in them is ever run.
    eval: false,
    wrap: true,
  });
  return Array.isArray(found) ? (found as JsonValue[]) : [];
}
