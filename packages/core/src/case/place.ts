import type { Problem } from "../problem.js";
import type { CaseOrigin } from "./test-case.js";
import { isObject } from "../json.js";

type Path = readonly (string | number)[];

/**
 * The path in the file of what stands at a path of the normalised case: assertions of `input` are those of turn 1
 * there, `assert` is called `assertions`, and a single assertion is a list.
 */
export function writtenPath(raw: Readonly<Record<string, unknown>>, path: Path): Path {
  const [first, second, field, index, ...rest] = path;
  if (first === "checkpoints" && typeof second === "number" && Array.isArray(raw["checkpoints"])) {
    const checkpoint: unknown = raw["checkpoints"][second];
    if (isObject(checkpoint))
      return ["checkpoints", second, ...writtenField(checkpoint, path.slice(2))];
  }
  if (first === "turns" && typeof second === "number") {
    const { turns, attachments } = raw;
    // Attachments of the case stand in front of those of turn 1.
    if (second === 0 && field === "attachments" && Array.isArray(attachments)) {
      const own = Number(index) - attachments.length;
      return own < 0 ? ["attachments", index!, ...rest] : ["turns", 0, field, own, ...rest];
    }
    if (!Array.isArray(turns))
      return field === "input"
        ? [...contentPath(raw["input"]), ...path.slice(3)]
        : writtenField(raw, path.slice(2));
    const turn: unknown = turns[second];
    return ["turns", second, ...writtenField(isObject(turn) ? turn : {}, path.slice(2))];
  }
  return writtenField(raw, path);
}

/** Where the content of the message stands that `input` sends. */
function contentPath(input: unknown): Path {
  if (Array.isArray(input) && input.every((item) => isObject(item) && "role" in item))
    return ["input", input.length - 1, "content"];
  return isObject(input) ? ["input", "content"] : ["input"];
}

function writtenField(container: Readonly<Record<string, unknown>>, path: Path): Path {
  const [field, index, ...rest] = path;
  if (typeof field !== "string" || typeof index !== "number") return path;
  const written =
    field === "assertions"
      ? ["assertions", "assert", "expected"].find((name) => container[name] !== undefined)
      : field;
  if (written === undefined) return path;
  if (written === "expected") return [written];
  return Array.isArray(container[written]) ? [written, index, ...rest] : [written, ...rest];
}

/** Fills in where a problem of a case stands. */
export function placed(problem: Problem, origin: CaseOrigin, caseId: string | undefined): Problem {
  // Without a line and an id, the position in its array is all that tells which case it is.
  const { index, locate, line } = origin;
  const counted =
    caseId === undefined && line === undefined && locate === undefined && index !== undefined
      ? { path: [index - 1, ...(problem.path ?? [])] }
      : {};
  return {
    ...problem,
    ...counted,
    ...(origin.file === undefined ? {} : { file: origin.file }),
    ...(origin.line === undefined ? {} : { line: origin.line }),
    ...(caseId === undefined ? {} : { case_id: caseId }),
  };
}

/** A problem with its line, where that can be found. */
export async function located(problem: Problem, origin: CaseOrigin): Promise<Problem> {
  if (problem.line !== undefined || problem.file === undefined) return problem;
  const line = await origin.locate?.(problem.path ?? []);
  return line === undefined ? problem : { ...problem, line };
}
