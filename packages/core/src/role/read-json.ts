import type { JsonValue } from "../json.js";
import { deepestNesting, isTooDeep } from "../json.js";

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
 * first balanced object or array in the prose (a list of bare values only if there is nothing better: citations look
 * like that), strict JSON before anything that needs repair. Repair happens only where brackets and quotes balance: a truncated value is never completed. Takes time linear in the text.
 */
export async function readJson(text: string): Promise<FoundJson | undefined> {
  const whole = text.trim();
  const strict = parse(whole);
  if (strict !== undefined) return { value: strict, where: "whole", repaired: false };
  const candidates = [whole, ...fences(text).map((body) => body.trim())];
  for (const [index, candidate] of candidates.entries()) {
    const where = index === 0 ? "whole" : "fence";
    if (!/^[{[]/.test(candidate)) continue;
    const value = parse(candidate);
    if (value !== undefined) return { value, where, repaired: false };
    const scanned = scan(candidate, 0);
    if (scanned?.end !== candidate.length) continue;
    const repaired = await repair(candidate, scanned.clean);
    if (repaired !== undefined) return { value: repaired, where, repaired: true };
  }
  return inProse(text);
}

/** JSON that stands in a text. */
export interface JsonInText {
  readonly value: JsonValue;
  /** As it stands there. */
  readonly text: string;
  /** The same in strict JSON, as far as it could be had. */
  readonly json: string;
}

/**
 * Every JSON object and list that stands in a text and is no part of another, in order, with the text of each. Empty if
 * the text ends inside of one: what was still to come might have been the last word.
 */
export async function readJsonValues(text: string): Promise<readonly JsonInText[]> {
  const whole = text.trim();
  const strict = parse(whole);
  if (strict !== undefined) return [{ value: strict, text: whole, json: whole }];
  const found: JsonInText[] = [];
  let budget = Math.max(100_000, text.length * 4);
  let repairs = 0;
  let end = 0;
  for (let start = nextOpening(text, 0); start !== -1;) {
    if (budget <= 0 || repairs > mostRepairs) return [];
    const scanned = scan(text, start, budget);
    budget -= (scanned?.end ?? text.length) - start + 1;
    const opening = text.slice(start, start + 100);
    if (scanned === undefined && beginsLikeJson.test(opening)) return [];
    // A brace that closes nothing: what was taken for a whole value was ended by a quotation inside of it.
    if (text.slice(end, start).includes("}")) return [];
    const candidate = scanned === undefined ? "" : text.slice(start, scanned.end);
    let value = parse(candidate);
    if (value === undefined && scanned !== undefined && looksLikeJson.test(opening)) {
      repairs++;
      value = await repair(candidate, scanned.clean);
    }
    if (typeof value === "object")
      found.push({ value, text: candidate, json: scanned?.clean ?? candidate });
    const skipped = scanned === undefined || looksLikeProse.test(opening);
    end = skipped ? start + 1 : scanned.end;
    start = nextOpening(text, end);
  }
  return text.slice(end).includes("}") && found.length > 0 ? [] : found;
}

/** Nobody writes so many answers at once, and each costs more than reading it. */
const mostRepairs = 200;

/** More than a bracket of prose: what a value begins with follows. */
const beginsLikeJson = /^\{|^\[\s*(["'{[]|\d|-\d|(true|false|null)\b|[A-Za-z_$][\w$]*\s*:)/;

async function inProse(text: string): Promise<FoundJson | undefined> {
  // Each scan of an unbalanced bracket runs to the end of the text, so all of them share a budget.
  let budget = Math.max(100_000, text.length * 4);
  // Bounded: nobody means the two-hundredth bracket, and each costs an attempt to parse it.
  const repairable: { candidate: string; clean: string }[] = [];
  /** A list of bare values is as likely a citation: "as shown in [1]". */
  let bareList: JsonValue | undefined;
  let attempts = 0;
  for (let start = nextOpening(text, 0); start !== -1 && budget > 0 && attempts < 200;) {
    const scanned = scan(text, start, budget);
    budget -= (scanned?.end ?? text.length) - start + 1;
    const opening = text.slice(start, start + 100);
    // What stands inside of JSON is a part of it, never the whole: {"passed": false, "first": {"passed": true}
    const transparent = looksLikeProse.test(opening);
    if (scanned === undefined && !transparent) break;
    if (scanned !== undefined) {
      attempts++;
      const candidate = text.slice(start, scanned.end);
      const value = parse(candidate);
      if (Array.isArray(value) && !value.some((item) => typeof item === "object" && item !== null))
        bareList ??= value;
      else if (typeof value === "object") return { value, where: "prose", repaired: false };
      else if (looksLikeJson.test(opening)) repairable.push({ candidate, clean: scanned.clean });
    }
    start = nextOpening(text, scanned === undefined || transparent ? start + 1 : scanned.end);
  }
  for (const { candidate, clean } of repairable) {
    const value = await repair(candidate, clean);
    if (value !== undefined) return { value, where: "prose", repaired: true };
  }
  return bareList === undefined ? undefined : { value: bareList, where: "prose", repaired: false };
}

/** What is worth a repair. "[1 of 3]" is not JSON that went wrong. */
const looksLikeJson = /^\{\s*(["'/]|[A-Za-z_$][\w$]*\s*:)|^\[\s*[{["'/]/;

/** Words in brackets, which may hold JSON: "[see {...}]". A word before a colon is a key. */
const looksLikeProse =
  /^[{[]\s*(?!(?:true|false|null)\b)\p{L}[\p{L}\p{N}_$]*(?![\p{L}\p{N}_$])(?!\s*:)/u;

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

/**
 * Finds the bracket that closes the one at `start`. On the way it writes the same text without what models add to
 * JSON: comments and trailing commas go, raw line breaks in strings are escaped, single quotes become double ones.
 * Undefined if a bracket, string or comment is not closed, or if it is nested more deeply than data is.
 */
function scan(
  text: string,
  start: number,
  budget = Number.POSITIVE_INFINITY,
): { readonly end: number; readonly clean: string } | undefined {
  const expected: string[] = [];
  const clean: string[] = [];
  /** The last character that was neither space nor comment, and whether `clean` ends with a comma. */
  let last = "";
  const limit = Math.min(text.length, start + budget);
  for (let index = start; index < limit; index++) {
    const character = text[index]!;
    if (character === '"' || (character === "'" && "[{,:".includes(last))) {
      const string = readString(text, index);
      if (string === undefined) return undefined;
      clean.push(string.clean);
      index = string.end;
      last = '"';
    } else if (character === "/" && (text[index + 1] === "/" || text[index + 1] === "*")) {
      const block = text[index + 1] === "*";
      const end = text.indexOf(block ? "*/" : "\n", index + 2);
      if (end === -1) return undefined;
      index = block ? end + 1 : end;
    } else if (character === "}" || character === "]") {
      if (expected.pop() !== character) return undefined;
      if (last === ",") clean.splice(clean.lastIndexOf(","), 1);
      clean.push(character);
      last = character;
      if (expected.length === 0) return { end: index + 1, clean: clean.join("") };
    } else {
      if (character === "{" || character === "[") {
        expected.push(character === "{" ? "}" : "]");
        if (expected.length > deepestNesting) return undefined;
      }
      if (/\S/.test(character)) {
        clean.push(character);
        last = character;
      } else clean.push(" ");
    }
  }
  return undefined;
}

function readString(
  text: string,
  start: number,
): { readonly end: number; readonly clean: string } | undefined {
  const quote = text[start];
  let clean = '"';
  for (let index = start + 1; index < text.length; index++) {
    const character = text[index]!;
    // In single quotes an apostrophe may stand: the quote ends where a value can end.
    if (
      character === quote &&
      (quote === '"' || /^\s*[,:}\]]/.test(text.slice(index + 1, index + 20)))
    )
      return { end: index, clean: `${clean}"` };
    if (character === "\\") {
      const escaped = text[index + 1] ?? "";
      // \' is an escape of other languages.
      clean += escaped === "'" ? "'" : `\\${escaped}`;
      index++;
    } else if (character === '"') clean += String.raw`\"`;
    else if (character < " ") clean += JSON.stringify(character).slice(1, -1);
    else clean += character;
  }
  return undefined;
}

function parse(text: string): JsonValue | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isTooDeep(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** jsonrepair takes cubic time on some texts, so only what is short gets so far. */
const longestRepair = 1_000;

async function repair(text: string, clean: string): Promise<JsonValue | undefined> {
  const cleaned = parse(clean);
  if (typeof cleaned === "object") return cleaned;
  if (text.length > longestRepair) return undefined;
  const { jsonrepair } = await import("jsonrepair");
  try {
    const value = parse(jsonrepair(text));
    return typeof value === "object" ? value : undefined;
  } catch {
    return undefined;
  }
}
