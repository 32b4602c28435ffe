import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PathError } from "./parse.js";
import { compileQuery } from "./query.js";

// The same tables make docs/json-path.md.
const read = (file: string): unknown =>
  JSON.parse(readFileSync(new URL(file, import.meta.url), "utf8"));
const dialect = read("./dialect.json") as {
  title: string;
  document: unknown;
  queries: { path: string; result: unknown[] }[];
}[];
const refused = read("./refused.json") as { path: string; reason: string }[];

describe.each(dialect)("$title", ({ document, queries }) => {
  test.each(queries)("$path", async ({ path, result }) => {
    expect((await compileQuery(path)).select(document)).toEqual(result);
  });
});

test.each(refused)("$path is refused: $reason", async ({ path, reason }) => {
  await expect(compileQuery(path)).rejects.toThrow(PathError);
  await expect(compileQuery(path)).rejects.toThrow(reason);
});

test("the position of a mistake is told", async () => {
  await expect(compileQuery("$.items[?@.a == 1 &]")).rejects.toThrow(
    'malformed path "$.items[?@.a == 1 &]": "[" is not closed (at position 8)',
  );
});

test("conditions are not nested without end", async () => {
  await expect(compileQuery(`$[?${"(".repeat(10_000)}@${")".repeat(10_000)}]`)).rejects.toThrow(
    "conditions nested deeper than 50 levels",
  );
  await expect(compileQuery(`$[?${"!".repeat(10_000)}@]`)).rejects.toThrow("nested deeper");
});

test("a filter is not remembered for another one with the same place in the path", async () => {
  const document = [1, 2, 3];
  const [first, second] = [await compileQuery("$[?@ == 1]"), await compileQuery("$[?@ == 2]")];
  expect(first.select(document)).toEqual([1]);
  expect(second.select(document)).toEqual([2]);
  expect(first.select(document)).toEqual([1]);
});

test("__proto__ is a key like any other, and found only where it stands", async () => {
  const query = await compileQuery("$..['__proto__']");
  expect(query.select(JSON.parse('{"a": {"__proto__": 7}}'))).toEqual([7]);
  expect(query.select({ a: {} })).toEqual([]);
});

/** The values below a document, in the order of RFC 9535, without any library. */
function* descendants(value: unknown): Generator {
  if (typeof value !== "object" || value === null) return;
  for (const child of Object.values(value)) {
    yield child;
    yield* descendants(child);
  }
}

test("wildcards and descendants find what a walk over the document finds", async () => {
  const all = await compileQuery("$..*");
  const children = await compileQuery("$[*]");
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const document = JSON.parse(JSON.stringify(value)) as unknown;
      const sorted = (values: Iterable<unknown>): string[] =>
        Array.from(values, (one) => JSON.stringify(one)).toSorted();
      expect(sorted(all.select(document))).toEqual(sorted(descendants(document)));
      const own = typeof document === "object" && document !== null ? Object.values(document) : [];
      expect(children.select(document)).toEqual(own);
    }),
  );
});

test("whatever is written, a path is read or refused, never anything else", async () => {
  const pieces = fc.constantFrom(
    ..."$.@*[]()?!&|=<>:,'\"\\ ".split(""),
    "..",
    "a",
    "0",
    "-1",
    "true",
    "==",
    "&&",
  );
  await fc.assert(
    fc.asyncProperty(fc.array(pieces, { maxLength: 14 }), async (parts) => {
      const outcome: unknown = await compileQuery(parts.join("")).then(
        (query) => query.select({ a: [{ a: 1 }, 0, "a"] }),
        (error: unknown) => error,
      );
      expect(Array.isArray(outcome) || outcome instanceof PathError).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
