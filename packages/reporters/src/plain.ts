import { plainText } from "@turnwise/core";

/** Text that is safe on a terminal, on one line, cut to a length. */
export function oneLine(text: string, longest = Number.POSITIVE_INFINITY): string {
  // Cut first: a megabyte need not be cleaned to show a line of it.
  const start = text.length > longest * 4 ? text.slice(0, longest * 4) : text;
  const line = plainText(start).replaceAll(/\s+/g, " ").trim();
  if (line.length <= longest) return line;
  // Not in the middle of a surrogate pair.
  return `${line.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
