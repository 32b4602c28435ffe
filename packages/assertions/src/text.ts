import type { Subject } from "@turnwise/core";
import { z } from "zod";

/** Most assertions can look at anything. */
export const everySubject: readonly Subject[] = [
  "response",
  "state",
  "tools",
  "conversation",
  "world",
];

/** What text assertions compare with. Numbers and booleans are taken as they are written. */
export const textValue = z.union([z.string(), z.number(), z.boolean()]);

/** A value as the text that assertions search: text as it is, anything else as compact JSON. */
export function asText(subject: unknown): string {
  if (typeof subject === "string") return subject;
  return subject === undefined ? "" : (JSON.stringify(subject) ?? "");
}

/** Text for comparing: the same character in two Unicode spellings is the same character. */
export function comparable(text: string, ignoreCase: boolean | undefined): string {
  const normal = text.normalize("NFC");
  return ignoreCase === true ? normal.toLowerCase() : normal;
}

/** A value for a sentence: compact and not too long. */
export function shown(value: unknown, longest = 120): string {
  if (value === undefined) return "nothing";
  // Not all of ten megabytes for a line.
  if (typeof value === "string" && value.length > longest)
    return `${JSON.stringify(value.slice(0, longest - 3)).slice(0, longest - 3)}...`;
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > longest ? `${text.slice(0, longest - 3)}...` : text;
}

/** Two values for a sentence. Long ones are shown around their first difference. */
export function contrast(wanted: unknown, got: unknown): string {
  const [a, b] = [shown(wanted, Infinity), shown(got, Infinity)];
  if (a.length <= 120 && b.length <= 120) return `expected ${a}, got ${b}`;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const window = (text: string): string => {
    const from = Math.max(0, at - 30);
    const piece = text.slice(from, from + 110);
    return `${from > 0 ? "…" : ""}${piece}${from + 110 < text.length ? "…" : ""}`;
  };
  return `expected ${window(a)}, got ${window(b)} (they differ from character ${at + 1} of ${a.length} on)`;
}

/** A field that must be there but may hold any JSON, null included. */
export const anyValue: z.ZodType = z.unknown().refine((value) => value !== undefined);

/** The length of a text in Unicode code points: nearly what people count. */
export function characters(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at++)
    if (text.charCodeAt(at) >> 10 === 0x36 && text.charCodeAt(at + 1) >> 10 === 0x37) {
      count--;
      at++;
    }
  return count;
}
