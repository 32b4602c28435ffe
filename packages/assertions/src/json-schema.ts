import { defineAssertion, errorMessage, isObject } from "@turnwise/core";
import { z } from "zod";
import { strictDocument } from "./document.js";
import type { Validator } from "./schema-validator.js";
import { everySubject, shown } from "./text.js";

const schema = z.strictObject({
  value: z
    .custom<boolean | Record<string, unknown>>(
      (value) => typeof value === "boolean" || isObject(value),
      "expected a JSON Schema: an object, or true or false",
    )
    .describe("The JSON Schema: draft 2020-12, or the one that its $schema names."),
});

/** The output is valid against a JSON Schema. Text must be strict JSON as a whole. */
export const jsonSchema = defineAssertion({
  type: "json_schema",
  schema,
  aliases: { schema: "value" },
  subjects: everySubject,
  async prepare({ value }, { problem }): Promise<Validator | undefined> {
    const { compileSchema } = await import("./schema-validator.js");
    try {
      return await compileSchema(value);
    } catch (error) {
      const message = errorMessage(error)
        .replace(/^strict mode: /, "")
        .replace(" ignored in schema at path", " at");
      problem({ code: "invalid_schema", path: ["value"], message });
      return undefined;
    }
  },
  label: ({ value }) =>
    `matches the schema ${isObject(value) && typeof value["title"] === "string" ? value["title"] : shown(value, 60)}`,
  async check(context, validate) {
    const document = strictDocument(context);
    if ("error" in document)
      return {
        passed: false,
        message: `expected JSON for the schema, got ${shown(context.subject)}: ${document.error}`,
        actual: context.subject,
      };
    const errors = await validate!(document.value);
    const [first, ...more] = errors;
    return {
      passed: first === undefined,
      message:
        first === undefined
          ? "it is valid against the schema"
          : `it is not valid against the schema: ${first}${more.length === 0 ? "" : ` (and ${more.length} more)`}`,
      actual: document.value,
      ...(more.length === 0 ? {} : { details: { notes: errors } }),
    };
  },
});
