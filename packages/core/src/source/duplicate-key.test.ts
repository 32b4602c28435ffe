import * as fc from "fast-check";
import { expect, test } from "vitest";
import { findDuplicateKey } from "./duplicate-key.js";

const find = (text: string) => findDuplicateKey(text, JSON.parse(text));

test.each([
  ['{"a": 1, "a": 2}', ["a"], 9],
  ['{"a": {"b": [0, {"c": 1, "d": 2, "c": 3}]}}', ["a", "b", 1, "c"], 33],
  ['{"a": 1, "\\u0061": 2}', ["a"], 9],
  ['{"__proto__": 1, "__proto__": 2}', ["__proto__"], 17],
  ['[{"a": "x\\\\", "b": 1, "b": 1}]', [0, "b"], 22],
])("%s", (text, path, position) => {
  expect(find(text)).toEqual({ path, position });
});

test.each([
  '{"a": {"a": 1}, "b": {"a": 1}}',
  '["a", "a"]',
  '{"a": "\\"b\\": 1, \\"b\\": 2", "b": ": \\\\"}',
  '"just: a text"',
  "7",
  '{"__proto__": {"x": 1}, "": 2}',
])("%s has none", (text) => {
  expect(find(text)).toBeUndefined();
});

test("texts without duplicates have none, and one that is put in is found", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), (object) => {
      const text = JSON.stringify(object);
      expect(find(text)).toBeUndefined();
      const [key] = Object.keys(JSON.parse(text) as object);
      const twice = `${text.slice(0, -1)},${JSON.stringify(key)}:0}`;
      expect(find(twice)).toEqual({ path: [key], position: text.length });
    }),
  );
});

test("it takes no stack and no long time", () => {
  const depth = 100_000;
  expect(find(`${"[".repeat(depth)}${"]".repeat(depth)}`)).toBeUndefined();
  expect(find(`{"a": "${'\\"'.repeat(1_000_000)}", "a": 1}`)).toMatchObject({ path: ["a"] });
});
