import { isUtf8 } from "node:buffer";

/** One line of a text, without its line break. */
export interface Line {
  /** 1-based. */
  readonly number: number;
  readonly text: string;
  /** False if the bytes are not UTF-8. */
  readonly valid: boolean;
}

/**
 * The lines of a stream. Lines end at `\n` only (a `\r` before it is dropped): other separators, such as
 * U+2028, may stand inside JSON strings. A byte order mark is dropped.
 */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let number = 0;
  let parts: Buffer[] = [];
  const take = (last: Buffer): Line => {
    const bytes = parts.length === 0 ? last : Buffer.concat([...parts, last]);
    parts = [];
    number++;
    return toLine(bytes, number);
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      yield take(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  }
  if (parts.length > 0) yield take(Buffer.alloc(0));
}

function toLine(bytes: Buffer, number: number): Line {
  let text = bytes.toString("utf8");
  if (text.endsWith("\r")) text = text.slice(0, -1);
  if (number === 1 && text.startsWith("\uFEFF")) text = text.slice(1);
  // Only a replacement character makes the second look at the bytes worth its time.
  return { number, text, valid: !text.includes("\uFFFD") || isUtf8(bytes) };
}
