import type { JsonValue } from "@turnwise/core";
import type { JsonObject } from "./read-field.js";
import { invalid, missing } from "./api-error.js";
import { a, asObject, textField } from "./read-field.js";

/** Checks a part of one type and gives its text. */
export type PartReader = (part: JsonObject, path: string) => string;

/** Reads the text of a part from one of its fields. */
export function textPart(field: string): PartReader {
  return (part, path) => textField({ of: part, field, path });
}

/** A part without text that needs one of several fields. */
export function partWithOneOf(...fields: readonly string[]): PartReader {
  return (part, path) => {
    if (!fields.some((field) => typeof part[field] === "string" && part[field] !== ""))
      throw missing(`${path}.${fields[0]!}`, fields.join(" or "));
    return "";
  };
}

/** The text of `content`: text itself, or a list of parts of the given types. */
export function readContent({
  value,
  path,
  parts,
}: {
  readonly value: JsonValue | undefined;
  readonly path: string;
  readonly parts: Readonly<Record<string, PartReader>>;
}): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) throw missing(path, "text or a list of parts");
  if (!Array.isArray(value))
    throw invalid(path, `${path} is ${a(value)}: expected text or a list of parts`);
  if (value.length === 0) throw invalid(path, `${path} is empty: expected at least one part`);
  return value
    .map((item, index) => readPart({ value: item, path: `${path}[${index}]`, parts }))
    .filter((text) => text !== "")
    .join("\n");
}

function readPart({
  value,
  path,
  parts,
}: {
  readonly value: JsonValue;
  readonly path: string;
  readonly parts: Readonly<Record<string, PartReader>>;
}): string {
  const part = asObject(value, path);
  const type = textField({ of: part, field: "type", path });
  const reader = Object.hasOwn(parts, type) ? parts[type] : undefined;
  if (reader === undefined)
    throw invalid(
      `${path}.type`,
      `${path}.type is ${JSON.stringify(type)}: expected ${Object.keys(parts).join(" or ")}`,
    );
  return reader(part, path);
}
