import { AuthorError } from "@turnwise/core";
import type { PrepareContext } from "@turnwise/core";
import type { JSONPath as JsonPathPlus } from "jsonpath-plus";
import type { Condition, Path, Selector } from "./path.js";
import { holds } from "./condition.js";
import { PathError, parsePath } from "./parse.js";
import { formatPath, lookUp, stepsOf } from "./path.js";

/** A path that is ready to be looked up. */
export interface Query {
  /** As reports show it. */
  readonly text: string;
  /** Whether it names one place at most, or can name several. */
  readonly single: boolean;
  /** What stands there in a document, in the order of RFC 9535. */
  readonly select: (document: unknown) => readonly unknown[];
}

/** The query of the field `path` of an assertion; undefined if it cannot be read, which has been reported by then. */
export async function readQuery(
  text: string,
  problem: PrepareContext["problem"],
): Promise<Query | undefined> {
  try {
    return await compileQuery(text);
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    problem({ code: "invalid_path", path: ["path"], message: error.message });
    return undefined;
  }
}

/**
 * Makes a query of a path.
 * @throws PathError if it is malformed, or uses what the dialect does not have.
 */
export async function compileQuery(source: string): Promise<Query> {
  const path = parsePath(source);
  const text = formatPath(source);
  const steps = stepsOf(path);
  if (steps !== undefined)
    return {
      text,
      single: true,
      select(document) {
        const hit = lookUp(document, steps);
        return hit.found ? [hit.value] : [];
      },
    };
  const { JSONPath } = await import("jsonpath-plus");
  return { text, single: false, select: (document) => selectAll(JSONPath, path, document) };
}

/*
 * jsonpath-plus walks the document, one segment at a time: within a longer path it takes a key such as "*" for the
 * literal name. Names and indexes are looked up by us, since it finds the length of a text, and an index in an object.
 */

/** How many places a query may go through. `$..*..*..*` comes to each as often as there are ways to it. */
const mostNodes = 2_000_000;

function selectAll(walk: typeof JsonPathPlus, path: Path, document: unknown): unknown[] {
  let visited = 0;
  const visit = (found: unknown[]): unknown[] => {
    visited += found.length;
    if (visited > mostNodes)
      throw new AuthorError(`the path goes through more than ${mostNodes} places`);
    return found;
  };
  let nodes: unknown[] = [document];
  for (const { descendants, selectors } of path) {
    const next: unknown[] = [];
    for (const node of nodes) {
      if (typeof node !== "object" || node === null) continue;
      for (const one of descendants ? visit(run(walk, "$..", node)) : [node])
        for (const selector of selectors)
          for (const child of visit(pick(walk, selector, one))) next.push(child);
    }
    nodes = next;
  }
  return nodes;
}

function pick(walk: typeof JsonPathPlus, selector: Selector, node: unknown): unknown[] {
  if (typeof node !== "object" || node === null) return [];
  switch (selector.kind) {
    case "name":
    case "index": {
      const hit = lookUp(node, [selector.kind === "name" ? selector.name : selector.index]);
      return hit.found ? [hit.value] : [];
    }
    case "wildcard":
      return run(walk, "$[*]", node);
    case "slice": {
      const { start = "", end = "", step = "" } = selector;
      // An end of 0 is taken for none.
      return end === 0 ? [] : run(walk, `$[${start}:${end}:${step}]`, node);
    }
    case "filter":
      return run(walk, "$[?(filter)]", node, selector.condition);
  }
}

function run(
  walk: typeof JsonPathPlus,
  path: string,
  json: object,
  condition?: Condition,
): unknown[] {
  const sandbox = new Map([["condition", condition]]);
  return walk<unknown[]>({ path, json, wrap: true, eval: Filter, sandbox });
}

/** Stands in for the evaluator. What is between the parentheses is never looked at: the condition was parsed by us. */
class Filter {
  /** It is kept for all filters, so it must hold nothing of this one. */
  runInNewContext(context: Map<string, Condition> & { _$_v?: unknown }): boolean {
    return holds(context.get("condition")!, context._$_v);
  }
}
