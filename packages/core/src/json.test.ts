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

function sortedText(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}

test("different values are told apart as their sorted text tells them apart", () => {
  const small = fc.jsonValue({ maxDepth: 2 });
  fc.assert(
    fc.property(small, small, (a, b) => {
      expect(deepEqual(a, b)).toBe(sortedText(a) === sortedText(b));
    }),
  );
});

/** Every way through a value to what is no object, as text: lists are taken whole. */
function leaves(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return [`${path} = ${sortedText(value)}`];
  return Object.entries(value).flatMap(([key, item]) => {
    const inner = `${path}/${JSON.stringify(key)}`;
    return [`${inner} is there`, ...leaves(item, inner)];
  });
}

/** Slow, and another way of saying it: whatever the expected value has, the actual one has at the same place. */
function isSubsetByLeaves(expected: unknown, actual: unknown): boolean {
  const has = new Set(leaves(actual));
  const isObject = (value: unknown): boolean =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  if (isObject(expected) !== isObject(actual)) return false;
  const kinds = (value: unknown, path = ""): string[] =>
    isObject(value)
      ? [
          `${path} is an object`,
          ...Object.entries(value as object).flatMap(([key, item]) =>
            kinds(item, `${path}/${JSON.stringify(key)}`),
          ),
        ]
      : [];
  const objects = new Set(kinds(actual));
  return (
    leaves(expected).every((leaf) => has.has(leaf)) &&
    kinds(expected).every((kind) => objects.has(kind))
  );
}

test("a subset is what a search through all places says it is", () => {
  const keys = fc.constantFrom("a", "b", "__proto__", "toString");
  const leaf = fc.oneof(fc.constantFrom(0, 1, "1", null, true), fc.array(fc.constantFrom(0, 1)));
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc
        .array(fc.tuple(keys, tie("tree")), { maxLength: 3 })
        // As JSON makes it: `__proto__` is a key like any other.
        .map(
          (entries) =>
            JSON.parse(
              `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${JSON.stringify(item)}`).join(",")}}`,
            ) as unknown,
        ),
    ),
  }));
  let held = 0;
  fc.assert(
    fc.property(tree, tree, (expected, actual) => {
      const result = isSubset(expected, actual);
      if (result) held++;
      expect(result).toBe(isSubsetByLeaves(expected, actual));
    }),
    { numRuns: 3_000 },
  );
  expect(held).toBeGreaterThan(100);
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
