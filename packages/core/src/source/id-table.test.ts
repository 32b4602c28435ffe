import * as fc from "fast-check";
import { expect, test } from "vitest";
import { IdTable } from "./id-table.js";

test("gives back the number of the first claim, like a Map", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.string(), fc.constantFrom("a", "b", "")), { maxLength: 200 }),
      (ids) => {
        const table = new IdTable();
        const map = new Map<string, number>();
        for (const [index, id] of ids.entries()) {
          expect(table.claim(id, index)).toBe(map.get(id));
          if (!map.has(id)) map.set(id, index);
        }
      },
    ),
  );
});

test("two hundred thousand ids that differ little are all told apart, and found again", () => {
  const table = new IdTable();
  for (let index = 0; index < 200_000; index++)
    if (table.claim(`case-${index}`, index) !== undefined)
      throw new Error(`case-${index} collides`);
  for (let index = 0; index < 200_000; index += 997)
    expect(table.claim(`case-${index}`, 0)).toBe(index);
});
