import { isSubset } from "@turnwise/core";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { mismatch } from "./mismatch.js";

test("without patterns it finds a difference exactly where one value is no part of the other", () => {
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(0, 1, "1", null, true),
      fc.array(tie("tree"), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom("a", "b"), tie("tree"), { noNullPrototype: true }),
    ),
  }));
  fc.assert(
    fc.property(tree, tree, (wanted, actual) => {
      expect(mismatch(actual, wanted, new Map()) === undefined).toBe(isSubset(wanted, actual));
    }),
    { numRuns: 3_000 },
  );
});
