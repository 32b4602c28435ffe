import type { JsonValue } from "@turnwise/core";
import { isObject } from "@turnwise/core";

/** What placeholders can stand for: the fields of the request of the default wire, and the text of the input. */
export const placeholderNames = [
  "session_id",
  "test_id",
  "turn",
  "input",
  "text",
  "messages",
  "attachments",
  "options",
  "answer",
  "tool_results",
] as const;

/** The values of one request. */
export type Values = Readonly<Record<string, JsonValue | undefined>>;

const placeholder = /\{\{\s*([^{}]*?)\s*\}\}/g;

/**
 * Fills placeholders into a tree of JSON. A text that is nothing but one placeholder becomes its value, whatever type
 * that has; inside a longer text its text is put in. A key whose value is not there is left out. Values are never pasted
 * into JSON text, and placeholders inside of them mean nothing.
 */
export function fill(template: unknown, values: Values): JsonValue | undefined {
  if (typeof template === "string") return fillText(template, values);
  if (Array.isArray(template))
    return template.flatMap((item: unknown) => {
      const value = fill(item, values);
      return value === undefined ? [] : [value];
    });
  if (!isObject(template)) return template as JsonValue;
  return Object.fromEntries(
    Object.entries(template).flatMap(([key, item]) => {
      const value = fill(item, values);
      return value === undefined ? [] : [[key, value] as const];
    }),
  );
}

function fillText(template: string, values: Values): JsonValue | undefined {
  const [match] = template.matchAll(placeholder);
  if (match !== undefined && match[0].length === template.length) return lookUp(match[1]!, values);
  return interpolate(template, values);
}

/** Fills placeholders into text. `encode` is applied to each value. */
export function interpolate(
  template: string,
  values: Values,
  encode: (text: string) => string = (text) => text,
): string {
  return template.replaceAll(placeholder, (_, name: string) => {
    const value = lookUp(name, values);
    if (value === undefined || value === null) return "";
    return encode(typeof value === "string" ? value : JSON.stringify(value));
  });
}

/** The value of `options.metadata.tier`: own properties only. */
export function lookUp(name: string, values: Values): JsonValue | undefined {
  let value: JsonValue | undefined = values as { [key: string]: JsonValue };
  for (const key of name.split(".")) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key] as JsonValue;
  }
  return value;
}

/** What the placeholders of a template stand for: `options.metadata.tier`. */
export function pathsOf(template: unknown): string[] {
  if (typeof template === "string")
    return [...template.matchAll(placeholder)].map(([, path = ""]) => path);
  if (Array.isArray(template)) return template.flatMap(pathsOf);
  return isObject(template) ? Object.values(template).flatMap(pathsOf) : [];
}

/** The names of the placeholders of a template, without what is inside of them. */
export function placeholdersOf(template: unknown): string[] {
  return pathsOf(template).map((path) => path.split(".")[0]!);
}

/** The placeholders of a template that stand for nothing. */
export function unknownPlaceholders(template: unknown): string[] {
  const known: readonly string[] = placeholderNames;
  return pathsOf(template).filter((path) => !known.includes(path.split(".")[0]!));
}
