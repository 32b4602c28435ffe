import { createReadStream } from "node:fs";
import { dirname } from "node:path";
import type { Source, SourceItem } from "./source.js";
import { longestLine, megabytes, nulProblem, readLines } from "./lines.js";
import { findDuplicateKey } from "./duplicate-key.js";
import { describeJsonError, duplicateKeyProblem } from "./located.js";
import { fingerprint } from "./text-file.js";

/** Cases of a JSONL file, one object a line. Blank lines and lines that begin with `//` are skipped. */
export function jsonlSource(path: string, name: string): Source {
  return {
    ...linesSource(name, () => createReadStream(path), dirname(path)),
    fingerprint: () => fingerprint(path),
  };
}

/** Cases that come through a pipe as JSONL. They are held in memory: a pipe can be read once. */
export function pipeSource(chunks: AsyncIterable<Buffer>): Source {
  const held: Buffer[] = [];
  let read = false;
  return linesSource("standard input", async function* () {
    if (!read) for await (const chunk of chunks) held.push(Buffer.from(chunk));
    read = true;
    yield* held;
  });
}

function linesSource(name: string, open: () => AsyncIterable<Buffer>, folder?: string): Source {
  return {
    kind: "file",
    name,
    async *read(): AsyncGenerator<SourceItem> {
      for await (const { number, text, valid, tooLong } of readLines(open())) {
        const place = { file: name, line: number };
        const origin = { ...place, parsed: true, ...(folder === undefined ? {} : { folder }) };
        if (tooLong) {
          yield {
            problem: {
              code: "too_large",
              severity: "error",
              message: `this line is longer than the ${megabytes(longestLine)} that are taken`,
              hint: "Each line is one case. Large attachments are files of their own: file://...",
              ...place,
            },
          };
          continue;
        }
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
          if (text.includes("\0")) {
            yield { problem: { severity: "error", ...nulProblem, ...place } };
            if (number === 1) return;
            continue;
          }
          yield {
            problem: {
              code: "invalid_json",
              severity: "error",
              message: describeJsonError(text, error),
              hint: isOpening(text)
                ? "Each line of a .jsonl file is one whole case; a file with one array or object is .json."
                : "Each line of a .jsonl file is one whole JSON object.",
              ...place,
            },
          };
          // One object over many lines would give a problem for each of them.
          if (isOpening(text)) return;
          continue;
        }
        const duplicate = findDuplicateKey(text, raw);
        const escapes = text.includes("\\u");
        if (duplicate === undefined)
          yield { raw, origin: escapes ? { ...origin, escapes } : origin };
        else yield { problem: { severity: "error", ...duplicateKeyProblem(duplicate), ...place } };
      }
    },
  };
}

function isOpening(text: string): boolean {
  return /^\s*[[{]\s*$/.test(text);
}
