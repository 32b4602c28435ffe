import type { PrepareContext } from "@turnwise/core";

/** One step of a path: a name or an index (negative ones count from the end). */
export type Step = string | number;

/** A path that cannot be read, and why. */
class PathError extends Error {
  constructor(
    message: string,
    /** True for syntax of JSONPath that this version does not have. */
    readonly planned: boolean,
  ) {
    super(message);
  }
}

const name = /[\p{L}_$][\p{L}\p{N}_$-]*/uy;

/**
 * Reads a JSONPath of names and indexes: `$.order.items[0]["unit price"]`. The leading `$.` may be left out.
 * @throws PathError if it is malformed, or uses slices, wildcards, `..` or filters.
 */
function parsePath(text: string): Step[] {
  const path = text.trim();
  if (path === "") throw new PathError("the path is empty", false);
  const steps: Step[] = [];
  let at = 0;
  const malformed = (what: string): PathError =>
    new PathError(`malformed path ${JSON.stringify(text)}: ${what} at position ${at + 1}`, false);
  const takeName = (): void => {
    name.lastIndex = at;
    const found = name.exec(path)?.[0];
    if (found === undefined) {
      if (path[at] === "*") throw notSupported(text, "wildcards");
      throw malformed("expected a name");
    }
    steps.push(found);
    at += found.length;
  };
  if (path[0] === "$" && (path.length === 1 || path[1] === "." || path[1] === "[")) at = 1;
  else if (path[0] !== "[") takeName();
  while (at < path.length) {
    if (path.startsWith("..", at)) throw notSupported(text, '".."');
    if (path[at] === ".") {
      at++;
      takeName();
    } else if (path[at] === "[") {
      at++;
      const { step, end } = bracket(path, at, text, malformed);
      steps.push(step);
      at = end;
    } else throw malformed(`unexpected ${JSON.stringify(path[at])}`);
  }
  return steps;
}

function bracket(
  path: string,
  start: number,
  text: string,
  malformed: (what: string) => PathError,
): { step: Step; end: number } {
  const quote = path[start];
  if (quote === '"' || quote === "'") {
    let step = "";
    let at = start + 1;
    for (; at < path.length && path[at] !== quote; at++) {
      if (path[at] === "\\") at++;
      step += path[at] ?? "";
    }
    if (path[at + 1] === ",") throw notSupported(text, "unions");
    if (path[at] !== quote || path[at + 1] !== "]")
      throw malformed("a quote or bracket is not closed");
    return { step, end: at + 2 };
  }
  const close = path.indexOf("]", start);
  if (close === -1) throw malformed("a bracket is not closed");
  const inside = path.slice(start, close).trim();
  if (/^(0|-?[1-9]\d*)$/.test(inside)) return { step: Number(inside), end: close + 1 };
  if (inside === "*") throw notSupported(text, "wildcards");
  if (inside.startsWith("?")) throw notSupported(text, "filters");
  if (inside.includes(":")) throw notSupported(text, "slices");
  if (inside.includes(",")) throw notSupported(text, "unions");
  throw malformed("expected an index or a quoted name in brackets");
}

function notSupported(text: string, what: string): PathError {
  return new PathError(
    `${what} in a path (${JSON.stringify(text)}) are not supported yet; names and indexes are`,
    true,
  );
}

/** The steps of the field `path` of an assertion; undefined if it cannot be read, which has been reported by then. */
export function readPath(text: string, problem: PrepareContext["problem"]): Step[] | undefined {
  try {
    return parsePath(text);
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    problem({
      code: error.planned ? "not_supported" : "invalid_path",
      path: ["path"],
      message: error.message,
    });
    return undefined;
  }
}

/** The value at a path, own properties only; `found` tells a missing one from null. */
export function lookUp(
  document: unknown,
  steps: readonly Step[],
): { readonly found: true; readonly value: unknown } | { readonly found: false } {
  let value = document;
  for (const step of steps) {
    if (typeof value !== "object" || value === null) return { found: false };
    if (Array.isArray(value) !== (typeof step === "number")) return { found: false };
    const key = typeof step === "number" && step < 0 ? (value as unknown[]).length + step : step;
    if (!Object.hasOwn(value, key)) return { found: false };
    value = (value as Record<Step, unknown>)[key];
  }
  return { found: true, value };
}

/** A path in its full form, for labels. */
export function formatPath(text: string): string {
  const path = text.trim();
  if (path === "$" || path.startsWith("$.") || path.startsWith("$[")) return path;
  return path.startsWith("[") ? `$${path}` : `$.${path}`;
}
