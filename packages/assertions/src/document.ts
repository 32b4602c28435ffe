import { errorMessage, isTooDeep, readJson } from "@turnwise/core";
import type { AssertionContext, AssertionTurn } from "@turnwise/core";

/** A document, or why there is none. */
export type Document = { readonly value: unknown } | { readonly error: string };

/** What is to be compared as data: structured output as it is, text as the strict JSON that it is as a whole. */
export function strictDocument({ on, turn, subject }: AssertionContext): Document {
  if (on === "response" && turn.data !== undefined) return { value: turn.data };
  if (typeof subject !== "string") return { value: subject };
  try {
    const value: unknown = JSON.parse(subject);
    return isTooDeep(value) ? { error: "it is nested too deeply" } : { value };
  } catch (error) {
    return { error: errorMessage(error) };
  }
}

/** JSON that was looked for in texts: every path of every assertion asks for it again. */
const found = new WeakMap<AssertionTurn, Promise<{ readonly value: unknown } | undefined>>();

/** What paths are looked up in: the data of a reply, else the JSON that stands in its text. */
export function documentOf(turn: AssertionTurn): Promise<{ readonly value: unknown } | undefined> {
  if (turn.data !== undefined) return Promise.resolve({ value: turn.data });
  const known = found.get(turn) ?? readJson(turn.content);
  found.set(turn, known);
  return known;
}
