import { isAbsolute, relative } from "node:path";
import { formatPath } from "@turnwise/core";
import type { Problem } from "@turnwise/core";

/** Problems for people: what is wrong, where, what was expected, what to do. */
export function problemReport(
  problems: readonly Problem[],
  { color, cwd }: { readonly color: boolean; readonly cwd: string },
): string {
  const paint = (code: number, text: string): string =>
    color ? `\u001B[${code}m${text}\u001B[0m` : text;
  const errors = problems.filter((problem) => problem.severity === "error").length;
  const lines = problems.map((problem) => {
    const kind = problem.severity === "error" ? paint(31, "error") : paint(33, "warning");
    const place =
      problem.file === undefined
        ? ""
        : `${shortest(problem.file, cwd)}${problem.line === undefined ? "" : `:${problem.line}`} `;
    const id = problem.case_id === undefined ? "" : `[${problem.case_id}] `;
    const path =
      problem.path === undefined || problem.path.length === 0
        ? ""
        : `${formatPath(problem.path)}: `;
    const hint = problem.hint === undefined ? "" : `\n    ${problem.hint}`;
    return `${place}${kind} ${id}${path}${problem.message}${hint}`;
  });
  const end =
    errors === 0
      ? ""
      : `\n${errors === 1 ? "1 problem" : `${errors} problems`}, nothing was run.\n`;
  return `${lines.join("\n")}\n${end}${errors === 0 ? "\n" : ""}`;
}

/** A file the way one would type it here. */
function shortest(file: string, cwd: string): string {
  if (!isAbsolute(file)) return file;
  const path = relative(cwd, file);
  return path.startsWith("..") ? file : path;
}
