import { isObject } from "@turnwise/core";

/** A function call of a chat completion, as far as its pieces have come. */
export interface FunctionDelta {
  id?: string;
  name: string;
  arguments: string;
  /** The place that its pieces name. */
  readonly index: number | undefined;
}

/**
 * Adds a piece of a function call to the call that it belongs to. Servers that are nearly compatible leave the index out,
 * give all calls the same one, or repeat the name in every piece.
 */
export function addFunctionDelta(functions: FunctionDelta[], delta: unknown): void {
  if (!isObject(delta)) return;
  const index = typeof delta["index"] === "number" ? delta["index"] : undefined;
  const id = typeof delta["id"] === "string" && delta["id"] !== "" ? delta["id"] : undefined;
  const { name, arguments: args } = isObject(delta["function"]) ? delta["function"] : {};
  let call = callOf(functions, { index, id, name });
  if (call === undefined) {
    call = { ...(id === undefined ? {} : { id }), name: "", arguments: "", index };
    functions.push(call);
  }
  if (id !== undefined) call.id = id;
  if (typeof name === "string" && name !== call.name) call.name += name;
  if (typeof args === "string") call.arguments += args;
  else if (isObject(args)) call.arguments = JSON.stringify(args);
}

/** The call that a piece goes on with: of its id, else of its place, else the newest one. */
function callOf(
  functions: readonly FunctionDelta[],
  { index, id, name }: { index: number | undefined; id: string | undefined; name: unknown },
): FunctionDelta | undefined {
  if (id !== undefined) {
    const same = functions.find((call) => call.id === id);
    if (same !== undefined) return same;
  }
  const newest =
    index === undefined ? functions.at(-1) : functions.findLast((call) => call.index === index);
  // Of pieces without place and id, a name behind whole arguments begins another call.
  if (index === undefined && id === undefined && typeof name === "string" && name !== "")
    return newest !== undefined && isWhole(newest.arguments) ? undefined : newest;
  // Another id is another call, whatever its place.
  return id !== undefined && newest?.id !== undefined ? undefined : newest;
}

function isWhole(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}
