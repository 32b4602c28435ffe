import { isObject, jsonTypeOf } from "@turnwise/core";

/** What came instead, for messages: its keys, or its type. */
export function described(value: unknown): string {
  if (!isObject(value)) return jsonTypeOf(value);
  const keys = Object.keys(value);
  return keys.length === 0
    ? "an object without keys"
    : `an object with the keys ${keys
        .slice(0, 20)
        .map((key) => JSON.stringify(key))
        .join(", ")}`;
}
