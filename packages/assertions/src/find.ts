import type { AssertionContext } from "@turnwise/core";
import { documentOf } from "./document.js";
import type { Query } from "./path/query.js";

/** What stands at a path, and where it was found. */
export type Found =
  | { readonly found: true; readonly values: readonly unknown[]; readonly where: string }
  | {
      readonly found: false;
      readonly reason: string;
      /** Whether there was anything to look it up in. */
      readonly somewhere: boolean;
    };

/**
 * Looks a path up: in the reply (its data, else the JSON in its text), else in the newest state; with another `on`, there
 * and nowhere else.
 */
export async function find(context: AssertionContext, query: Query): Promise<Found> {
  if (context.on !== "response") {
    const values = query.select(context.subject);
    if (values.length > 0) return { found: true, values, where: context.on };
    const reason = `there is nothing there in the ${context.on}`;
    return { found: false, reason, somewhere: true };
  }
  const document = await documentOf(context.turn);
  if (document !== undefined) {
    const values = query.select(document.value);
    if (values.length > 0) return { found: true, values, where: "reply" };
  }
  if (context.state !== undefined) {
    const values = query.select(context.state);
    if (values.length > 0) return { found: true, values, where: "state" };
  }
  const reply =
    document === undefined ? "the reply holds no JSON" : "there is nothing there in the reply";
  const state =
    context.state === undefined
      ? "and the agent returned no state"
      : document === undefined
        ? "and there is nothing there in the state"
        : "nor in the state";
  const somewhere = document !== undefined || context.state !== undefined;
  return { found: false, reason: `${reply}, ${state}`, somewhere };
}
