import type { PreparedAssertion } from "../contract/assertion.js";
import type { Problem } from "../problem.js";
import type { TestCase } from "./test-case.js";
import { didYouMean } from "../suggest.js";

type Path = readonly (string | number)[];
type RawCheckpoint = NonNullable<TestCase["checkpoints"]>[number];

/** A checkpoint whose assertions were compiled. */
export interface PreparedCheckpoint {
  readonly id: string;
  readonly required: boolean;
  /** Ids of checkpoints that must not be reached later than this one. */
  readonly after: readonly string[];
  readonly assertions: readonly PreparedAssertion[];
}

/** Compiles checkpoints. They come back in an order in which each stands behind those it comes after. */
export async function prepareCheckpoints(
  checkpoints: readonly RawCheckpoint[],
  prepareAssertions: (
    list: RawCheckpoint["assertions"],
    path: Path,
  ) => Promise<readonly PreparedAssertion[]>,
  report: (problem: Omit<Problem, "severity">) => void,
): Promise<readonly PreparedCheckpoint[]> {
  const ids = checkpoints.map(({ id }) => id);
  const prepared: PreparedCheckpoint[] = [];
  for (const [index, { id, after = [], required = true, assertions }] of checkpoints.entries()) {
    const path = ["checkpoints", index];
    const earlier = ids.indexOf(id);
    if (earlier < index)
      report({
        code: "duplicate_id",
        path: [...path, "id"],
        message: `the id "${id}" is taken already, by checkpoints[${earlier}]`,
        hint: "Checkpoints of a case are told apart by their ids.",
      });
    for (const [position, other] of after.entries())
      if (!ids.includes(other))
        report({
          code: "unknown_checkpoint",
          path: [...path, "after", position],
          message: `there is no checkpoint "${other}" in this case${didYouMean(other, ids)}`,
          hint: `Checkpoints here: ${ids.join(", ")}.`,
        });
    if (assertions.length === 0)
      report({
        code: "missing_field",
        path: [...path, "assertions"],
        message: "a checkpoint without an assertion is reached by any reply",
      });
    const compiled = await prepareAssertions(assertions, [...path, "assertions"]);
    prepared.push({ id, required, after, assertions: compiled });
  }
  const { ordered, cycle } = sorted(prepared);
  if (cycle !== undefined)
    report({
      code: "conflict",
      path: ["checkpoints", ids.indexOf(cycle[0]!), "after"],
      message: `these checkpoints wait for each other: ${[...cycle, cycle[0]].map((id) => `"${id}"`).join(" after ")}`,
      hint: 'Remove one of these "after".',
    });
  return ordered;
}

/** Each behind those it comes after; or the ids of a cycle. */
function sorted(checkpoints: readonly PreparedCheckpoint[]): {
  readonly ordered: PreparedCheckpoint[];
  readonly cycle?: readonly string[];
} {
  const byId = new Map(checkpoints.map((checkpoint) => [checkpoint.id, checkpoint]));
  const ordered = new Set<PreparedCheckpoint>();
  for (const start of checkpoints) {
    // Depth first, without recursion: `trail` is the way from the start to where we are.
    const trail = [{ checkpoint: start, next: 0 }];
    while (trail.length > 0) {
      const here = trail.at(-1)!;
      const id = here.checkpoint.after[here.next++];
      const earlier = id === undefined ? undefined : byId.get(id);
      if (id === undefined) {
        ordered.add(here.checkpoint);
        trail.pop();
      } else if (earlier !== undefined && !ordered.has(earlier)) {
        const at = trail.findIndex(({ checkpoint }) => checkpoint === earlier);
        if (at !== -1)
          return {
            ordered: [...ordered],
            cycle: trail.slice(at).map(({ checkpoint }) => checkpoint.id),
          };
        trail.push({ checkpoint: earlier, next: 0 });
      }
    }
  }
  return { ordered: [...ordered] };
}
