import { plainText } from "@turnwise/core";
import type { Colors } from "picocolors/types.js";
import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";

/** A narrower column shows nothing. */
const narrowest = 20;

/** Most characters of a line that are shown. */
const longestLine = 300;

/** A line of both sides. Undefined where a side has none. */
interface Pair {
  readonly left: string | undefined;
  readonly right: string | undefined;
  readonly same: boolean;
}

/**
 * A diff of lines that begin with `-`, `+` or a blank, as two columns: what was expected, and what came. Undefined where
 * there is no room for two.
 */
export function sideBySide(diff: string, width: number, colors: Colors): string[] | undefined {
  const column = Math.floor((width - 3) / 2);
  if (column < narrowest) return undefined;
  const lines = [row(colors.dim("expected"), "│", colors.dim("actual"), column)];
  for (const { left, right, same } of pairsOf(diff)) {
    const mark = same ? "│" : left === undefined ? ">" : right === undefined ? "<" : "≠";
    const paint = same ? [colors.dim, colors.dim] : [colors.red, colors.green];
    const [before, after] = [cells(left, column), cells(right, column)];
    for (let index = 0; index < Math.max(before.length, after.length); index++)
      lines.push(
        row(
          paint[0]!(before[index] ?? ""),
          index === 0 ? mark : "│",
          paint[1]!(after[index] ?? ""),
          column,
        ),
      );
  }
  return lines;
}

/** What was removed beside what came in its place. */
function pairsOf(diff: string): Pair[] {
  const pairs: Pair[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  const flush = (): void => {
    for (let index = 0; index < Math.max(removed.length, added.length); index++)
      pairs.push({ left: removed[index], right: added[index], same: false });
    removed = [];
    added = [];
  };
  for (const line of plainText(diff).split("\n")) {
    const text = line.slice(1, longestLine).replaceAll("\t", "  ");
    if (line.startsWith("-")) removed.push(text);
    else if (line.startsWith("+")) added.push(text);
    else {
      flush();
      const both = line.startsWith(" ") ? text : line.slice(0, longestLine);
      pairs.push({ left: both, right: both, same: true });
    }
  }
  flush();
  return pairs;
}

/** A text in pieces that fit into a column. Wide characters take two places. */
function cells(text: string | undefined, column: number): string[] {
  if (text === undefined) return [""];
  return wrapAnsi(text, column, { hard: true, trim: false, wordWrap: false }).split("\n");
}

function row(left: string, mark: string, right: string, column: number): string {
  return `${left}${" ".repeat(Math.max(0, column - stringWidth(left)))} ${mark} ${right}`.trimEnd();
}
