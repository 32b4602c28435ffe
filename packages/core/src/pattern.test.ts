import { expect, test } from "vitest";
import { TurnwiseError, compilePattern } from "./index.js";

test.each([
  [String.raw`order-\d+`, "your order-7 is here", true],
  ["(?i)all.*set", "All now set!", true],
  ["^b$", "a\nb", false],
  ["(?m)^b$", "a\nb", true],
  ["a.b", "a\nb", false],
  ["(?s)a.b", "a\nb", true],
  ["b$", "b\n", false],
  [String.raw`\u00e9`, "é", true],
  ["(?<year>[0-9]{4})", "in 2027", true],
  ["", "anything", true],
])("/%s/ in %j: %s", async (source, text, expected) => {
  expect((await compilePattern(source)).test(text)).toBe(expected);
});

test("find tells where", async () => {
  const pattern = await compilePattern("b+");
  expect(pattern.find("aabbb")).toEqual({ start: 2, end: 5 });
  expect(pattern.find("aa")).toBeUndefined();
});

test.each(["(", "[", "a{2,1}", "*"])("%s is refused", async (source) => {
  await expect(compilePattern(source)).rejects.toThrow(`invalid pattern /${source}/`);
});

test("what no linear engine can do is refused with the reason", async () => {
  const error: unknown = await compilePattern("a(?=b)").catch((thrown: unknown) => thrown);
  expect(TurnwiseError.isInstance(error) && [error.code, error.blame]).toEqual([
    "invalid_pattern",
    "author",
  ]);
  expect((error as Error).message).toContain("look-around");
  await expect(compilePattern(String.raw`(a)\1`)).rejects.toThrow("back-references");
});

test("a pattern that makes backtracking engines explode answers at once", async () => {
  const pattern = await compilePattern("^(a+)+$");
  expect(pattern.test(`${"a".repeat(50_000)}!`)).toBe(false);
});
