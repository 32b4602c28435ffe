import type { JsonValue } from "@turnwise/core";
import { expect, test } from "vitest";
import { jsonFiller } from "./json-filler.js";

test.each<[JsonValue, JsonValue]>([
  [{ type: "object" }, {}],
  [{}, {}],
  [true, {}],
  [
    {
      type: "object",
      properties: {
        text: { type: "string" },
        flag: { type: "boolean" },
        count: { type: "integer" },
        share: { type: "number" },
        list: { type: "array", items: { type: "string" } },
        none: { type: "null" },
        maybe: { type: ["string", "null"] },
        left: { type: "string" },
      },
      required: ["text", "flag", "count", "share", "list", "none", "maybe", "unknown"],
    },
    { text: "", flag: false, count: 0, share: 0, list: [], none: null, maybe: "", unknown: {} },
  ],
  [{ enum: ["b", "a"] }, "b"],
  [{ const: 3 }, 3],
  [{ type: "array", minItems: 2, items: { type: "number", minimum: 0.5 } }, [0.5, 0.5]],
  [{ type: "string", minLength: 3 }, "xxx"],
  [{ type: "integer", exclusiveMinimum: 0 }, 1],
  [{ type: "integer", minimum: 1.5 }, 2],
  [{ type: "integer", maximum: -2 }, -2],
  [{ anyOf: [{ type: "number" }, { type: "null" }] }, 0],
  [
    { allOf: [{ properties: { a: { type: "string" } }, required: ["a"] }, { type: "object" }] },
    { a: "" },
  ],
  [{ $ref: "#/$defs/a~1b", $defs: { "a/b": { const: 1 } } }, 1],
  [{ $ref: "https://example.com/x" }, {}],
  // A list that holds itself ends.
  [
    {
      type: "object",
      properties: { next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] } },
      required: ["next"],
      $defs: {
        node: {
          type: "object",
          properties: { next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] } },
          required: ["next"],
        },
      },
    },
    { next: { next: null } },
  ],
  [{ $ref: "#" }, null],
])("%j is filled with %j", (schema, value) => {
  expect(jsonFiller(schema)).toEqual(value);
});
