import type { AssertionDetails } from "@turnwise/core";
import { isObject } from "@turnwise/core";

/** Longer texts are not compared line by line: it takes more time than anybody takes to read it. */
const longestText = 100_000;
/** A diff is for reading. */
const mostLines = 100;
const mostCharacters = 6_000;

/**
 * How two values differ, line by line, for `details`. Empty if that would say no more than a sentence does: for short
 * values, and for what has nothing in common.
 */
export async function diffOf(
  wanted: unknown,
  actual: unknown,
  /** `subset`: what the wanted value says nothing about is no difference. */
  { subset = false }: { readonly subset?: boolean } = {},
): Promise<AssertionDetails> {
  const before = linesOf(wanted);
  const after = linesOf(inOrderOf(actual, wanted, subset));
  if (!before.includes("\n") && !after.includes("\n")) return {};
  if (before.length > longestText || after.length > longestText) return {};
  const { structuredPatch } = await import("diff");
  const patch = structuredPatch("", "", before, after, "", "", { context: 2, maxEditLength: 500 });
  const total = before.split("\n").length;
  const lines = patch?.hunks.flatMap(({ oldStart, oldLines, lines: shown }, index, { length }) => [
    // What is left out says so, also in front and behind.
    ...(index === 0 && oldStart <= 1 ? [] : ["…"]),
    ...shown.filter((line) => !line.startsWith("\\")),
    ...(index === length - 1 && oldStart + oldLines <= total ? ["…"] : []),
  ]);
  if (lines === undefined || lines.length === 0) return {};
  const kept: string[] = [];
  let length = 0;
  for (const line of lines) {
    kept.push(line.length > 300 ? `${line.slice(0, 299)}…` : line);
    length += kept.at(-1)!.length;
    if (kept.length < mostLines && length < mostCharacters) continue;
    if (kept.length < lines.length) kept.push(`… ${lines.length - kept.length} more lines`);
    break;
  }
  return { diff: kept.join("\n") };
}

/** Text as it is, anything else as JSON that people can read. */
function linesOf(value: unknown): string {
  if (typeof value === "string") return value;
  // A comma that comes with the next entry is no difference of this one.
  return (JSON.stringify(value, null, 2) ?? "").replaceAll(/,$/gm, "");
}

/** The value with its keys in the order of another one: the order is no difference. */
function inOrderOf(value: unknown, like: unknown, subset: boolean): unknown {
  if (Array.isArray(value))
    return value.map((item, index) =>
      // Lists compare exactly.
      inOrderOf(item, Array.isArray(like) ? like[index] : undefined, false),
    );
  if (!isObject(value) || !isObject(like)) return value;
  const keys = [
    ...Object.keys(like).filter((key) => Object.hasOwn(value, key)),
    ...(subset ? [] : Object.keys(value).filter((key) => !Object.hasOwn(like, key))),
  ];
  return Object.fromEntries(keys.map((key) => [key, inOrderOf(value[key], like[key], subset)]));
}
