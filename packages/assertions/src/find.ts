import { readJson } from "@turnwise/core";
import type { AssertionContext } from "@turnwise/core";
import type { Step } from "./path.js";
import { lookUp } from "./path.js";

/** What stands at a path, and where it was found. */
export type Found =
  | { readonly found: true; readonly value: unknown; readonly where: string }
  | { readonly found: false; readonly reason: string };

/**
 * Looks a path up: in the reply (its data, else the JSON in its text), else in the newest state; with another `on`, there
 * and nowhere else.
 */
export async function find(context: AssertionContext, steps: readonly Step[]): Promise<Found> {
  if (context.on !== "response") {
    const hit = lookUp(context.subject, steps);
    if (hit.found) return { ...hit, where: context.on };
    return { found: false, reason: `there is nothing there in the ${context.on}` };
  }
  const document = await documentOf(context.turn);
  if (document !== undefined) {
    const hit = lookUp(document.value, steps);
    if (hit.found) return { ...hit, where: "reply" };
  }
  if (context.state !== undefined) {
    const hit = lookUp(context.state, steps);
    if (hit.found) return { ...hit, where: "state" };
  }
  const reply =
    document === undefined ? "the reply holds no JSON" : "there is nothing there in the reply";
  const state = context.state === undefined ? "the agent returned no state" : "nor in the state";
  return {
    found: false,
    reason: `${reply}, ${state === "nor in the state" ? state : `and ${state}`}`,
  };
}

async function documentOf(turn: AssertionContext["turn"]): Promise<{ value: unknown } | undefined> {
  if (turn.data !== undefined) return { value: turn.data };
  return readJson(turn.content);
}
