import { isObject } from "@turnwise/core";
import { z } from "zod";

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
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > longest ? `${text.slice(0, longest - 3)}...` : text;
}

/** A field that must be there but may hold any JSON, null included. */
export const anyValue: z.ZodType = z.unknown().refine((value) => value !== undefined, {
  message: "required field is missing",
});

/** The name of a tool in a spec: a name, or `{ name, arguments }`. */
export function isCallSpec(value: unknown): value is { name: string; arguments?: unknown } {
  return isObject(value) && typeof value["name"] === "string";
}
