import { expect, test } from "vitest";
import { createMask } from "./mask.js";

test("secrets go from every text, keys included, and nothing else is touched", () => {
  const mask = createMask(["s3cret.value+longer", "s3cret.value"]);
  const untouched = { a: [1, null, "fine"] };
  const value = {
    header: "Bearer s3cret.value",
    list: ["x", { "s3cret.value": "s3cret.value+longer!" }],
    untouched,
  };
  const result = mask(value);
  expect(result).toEqual({ header: "Bearer ***", list: ["x", { "***": "***!" }], untouched });
  expect(result.untouched).toBe(untouched);
  expect(value.header).toBe("Bearer s3cret.value");
  expect(mask("s3cretXvalue")).toBe("s3cretXvalue");
});

test("without secrets a value is handed through", () => {
  const value = { a: "s3cret" };
  expect(createMask([])(value)).toBe(value);
});
