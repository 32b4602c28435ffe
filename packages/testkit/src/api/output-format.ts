import type { JsonValue } from "@turnwise/core";
import type { JsonObject } from "./read-field.js";
import { invalid } from "./api-error.js";
import { asObject, objectField, textField } from "./read-field.js";

/** What the text of a reply has to be. */
export type OutputFormat =
  | { readonly type: "text" }
  | { readonly type: "json"; readonly schema: JsonValue };

/** Reads `response_format` of chat, or `text.format` of responses, where the schema stands one level higher. */
export function readFormat({
  value,
  path,
  nested,
}: {
  readonly value: JsonValue | undefined;
  readonly path: string;
  readonly nested: boolean;
}): OutputFormat {
  if (value === undefined || value === null) return { type: "text" };
  const format = asObject(value, path);
  switch (textField({ of: format, field: "type", path })) {
    case "text":
      return { type: "text" };
    case "json_object":
      return { type: "json", schema: { type: "object" } };
    case "json_schema":
      return { type: "json", schema: schemaOf({ format, path, nested }) };
    default:
      throw invalid(
        `${path}.type`,
        `${path}.type is ${JSON.stringify(format["type"])}: expected text, json_object or json_schema`,
      );
  }
}

function schemaOf({
  format,
  path,
  nested,
}: {
  readonly format: JsonObject;
  readonly path: string;
  readonly nested: boolean;
}): JsonValue {
  const holder = nested ? objectField({ of: format, field: "json_schema", path }) : format;
  const holderPath = nested ? `${path}.json_schema` : path;
  textField({ of: holder, field: "name", path: holderPath });
  if (nested && holder["schema"] === undefined) return { type: "object" };
  return objectField({ of: holder, field: "schema", path: holderPath });
}
