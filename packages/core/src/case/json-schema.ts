import { z } from "zod";
import type { Project } from "../project/project.js";
import { caseSchema } from "./schema.js";

/**
 * JSON Schema (draft 2020-12) of a test case, for editors. With a project the assertions are those of its plugins.
 */
export function caseJsonSchema(project?: Project): Record<string, unknown> {
  const schema = z.toJSONSchema(caseSchema, { io: "input", unrepresentable: "any" }) as Record<
    string,
    unknown
  >;
  return {
    ...schema,
    title: "Turnwise test case",
    $defs: {
      ...(schema["$defs"] as object | undefined),
      assertion: {
        anyOf: [...(project?.assertions.values() ?? [])].map((definition) => ({
          ...z.toJSONSchema(definition.schema, { io: "input", unrepresentable: "any" }),
          title: definition.type,
        })),
      },
    },
  };
}
