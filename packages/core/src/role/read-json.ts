import type { JsonValue } from "../json.js";

/** JSON found in a text, and how much had to be done to get it. */
export interface FoundJson {
  readonly value: JsonValue;
  /** `whole` text, a code `fence`, or `prose` around it. */
  readonly where: "whole" | "fence" | "prose";
  /** True if it was not valid as it stood (comments, trailing commas, raw newlines, other quotes). */
  readonly repaired: boolean;
}

/**
 * Finds JSON in what a model wrote: the whole text, else the first code fence that holds an object or array, else the
 * first balanced object or array in the prose. What is not strict JSON is repaired, but only when its brackets balance:
 * a truncated value is never completed.
 */
export async function readJson(text: string): Promise<FoundJson | undefined> {
  const whole = text.trim();
  const strict = parse(whole);
  if (strict !== undefined) return { value: strict, where: "whole", repaired: false };
  if (/^[{[]/.test(whole)) {
    const end = balancedEnd(whole, 0);
    if (end === whole.length) {
      const value = await repair(whole);
      if (value !== undefined) return { value, where: "whole", repaired: true };
    }
  }
  for (const body of fences(text)) {
    const trimmed = body.trim();
    if (!/^[{[]/.test(trimmed)) continue;
    const value = parse(trimmed);
    if (value !== undefined) return { value, where: "fence", repaired: false };
    if (balancedEnd(trimmed, 0) !== trimmed.length) continue;
    const repaired = await repair(trimmed);
    if (repaired !== undefined) return { value: repaired, where: "fence", repaired: true };
  }
  return inProse(text);
}

async function inProse(text: string): Promise<FoundJson | undefined> {
  let start = nextOpening(text, 0);
  // A text of nothing but opening brackets would cost quadratic time: each scan runs to the end.
  for (let tries = 0; start !== -1 && tries < 50; tries++) {
    const end = balancedEnd(text, start);
    if (end === undefined) {
      start = nextOpening(text, start + 1);
      continue;
    }
    const candidate = text.slice(start, end);
    const value = parse(candidate);
    if (value !== undefined) return { value, where: "prose", repaired: false };
    // "[1]" and "{name}" in prose are not JSON that went wrong, unless there is a key or a value in them.
    const repaired = /^\{\s*(["']|\/)|^\[\s*[{["'\d]/.test(candidate)
      ? await repair(candidate)
      : undefined;
    if (repaired !== undefined) return { value: repaired, where: "prose", repaired: true };
    start = nextOpening(text, start + 1);
  }
  return undefined;
}

function nextOpening(text: string, from: number): number {
  const object = text.indexOf("{", from);
  const array = text.indexOf("[", from);
  if (object === -1) return array;
  if (array === -1) return object;
  return Math.min(object, array);
}

/** Bodies of the fenced code blocks, in order. */
function fences(text: string): string[] {
  const bodies: string[] = [];
  let open: { marker: string; lines: string[] } | undefined;
  for (const line of text.split("\n")) {
    const marker = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (open === undefined) {
      if (marker !== undefined) open = { marker, lines: [] };
    } else if (marker !== undefined && marker.startsWith(open.marker) && line.trim() === marker) {
      bodies.push(open.lines.join("\n"));
      open = undefined;
    } else open.lines.push(line);
  }
  return bodies;
}

/** Index after the bracket that closes the one at `start`; undefined if none does. Strings and comments are skipped. */
function balancedEnd(text: string, start: number): number | undefined {
  const expected: string[] = [];
  for (let index = start; index < text.length; index++) {
    const character = text[index]!;
    if (character === '"') {
      const end = stringEnd(text, index);
      if (end === undefined) return undefined;
      index = end;
    } else if (character === "/" && text[index + 1] === "/") {
      const end = text.indexOf("\n", index);
      if (end === -1) return undefined;
      index = end;
    } else if (character === "/" && text[index + 1] === "*") {
      const end = text.indexOf("*/", index + 2);
      if (end === -1) return undefined;
      index = end + 1;
    } else if (character === "{") expected.push("}");
    else if (character === "[") expected.push("]");
    else if (character === "}" || character === "]") {
      if (expected.pop() !== character) return undefined;
      if (expected.length === 0) return index + 1;
    }
  }
  return undefined;
}

function stringEnd(text: string, start: number): number | undefined {
  for (let index = start + 1; index < text.length; index++) {
    if (text[index] === "\\") index++;
    else if (text[index] === '"') return index;
  }
  return undefined;
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

async function repair(text: string): Promise<JsonValue | undefined> {
  const { jsonrepair } = await import("jsonrepair");
  try {
    const value = parse(jsonrepair(text));
    return typeof value === "object" ? value : undefined;
  } catch {
    return undefined;
  }
}
