/** A text that is being written, and the place where the next character goes. */
export interface TextState {
  readonly text: string;
  /** Offset in `text`, between two characters as people see them. */
  readonly cursor: number;
}

/** What a key does to a text. */
export type Edit =
  | { readonly kind: "insert"; readonly text: string }
  | { readonly kind: "backspace" | "delete" | "left" | "right" | "up" | "down" }
  | { readonly kind: "line-start" | "line-end" | "delete-word" | "delete-to-start" | "clear" };

/** Longest text that can be written. */
const longest = 100_000;

const characters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The text with the cursor behind it. */
export function written(text: string): TextState {
  return { text, cursor: text.length };
}

/** Does what a key says. Up and down stay where they are on the first and the last line. */
export function edit(state: TextState, change: Edit): TextState {
  const { text, cursor } = state;
  const cut = (from: number, to: number): TextState => ({
    text: text.slice(0, from) + text.slice(to),
    cursor: from,
  });
  switch (change.kind) {
    case "insert": {
      const added = clean(change.text).slice(0, longest - text.length);
      return {
        text: text.slice(0, cursor) + added + text.slice(cursor),
        cursor: cursor + added.length,
      };
    }
    case "backspace":
      return cut(before(text, cursor), cursor);
    case "delete":
      return cut(cursor, after(text, cursor));
    case "left":
      return { text, cursor: before(text, cursor) };
    case "right":
      return { text, cursor: after(text, cursor) };
    case "up":
    case "down":
      return { text, cursor: onLine(state, change.kind === "up" ? -1 : 1) };
    case "line-start":
      return { text, cursor: lineStart(text, cursor) };
    case "line-end":
      return { text, cursor: lineEnd(text, cursor) };
    case "delete-word":
      return cut(text.slice(0, cursor).search(/\S*\s*$/), cursor);
    case "delete-to-start":
      return cut(lineStart(text, cursor), cursor);
    case "clear":
      return written("");
  }
}

/** Whether the cursor is on the first, or the last, line. */
export function isAtEdge({ text, cursor }: TextState, edge: "first" | "last"): boolean {
  return edge === "first" ? lineStart(text, cursor) === 0 : lineEnd(text, cursor) === text.length;
}

/** Pasted text may hold anything. Line breaks become one kind, other control characters go. */
function clean(text: string): string {
  return (
    text
      .replaceAll(/\r\n?/g, "\n")
      .replaceAll("\t", "  ")
      // oxlint-disable-next-line no-control-regex -- control characters are the point
      .replaceAll(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g, "")
  );
}

function before(text: string, cursor: number): number {
  // A character has at most so many code units that anybody types; a longer one is taken in pieces.
  const from = Math.max(0, cursor - 64);
  const all = [...characters.segment(text.slice(from, cursor))];
  return cursor - (all.at(-1)?.segment.length ?? 0);
}

function after(text: string, cursor: number): number {
  const [first] = characters.segment(text.slice(cursor, cursor + 64));
  return cursor + (first?.segment.length ?? 0);
}

function lineStart(text: string, cursor: number): number {
  // A search from before the beginning would look at the first character all the same.
  return cursor === 0 ? 0 : text.lastIndexOf("\n", cursor - 1) + 1;
}

function lineEnd(text: string, cursor: number): number {
  const end = text.indexOf("\n", cursor);
  return end === -1 ? text.length : end;
}

/** The same column on the line above or below. */
function onLine({ text, cursor }: TextState, by: -1 | 1): number {
  const start = lineStart(text, cursor);
  const column = [...characters.segment(text.slice(start, cursor))].length;
  const other = by === -1 ? lineStart(text, start - 1) : lineEnd(text, cursor) + 1;
  if ((by === -1 && start === 0) || other > text.length) return cursor;
  const line = text.slice(other, lineEnd(text, other));
  const segments = [...characters.segment(line)];
  return other + segments.slice(0, column).reduce((sum, { segment }) => sum + segment.length, 0);
}
