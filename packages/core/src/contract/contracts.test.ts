import { expect, test } from "vitest";
import type { z } from "zod";
import {
  generatorReplySchema,
  simulatorReplySchema,
  validatorReplySchema,
  wireReplySchema,
  wireRequestSchema,
} from "../index.js";

test.each<[boolean, z.ZodType, unknown]>([
  [true, generatorReplySchema, { cases: [{ id: "a" }], note: "x" }],
  [true, generatorReplySchema, [{ id: "a" }]],
  [false, generatorReplySchema, { case: [] }],
  [true, simulatorReplySchema, { input: "hi", goal_achieved: false }],
  [true, simulatorReplySchema, { message: "hi", goal_achieved: true, reasoning: "done" }],
  [false, simulatorReplySchema, { input: "hi", goal_achieved: "true" }],
  [true, validatorReplySchema, { passed: true, score: 0.5, reason: "r", suggestions: [] }],
  [true, validatorReplySchema, { applicable: false }],
  [false, validatorReplySchema, { passed: "true" }],
  [false, validatorReplySchema, { passed: true, score: 7 }],
  [true, wireReplySchema, "hello"],
  [true, wireReplySchema, { content: "hi", tool_calls: [{ name: "t", args: {} }], extra: 1 }],
  [true, wireReplySchema, { content: "", pending: [{ id: "1", kind: "approval", prompt: "?" }] }],
  [false, wireReplySchema, { text: "hi" }],
  [
    true,
    wireRequestSchema,
    { session_id: "s", test_id: "t", turn: 1, messages: [], attachments: [], options: {} },
  ],
])("%s: a reply or request as the contract has it", (valid, schema, value) => {
  expect(schema.safeParse(value).success).toBe(valid);
});
