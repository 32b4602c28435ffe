import type { Document, LineCounter, Node, YAMLError } from "yaml";
import type { Problem } from "../problem.js";
import { errorMessage } from "../errors.js";
import type { DuplicateKey } from "./duplicate-key.js";
import { findDuplicateKey } from "./duplicate-key.js";

type Path = readonly (string | number)[];

/** A parsed YAML or JSON text that can tell on which line a path stands. */
interface LocatedDocument {
  readonly value: unknown;
  readonly errors: readonly ParseProblem[];
  /** 1-based line of the value at the path, or of the nearest value around it. */
  readonly lineOf: (path: Path) => number | undefined;
}

/** Parses YAML 1.2 (core schema), of which JSON is a subset for this purpose. */
async function parseLocated(text: string): Promise<LocatedDocument> {
  const { LineCounter, parseDocument } = await import("yaml");
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: true });
  // A warning is a tag that nobody knows: the value would not be what its author thinks it is.
  const errors = problemsOf([...document.errors, ...document.warnings], text, lineCounter);
  let value: unknown;
  try {
    if (errors.length === 0) value = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    errors.push({ code: "invalid_yaml", message: errorMessage(error) });
  }
  return { value, errors, lineOf: (path) => lineOf(document, lineCounter, path) };
}

/** Duplicate keys are independent of each other; of anything else, what follows is mostly a consequence of the first. */
function problemsOf(
  errors: readonly YAMLError[],
  text: string,
  lineCounter: LineCounter,
): ParseProblem[] {
  const problems: ParseProblem[] = [];
  for (const { code, message, pos } of errors) {
    const { line, col } = lineCounter.linePos(pos[0]);
    if (code === "DUPLICATE_KEY") {
      const [key] = /^[^:\n]{0,60}/.exec(text.slice(pos[0], pos[0] + 61))!;
      problems.push({ code: "duplicate_key", message: `the key ${key} is given twice`, line });
    } else if (!problems.some((problem) => problem.code === "invalid_yaml")) {
      const tab = /^ *\t/.test(text.split("\n", line)[line - 1] ?? "");
      const hint = tab ? "YAML is indented with blanks, never with tabs." : yamlHints[code];
      problems.push({
        code: "invalid_yaml",
        message: `not valid YAML: ${message.replace(/; please use .*$/, "")} at column ${col}`,
        line,
        ...(hint === undefined ? {} : { hint }),
      });
    }
  }
  return problems;
}

/** What mostly is behind an error of the parser. */
const yamlHints: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'A text with ": " in it is written in quotes.',
  BAD_DQ_ESCAPE: "In double quotes a backslash begins an escape; single quotes take it as it is.",
  MULTIPLE_DOCS: 'A file holds one document. Several cases are a list: begin each with "- ".',
  MISSING_CHAR: "A quote or bracket may not be closed further up.",
  TAG_RESOLVE_FAILED: "A text that begins with ! is written in quotes.",
  BAD_ALIAS: "A text that begins with * is written in quotes.",
};

function lineOf(document: Document, lineCounter: LineCounter, path: Path): number | undefined {
  for (let length = path.length; length >= 0; length--) {
    const node = (
      length === 0 ? document.contents : document.getIn(path.slice(0, length), true)
    ) as Node | null | undefined;
    if (typeof node === "object" && node?.range) return lineCounter.linePos(node.range[0]).line;
  }
  return undefined;
}

/** JSON that was parsed, or why it could not be. */
type ParsedJson =
  | {
      readonly value: unknown;
      /** Needs a second, slower parse: only for problems. */
      readonly lineOf: (path: Path) => Promise<number | undefined>;
    }
  | ParseProblem;

/** Why a text could not be parsed. */
type ParseProblem = Pick<Problem, "code" | "message" | "line" | "path" | "hint">;

/** What to say about a key that was given twice. */
export function duplicateKeyProblem({ path }: DuplicateKey): ParseProblem {
  return { code: "duplicate_key", path, message: "this key is given twice" };
}

/** Parses strict JSON. */
function parseJson(text: string): ParsedJson {
  let located: Promise<LocatedDocument> | undefined;
  try {
    const value: unknown = JSON.parse(text);
    const duplicate = findDuplicateKey(text, value);
    if (duplicate !== undefined)
      return { ...duplicateKeyProblem(duplicate), line: lineAt(text, duplicate.position) };
    return {
      value,
      async lineOf(path) {
        located ??= parseLocated(text);
        return (await located).lineOf(path);
      },
    };
  } catch (error) {
    const position = errorPosition(text, errorMessage(error));
    return {
      code: "invalid_json",
      message: describeJsonError(text, error),
      ...(position === undefined ? {} : { line: lineAt(text, position) }),
    };
  }
}

/** Data of a text, and how to find lines in it. */
export interface ParsedText {
  readonly value: unknown;
  /** True if it came through JSON.parse. YAML can hold more. */
  readonly json: boolean;
  readonly lineOf: (path: Path) => Promise<number | undefined>;
}

/** Why a text could not be parsed. */
export interface ParseFailure {
  readonly problems: readonly ParseProblem[];
}

/** Parses a text as JSON or as YAML (1.2, core schema: `yes` is text, and dates are). */
export async function parseText(
  text: string,
  format: "json" | "yaml",
): Promise<ParsedText | ParseFailure> {
  if (format === "json") {
    const parsed = parseJson(text);
    return "message" in parsed ? { problems: [parsed] } : { ...parsed, json: true };
  }
  const { value, errors, lineOf: find } = await parseLocated(text);
  if (errors.length > 0) return { problems: errors };
  return { value, json: false, lineOf: async (path) => find(path) };
}

/** Why a text is not JSON, in the same words on every version of Node. */
export function describeJsonError(text: string, error: unknown): string {
  const message = errorMessage(error);
  const position = errorPosition(text, message);
  const column =
    position === undefined ? "" : ` at column ${position - text.lastIndexOf("\n", position - 1)}`;
  const reason = message
    .replace(/( in JSON)? at position \d+( \(line \d+ column \d+\))?$/, "")
    .replace(/, (\.\.\.)?"[\s\S]*"(\.\.\.)? is not valid JSON$/, "")
    .replace("end of JSON input", "end");
  return `not valid JSON: ${reason}${column}`;
}

/** V8 names a position, or shows ten characters to either side of the culprit, or says that the text ended. */
function errorPosition(text: string, message: string): number | undefined {
  const position = /position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return Number(position);
  if (message.includes("end of JSON")) return text.trimEnd().length;
  const shown = /^Unexpected token '(.*)', (\.\.\.)?"(.*)"(\.\.\.)? is not valid JSON$/su.exec(
    message,
  );
  if (shown === null) return undefined;
  const [, token = "", before, context = ""] = shown;
  const start = text.indexOf(context);
  if (start === -1) return undefined;
  return start + (before === undefined ? Math.max(0, context.indexOf(token)) : 10);
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split("\n").length;
}
