/*
 * A path after parsing. The names are those of RFC 9535: a query is a list of segments, each of which selects children
 * (or descendants) of the nodes found so far.
 */

/** A name or an index (negative ones count from the end). */
export type Step = string | number;

/** What one segment selects of a node. */
export type Selector =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "wildcard" }
  | {
      readonly kind: "slice";
      readonly start?: number;
      readonly end?: number;
      readonly step?: number;
    }
  | { readonly kind: "filter"; readonly condition: Condition };

/** One segment of a path. */
export interface Segment {
  /** Whether it also looks at everything below the nodes found so far (`..`). */
  readonly descendants: boolean;
  readonly selectors: readonly Selector[];
}

/** A parsed path. */
export type Path = readonly Segment[];

/** An operator of a filter. */
export type Comparison = "==" | "!=" | "<" | "<=" | ">" | ">=";

/** A side of a comparison: a place below the node that the filter looks at, or a value. */
export type Operand =
  | { readonly path: readonly Step[] }
  | { readonly value: string | number | boolean | null };

/** The condition of a filter. */
export type Condition =
  | { readonly kind: "or" | "and"; readonly conditions: readonly Condition[] }
  | { readonly kind: "not"; readonly condition: Condition }
  | { readonly kind: "exists"; readonly path: readonly Step[] }
  | {
      readonly kind: "compare";
      readonly left: Operand;
      readonly operator: Comparison;
      readonly right: Operand;
    };

/** The steps of a path that names one place at most; undefined if it can name several. */
export function stepsOf(path: Path): readonly Step[] | undefined {
  const steps: Step[] = [];
  for (const { descendants, selectors } of path) {
    const [selector] = selectors;
    if (descendants || selectors.length !== 1 || selector === undefined) return undefined;
    if (selector.kind === "name") steps.push(selector.name);
    else if (selector.kind === "index") steps.push(selector.index);
    else return undefined;
  }
  return steps;
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
