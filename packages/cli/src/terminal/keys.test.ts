import { expect, test } from "vitest";
import { KeyFilter } from "./keys.js";
import { onlyColors } from "./only-colors.js";

const escape = "\u001B";
const paste = (text: string): string => `${escape}[200~${text}${escape}[201~`;

test.each([
  ["letters", ["ab日本\r"], "ab日本\r"],
  [
    "keys",
    [`${escape}[A${escape}[1;5D${escape}[3~${escape}OH${escape}[Z`],
    `${escape}[A${escape}[1;5D${escape}[3~${escape}OH${escape}[Z`,
  ],
  ["Escape and Alt+Enter", [escape, `${escape}\r`], `${escape}${escape}\r`],
  ["what is no key", [`a${escape}[31mb${escape}[1;5Pc${escape}[27;5;9~d${escape}[Ie`], "abcde"],
  ["a paste", [paste("a\r\nb\rc\n")], "a\nb\nc\n"],
  [
    "a paste with colours and Ctrl-C",
    [paste(`red ${escape}[31mred${escape}[0m\u0003 ${escape}]0;x\u0007end`)],
    "red red end",
  ],
  ["a paste in pieces", [`${escape}[20`, `0~a\r`, `b${escape}[2`, "01~\r"], "a\nb\r"],
  ["what comes after a paste", [`${paste("a")}\r${paste("b")}`], "a\rb"],
])("%s", (_, chunks, wanted) => {
  const filter = new KeyFilter();
  expect(chunks.flatMap((chunk) => filter.take(chunk)).join("")).toBe(wanted);
});

test("keys that come in one piece are keys all the same, and a paste is one text", () => {
  expect(new KeyFilter().take(`half\u0003\u007F${escape}\rab\r${paste("a\tb\r")}c`)).toEqual([
    "half",
    "\u0003",
    "\u007F",
    `${escape}\r`,
    "ab",
    "\r",
    "a\tb\n",
    "c",
  ]);
});

test("text for the screen keeps its colours and nothing else", () => {
  expect(
    onlyColors(`${escape}[31mred${escape}[0m${escape}[2J${escape}]0;x\u0007\r\u202Eok\n`),
  ).toBe(`${escape}[31mred${escape}[0mok\n`);
});
