import { statSync } from "node:fs";
import type { Source, SourceItem } from "./source.js";
import { readLines } from "./lines.js";
import { describeJsonError } from "./located.js";

/** Cases of a JSONL file, one object a line. Blank lines and lines that begin with `//` are skipped. */
export function jsonlSource(path: string, name: string): Source {
  return {
    kind: "file",
    name,
    fingerprint: () => fingerprint(path),
    async *read(): AsyncGenerator<SourceItem> {
      for await (const { number, text, valid } of readLines(path)) {
        const place = { file: name, line: number };
        if (!valid) {
          yield {
            problem: {
              code: "invalid_encoding",
              severity: "error",
              message: "this line is not UTF-8",
              hint: "Save the file as UTF-8.",
              ...place,
            },
          };
          // UTF-16 and binary files would give one problem a line.
          if (number === 1) return;
          continue;
        }
        if (/^\s*(\/\/|$)/.test(text)) continue;
        let raw: unknown;
        try {
          raw = JSON.parse(text);
        } catch (error) {
          yield {
            problem: {
              code: "invalid_json",
              severity: "error",
              message: describeJsonError(text, error),
              hint: hintFor(text),
              ...place,
            },
          };
          continue;
        }
        yield { raw, origin: place };
      }
    },
  };
}

function hintFor(text: string): string {
  return /^\s*[[{]\s*$/.test(text)
    ? "Each line of a .jsonl file is one whole case; a file with one array or object is .json."
    : "Each line of a .jsonl file is one whole JSON object.";
}

/** Size and time of a file: enough to notice that somebody saved it. */
export function fingerprint(path: string): string {
  const { size, mtimeMs, ino } = statSync(path);
  return `${ino}:${size}:${mtimeMs}`;
}
