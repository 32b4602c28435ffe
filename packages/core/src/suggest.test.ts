import { expect, test } from "vitest";
import { nearest } from "./index.js";

test.each([
  ["asertions", "assertions"],
  ["assertion", "assertions"],
  ["tpye", "type"],
  ["NAME", "name"],
  ["vlaue", "value"],
  ["zzz", undefined],
  ["x", undefined],
  ["", undefined],
])("%j is near to %j", (text, expected) => {
  expect(nearest(text, ["assertions", "type", "name", "value"])).toBe(expected);
});
