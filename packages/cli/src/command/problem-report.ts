import { isAbsolute, relative } from "node:path";
import { formatProblem, plainText, problemCodes } from "@turnwise/core";
import type { Problem } from "@turnwise/core";

/** How many warnings of one kind are shown. Problems are shown all. */
const mostWarnings = 3;

/** Problems for people: what is wrong, where, what was expected, what to do. */
export function problemReport(
  problems: readonly Problem[],
  {
    color,
    cwd,
    running,
  }: { readonly color: boolean; readonly cwd: string; readonly running: boolean },
): string {
  const paint = (code: number, text: string): string =>
    color ? `\u001B[${code}m${text}\u001B[0m` : text;
  const kinds = { error: paint(31, "error"), warning: paint(33, "warning") };
  const lines: string[] = [];
  const seen = new Map<string, number>();
  /** Kinds of problems whose general remedy was told. */
  const remedies = new Set<string>();
  for (const problem of problems) {
    const kind = `${problem.code} ${problem.message}`;
    const count = (seen.get(kind) ?? 0) + 1;
    seen.set(kind, count);
    if (problem.severity === "warning" && count > mostWarnings) continue;
    const file = problem.file === undefined ? {} : { file: shortest(problem.file, cwd) };
    // Files are not trusted: an id can hold anything.
    const remedy = remedyOf(problem, remedies);
    const shown = { ...problem, ...file, ...(remedy === undefined ? {} : { hint: remedy }) };
    const [first = "", ...rest] = plainText(formatProblem(shown)).split("\n");
    const code = paint(90, `(${problem.code})`);
    lines.push([`${kinds[problem.severity]} ${first} ${code}`, ...rest].join("\n"));
  }
  const errors = problems.filter((problem) => problem.severity === "error").length;
  if (errors > 0)
    lines.push(
      "",
      `${errors > 1_000 ? "More than 1000 problems" : errors === 1 ? "1 problem" : `${errors} problems`}${running ? ", nothing was run" : ""}.`,
    );
  else
    for (const [kind, count] of seen)
      if (count > mostWarnings)
        lines.push(
          `${kinds.warning} ${count - mostWarnings} more: ${plainText(kind.slice(kind.indexOf(" ") + 1))}`,
        );
  return `${lines.join("\n")}\n${errors > 0 ? "" : "\n"}`;
}

/** What to do, where the problem does not say it itself. In general words, so once for each kind. */
function remedyOf({ code, hint, message }: Problem, told: Set<string>): string | undefined {
  const said =
    hint !== undefined ||
    code === "missing_field" ||
    code === "invalid_value" ||
    /expected |did you mean/.test(message);
  if (said || told.has(code)) return hint;
  told.add(code);
  return problemCodes[code].remedy;
}

/** A file the way one would type it here. */
function shortest(file: string, cwd: string): string {
  if (!isAbsolute(file)) return file;
  const path = relative(cwd, file);
  return path.startsWith("..") ? file : path;
}
