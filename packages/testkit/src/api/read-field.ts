import type { JsonValue } from "@turnwise/core";
import { isObject, jsonTypeOf } from "@turnwise/core";
import { invalid, missing } from "./api-error.js";

/** An object of a request body. */
export type JsonObject = { [key: string]: JsonValue };

/** Where a field stands: the object, the name of the field, and the path of the object as errors name it. */
interface Place {
  readonly of: JsonObject;
  readonly field: string;
  readonly path: string;
}

/** The text of a field that must be text. */
export function textField({ of, field, path }: Place): string {
  const param = join(path, field);
  const value = of[field];
  if (value === undefined || value === null) throw missing(param, "text");
  if (typeof value !== "string") throw invalid(param, `${param} is ${a(value)}: expected text`);
  return value;
}

/** The object of a field that must be one. */
export function objectField({ of, field, path }: Place): JsonObject {
  const param = join(path, field);
  const value = of[field];
  if (value === undefined || value === null) throw missing(param, "an object");
  return asObject(value, param);
}

/** A value that must be an object. */
export function asObject(value: JsonValue, param: string): JsonObject {
  if (!isObject(value)) throw invalid(param, `${param} is ${a(value)}: expected an object`);
  return value;
}

/** The type of a value with its article. */
export function a(value: unknown): string {
  const type = jsonTypeOf(value);
  if (type === "null") return "null";
  return type === "array" || type === "object" ? `an ${type}` : `a ${type}`;
}

function join(path: string, field: string): string {
  return path === "" ? field : `${path}.${field}`;
}
