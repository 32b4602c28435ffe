import { isUtf8 } from "node:buffer";

/** One line of a text, without its line break. */
export interface Line {
  /** 1-based. */
  readonly number: number;
  readonly text: string;
  /** False if the bytes are not UTF-8. */
  readonly valid: boolean;
  /** True if the line was so long that it was not kept. */
  readonly tooLong: boolean;
}

/** Longest line in bytes. A longer one is a file without line breaks, or holds what belongs elsewhere. */
export const longestLine = 32_000_000;

/** `32 MB`. */
export function megabytes(bytes: number): string {
  return `${bytes / 1_000_000} MB`;
}

/** What to say about text that a file in UTF-16 gives. */
export const nulProblem = {
  code: "invalid_encoding",
  message: "there are NUL bytes in it, as in a file that is saved as UTF-16",
  hint: "Save the file as UTF-8.",
} as const;

/**
 * The lines of a stream. Lines end at `\n` only (a `\r` before it is dropped): other separators, such as
 * U+2028, may stand inside JSON strings. A byte order mark is dropped.
 */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let number = 0;
  let parts: Buffer[] = [];
  let size = 0;
  const keep = (part: Buffer): void => {
    size += part.length;
    if (size > longestLine) parts = [];
    else parts.push(part);
  };
  const take = (): Line => {
    number++;
    const tooLong = size > longestLine;
    const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    parts = [];
    size = 0;
    return tooLong ? { number, text: "", valid: true, tooLong } : toLine(bytes, number);
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      keep(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    if (start < chunk.length) keep(chunk.subarray(start));
  }
  if (size > 0) yield take();
}

function toLine(bytes: Buffer, number: number): Line {
  let text = bytes.toString("utf8");
  if (text.endsWith("\r")) text = text.slice(0, -1);
  if (number === 1 && text.startsWith("\uFEFF")) text = text.slice(1);
  // Only a replacement character makes the second look at the bytes worth its time.
  return { number, text, valid: !text.includes("\uFFFD") || isUtf8(bytes), tooLong: false };
}
