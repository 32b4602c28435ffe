import type { Document, LineCounter, Node } from "yaml";

/** A parsed YAML or JSON text that can tell on which line a path stands. */
export interface LocatedDocument {
  readonly value: unknown;
  readonly errors: readonly { readonly message: string; readonly line?: number }[];
  /** 1-based line of the value at the path, or of the nearest value around it. */
  lineOf(path: readonly (string | number)[]): number | undefined;
}

/** Parses YAML 1.2 (core schema), of which JSON is a subset for this purpose. */
export async function parseLocated(text: string): Promise<LocatedDocument> {
  const { LineCounter, parseDocument } = await import("yaml");
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: true });
  const errors = document.errors.map((error) => ({
    message: error.message,
    line: lineCounter.linePos(error.pos[0]).line,
  }));
  return {
    value: errors.length > 0 ? undefined : document.toJS({ maxAliasCount: 100 }),
    errors,
    lineOf: (path) => lineOf(document, lineCounter, path),
  };
}

function lineOf(
  document: Document,
  lineCounter: LineCounter,
  path: readonly (string | number)[],
): number | undefined {
  for (let length = path.length; length >= 0; length--) {
    const node = (
      length === 0 ? document.contents : document.getIn(path.slice(0, length), true)
    ) as Node | null | undefined;
    if (typeof node === "object" && node?.range) return lineCounter.linePos(node.range[0]).line;
  }
  return undefined;
}

/** The 1-based line at which a text stops being JSON, as far as it can be told. */
export async function lineOfJsonError(text: string, error: unknown): Promise<number | undefined> {
  const message = error instanceof Error ? error.message : "";
  const position = /position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return lineAt(text, Number(position));
  if (/end of JSON/.test(message)) return lineAt(text, text.trimEnd().length);
  const { isScalar, LineCounter, parseDocument, visit } = await import("yaml");
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  if (document.errors[0] !== undefined) return lineCounter.linePos(document.errors[0].pos[0]).line;
  let line: number | undefined;
  // Valid as YAML: the culprit is a scalar that JSON does not know, such as undefined or 'text'.
  visit(document, (_, node) => {
    if (!isScalar(node) || !node.range) return undefined;
    const plain = node.type === "PLAIN" && typeof node.value === "string";
    if (!plain && node.type !== "QUOTE_SINGLE") return undefined;
    line = lineCounter.linePos(node.range[0]).line;
    return visit.BREAK;
  });
  return line;
}

function lineAt(text: string, position: number): number {
  let line = 1;
  for (let index = text.indexOf("\n"); index !== -1 && index < position; line++)
    index = text.indexOf("\n", index + 1);
  return line;
}
