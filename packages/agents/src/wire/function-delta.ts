import { isObject } from "@turnwise/core";

/** A function call of a chat completion, as far as its pieces have come. */
export interface FunctionDelta {
  id?: string;
  name: string;
  arguments: string;
}

/** Adds a piece of a function call of a chat completion to the call with its index. */
export function addFunctionDelta(functions: FunctionDelta[], delta: unknown): void {
  if (!isObject(delta)) return;
  const index = typeof delta["index"] === "number" ? delta["index"] : functions.length;
  const call = (functions[index] ??= { name: "", arguments: "" });
  if (typeof delta["id"] === "string" && delta["id"] !== "") call.id = delta["id"];
  const inner = delta["function"];
  if (!isObject(inner)) return;
  if (typeof inner["name"] === "string") call.name += inner["name"];
  if (typeof inner["arguments"] === "string") call.arguments += inner["arguments"];
}
