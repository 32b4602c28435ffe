import { expect, test } from "vitest";
import type { Edit, TextState } from "./text-editor.js";
import { edit, isAtEdge, written } from "./text-editor.js";

const at = (marked: string): TextState => ({
  text: marked.replace("|", ""),
  cursor: marked.indexOf("|"),
});
const shown = ({ text, cursor }: TextState): string =>
  `${text.slice(0, cursor)}|${text.slice(cursor)}`;

test.each<[string, Edit, string]>([
  ["a|b", { kind: "insert", text: "x" }, "ax|b"],
  ["|", { kind: "insert", text: "a\r\nb\rc\td\u001B[2J\u0007" }, "a\nb\nc  d[2J|"],
  ["ab|", { kind: "backspace" }, "a|"],
  ["|ab", { kind: "backspace" }, "|ab"],
  ["a|b", { kind: "delete" }, "a|"],
  ["ab|", { kind: "delete" }, "ab|"],
  // What looks like one character is one, whatever it is made of.
  ["a👩‍👩‍👧|", { kind: "backspace" }, "a|"],
  ["e\u0301|", { kind: "left" }, "|e\u0301"],
  ["|日本", { kind: "right" }, "日|本"],
  ["ab\ncd|e", { kind: "up" }, "ab|\ncde"],
  ["abc\nd|e", { kind: "up" }, "a|bc\nde"],
  ["ab|c\nd\nx", { kind: "down" }, "abc\nd|\nx"],
  ["ab|c", { kind: "up" }, "ab|c"],
  ["ab\nc|", { kind: "down" }, "ab\nc|"],
  ["\n|a", { kind: "up" }, "|\na"],
  ["a\nb|c", { kind: "line-start" }, "a\n|bc"],
  ["a|b\nc", { kind: "line-end" }, "ab|\nc"],
  ["one two  |x", { kind: "delete-word" }, "one |x"],
  ["a\nbc|d", { kind: "delete-to-start" }, "a\n|d"],
  ["a|b", { kind: "clear" }, "|"],
])("%j %j", (from, change, to) => {
  expect(shown(edit(at(from), change))).toBe(to);
});

test("a text that is too long is cut, not refused", () => {
  const state = edit(written("a"), { kind: "insert", text: "b".repeat(200_000) });
  expect(state.text).toHaveLength(100_000);
  expect(edit(state, { kind: "insert", text: "c" })).toEqual(state);
});

test("where the history begins", () => {
  expect(isAtEdge(at("a|\nb"), "first")).toBe(true);
  expect(isAtEdge(at("a|\nb"), "last")).toBe(false);
  expect(isAtEdge(at("a\nb|"), "last")).toBe(true);
});
