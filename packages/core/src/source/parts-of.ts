import type { RawAssertion } from "../contract/assertion.js";
import type { TestCase, TestTurn } from "../case/test-case.js";
import { isObject, isTooDeep } from "../json.js";

/** A case as it stands in a file. */
export type RawRecord = Readonly<Record<string, unknown>>;

/** The parts of an invalid case that can be checked all the same: its agent and its assertions. */
export function partsOf(raw: unknown): TestCase | undefined {
  if (!isObject(raw) || isTooDeep(raw)) return undefined;
  const turns: unknown[] = Array.isArray(raw["turns"]) ? raw["turns"] : [raw];
  return {
    id: typeof raw["id"] === "string" ? raw["id"] : "",
    ...(typeof raw["agent"] === "string" ? { agent: raw["agent"] } : {}),
    type: "multi_turn",
    turns: turns.map((turn): TestTurn => ({ assertions: assertionsOf(turn) })),
    final_assertions: list(raw["final_assertions"]),
  };
}

function assertionsOf(turn: unknown): readonly RawAssertion[] {
  return isObject(turn) ? list(turn["assertions"] ?? turn["assert"]) : [];
}

function list(value: unknown): readonly RawAssertion[] {
  const items: unknown[] = Array.isArray(value) ? value : [value];
  // Up to the first that is none: leaving it out would shift the places of the others.
  const end = items.findIndex((item) => !isObject(item));
  return (end === -1 ? items : items.slice(0, end)) as readonly RawAssertion[];
}
