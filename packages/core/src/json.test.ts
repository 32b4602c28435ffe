import * as fc from "fast-check";
import { expect, test } from "vitest";
import { deepEqual, isSubset, jsonTypeOf } from "./index.js";
import { jsonCopy, mergeDeep } from "./json.js";

/** An object with its keys in another order, recursively. */
function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, item]) => [key, shuffled(item)]),
  );
}

test("equal whatever the order of keys", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(deepEqual(value, shuffled(value))).toBe(true);
      expect(isSubset(value, shuffled(value))).toBe(true);
    }),
  );
});

test("different values are told apart as their sorted text tells them apart", () => {
  const sortedText = (value: unknown): string =>
    JSON.stringify(value, (_, item: unknown) =>
      typeof item === "object" && item !== null && !Array.isArray(item)
        ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : item,
    );
  const small = fc.jsonValue({ maxDepth: 2 });
  fc.assert(
    fc.property(small, small, (a, b) => {
      expect(deepEqual(a, b)).toBe(sortedText(a) === sortedText(b));
    }),
  );
});

test.each([
  [{ a: 1 }, { a: 1, b: 2 }, true],
  [{ a: { b: 1 } }, { a: { b: 1, c: 2 } }, true],
  [{ a: [{ b: 1 }] }, { a: [{ b: 1, c: 2 }] }, false],
  [{ a: null }, {}, false],
  [{ a: 1 }, [1], false],
  [{}, {}, true],
  [1, "1", false],
  [{ toString: 1 }, {}, false],
])("%j is part of %j: %s", (expected, actual, result) => {
  expect(isSubset(expected, actual)).toBe(result);
});

test("merging is deep for objects, keeps what it laid over, and cannot reach a prototype", () => {
  const base = { a: { b: 1, c: [1] }, d: 1 };
  const over: unknown = JSON.parse('{"a": {"c": [2], "__proto__": {"polluted": true}}, "e": 2}');
  const merged = mergeDeep<Record<string, unknown>>(base, over);
  expect(JSON.stringify(merged)).toBe(
    '{"a":{"b":1,"c":[2],"__proto__":{"polluted":true}},"d":1,"e":2}',
  );
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  expect(base).toEqual({ a: { b: 1, c: [1] }, d: 1 });
});

test("a copy holds what JSON can hold", () => {
  const original = { when: new Date(0), missing: undefined, list: [Number.NaN] };
  expect(jsonCopy(original)).toEqual({ when: "1970-01-01T00:00:00.000Z", list: [null] });
  expect(jsonCopy(undefined)).toBeUndefined();
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  expect(() => jsonCopy(cycle)).toThrow(TypeError);
  expect(() => jsonCopy({ big: 1n })).toThrow(TypeError);
});

test("types are named as in JSON", () => {
  expect([null, [], {}, "", 0, true].map(jsonTypeOf)).toEqual([
    "null",
    "array",
    "object",
    "string",
    "number",
    "boolean",
  ]);
});
