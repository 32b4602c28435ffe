import { z } from "zod";
import type { AnyAssertionDefinition } from "../contract/assertion.js";
import type { Project } from "../project/project.js";
import { subjects } from "../contract/assertion.js";
import { caseResultSchema } from "../contract/result.js";
import { configSchema } from "../project/config-schema.js";
import { caseSchema } from "./schema.js";

type JsonSchema = Record<string, unknown>;

const dialect = "https://json-schema.org/draft/2020-12/schema";

/**
 * JSON Schema (draft 2020-12) of a case file, one case or an array of them, for editors. With a project, assertions
 * are checked by the types of its plugins; `otherTypes` lets those pass that it does not know.
 */
export function caseJsonSchema(
  project?: Pick<Project, "assertions">,
  { otherTypes = false }: { readonly otherTypes?: boolean } = {},
): JsonSchema {
  return {
    $schema: dialect,
    title: "Turnwise test cases",
    anyOf: [
      { $ref: "#/$defs/case" },
      { type: "array", minItems: 1, items: { $ref: "#/$defs/case" } },
    ],
    $defs: {
      case: toJsonSchema(caseSchema),
      assertion: assertionSchema([...(project?.assertions.values() ?? [])], otherTypes),
    },
  };
}

/** JSON Schema (draft 2020-12) of a config file in JSON or YAML, for editors. */
export function configJsonSchema(): JsonSchema {
  return { $schema: dialect, title: "Turnwise config", ...toJsonSchema(configSchema) };
}

/** JSON Schema (draft 2020-12) of a result: a line of a JSONL report, or an entry of `results` in a JSON one. */
export function resultJsonSchema(): JsonSchema {
  return { $schema: dialect, title: "Turnwise result", ...toJsonSchema(caseResultSchema) };
}

function toJsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return rest;
}

/** Each type has fields of its own: which ones is decided by `type`, and without it by `equals`. */
function assertionSchema(
  definitions: readonly AnyAssertionDefinition[],
  otherTypes: boolean,
): JsonSchema {
  if (definitions.length === 0) return { type: "object" };
  const types: JsonSchema = { enum: definitions.map(({ type }) => type) };
  return {
    type: "object",
    properties: { type: otherTypes ? { anyOf: [types, { type: "string" }] } : types },
    allOf: definitions.map((definition) => {
      const isType: JsonSchema = { properties: { type: { const: definition.type } } };
      return {
        if: definition.type === "equals" ? isType : { ...isType, required: ["type"] },
        // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
        then: fieldsOf(definition),
      };
    }),
  };
}

function fieldsOf(definition: AnyAssertionDefinition): JsonSchema {
  const own = toJsonSchema(definition.schema);
  const fields = (own["properties"] ?? {}) as Record<string, unknown>;
  const required = (own["required"] ?? []) as readonly string[];
  const aliases = Object.entries(definition.aliases ?? {});
  return {
    properties: {
      type: { const: definition.type },
      negate: { type: "boolean", description: "Must not hold." },
      message: { type: "string", description: "Shown instead of the reason." },
      on: { enum: definition.subjects ?? [subjects[0]] },
      ...fields,
      ...Object.fromEntries(aliases.map(([alias, field]) => [alias, fields[field] ?? {}])),
    },
    // A required field may be given under any of its names.
    ...(required.length === 0
      ? {}
      : {
          allOf: required.map((field) => ({
            anyOf: [field, ...aliases.flatMap(([alias, of]) => (of === field ? [alias] : []))].map(
              (name) => ({ required: [name] }),
            ),
          })),
        }),
    additionalProperties: false,
  };
}
