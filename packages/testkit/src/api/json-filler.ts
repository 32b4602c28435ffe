import type { JsonValue } from "@turnwise/core";
import { isObject } from "@turnwise/core";

type Schema = Readonly<Record<string, unknown>>;
interface Scope {
  readonly root: unknown;
  /** References that are being filled: a schema may hold itself. */
  readonly inside: readonly string[];
}

/** The least value that fits a JSON Schema of the kind that models are given: required fields, first choices, zeros. */
export function jsonFiller(schema: JsonValue): JsonValue {
  return fill(schema, { root: schema, inside: [] });
}

function fill(schema: unknown, scope: Scope): JsonValue {
  if (!isObject(schema)) return {};
  if ("const" in schema) return schema["const"] as JsonValue;
  if (Array.isArray(schema["enum"]) && schema["enum"].length > 0)
    return schema["enum"][0] as JsonValue;
  const reference = schema["$ref"];
  if (typeof reference === "string")
    return scope.inside.includes(reference)
      ? null
      : fill(follow(reference, scope.root), {
          ...scope,
          inside: [...scope.inside, reference],
        });
  const choices: unknown = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(choices)) return fill(firstThatEnds(choices, scope), scope);
  if (Array.isArray(schema["allOf"])) return fillAll(schema["allOf"], scope);
  return fillType(schema, scope);
}

function fillType(schema: Schema, scope: Scope): JsonValue {
  switch (typeOf(schema)) {
    case "object":
      return fillObject(schema, scope);
    case "array":
      return Array.from({ length: numberOf(schema["minItems"]) }, () =>
        fill(schema["items"], scope),
      );
    case "string":
      return "x".repeat(numberOf(schema["minLength"]));
    case "number":
    case "integer":
      return leastNumber(schema);
    case "boolean":
      return false;
    default:
      return null;
  }
}

function fillObject(schema: Schema, scope: Scope): JsonValue {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required: unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  const entries = required
    .filter((name) => typeof name === "string")
    .map((name): [string, JsonValue] => [
      name,
      fill(Object.hasOwn(properties, name) ? properties[name] : undefined, scope),
    ]);
  return Object.fromEntries(entries);
}

function fillAll(schemas: readonly unknown[], scope: Scope): JsonValue {
  const filled = schemas.map((schema) => fill(schema, scope));
  return filled.every(isObject) ? Object.assign({}, ...filled) : (filled[0] ?? {});
}

/** The first alternative that does not lead back to where we are. */
function firstThatEnds(choices: readonly unknown[], { inside }: Scope): unknown {
  return (
    choices.find((choice) => !(isObject(choice) && inside.includes(String(choice["$ref"])))) ??
    choices[0]
  );
}

function typeOf(schema: Schema): unknown {
  const { type } = schema;
  if (Array.isArray(type)) return type[0];
  if (type === undefined) return "items" in schema ? "array" : "object";
  return type;
}

function leastNumber(schema: Schema): number {
  const { minimum, exclusiveMinimum, maximum } = schema;
  if (typeof exclusiveMinimum === "number" && exclusiveMinimum >= 0)
    return Math.floor(exclusiveMinimum) + 1;
  if (typeof minimum === "number" && minimum > 0)
    return schema["type"] === "integer" ? Math.ceil(minimum) : minimum;
  return typeof maximum === "number" && maximum < 0 ? Math.floor(maximum) : 0;
}

/** Small on purpose: a schema cannot make the server build a gigabyte. */
function numberOf(value: unknown): number {
  return typeof value === "number" && value > 0 ? Math.min(Math.ceil(value), 1_000) : 0;
}

/** What a reference inside of the schema points to: `#`, `#/$defs/name`. */
function follow(reference: string, root: unknown): unknown {
  if (!reference.startsWith("#")) return undefined;
  let place = root;
  for (const part of reference.slice(1).split("/").slice(1)) {
    const name = decodePart(part);
    if (Array.isArray(place)) place = place[Number(name)];
    else place = isObject(place) && Object.hasOwn(place, name) ? place[name] : undefined;
  }
  return place;
}

function decodePart(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}
