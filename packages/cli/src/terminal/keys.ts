import { overlay } from "./overlay.js";

const pasteBegins = "\u001B[200~";
const pasteEnds = "\u001B[201~";

// oxlint-disable no-control-regex -- control characters are the point
/** Keys of the keyboard that are told by a sequence, as Ink knows them. */
const known = /^\u001B(?:\[(?:1;\d+)?[A-DFH]|\[[1-8](?:;\d+)?~|\[Z|O[A-DFH])$/;
/** Sequences of control, whole ones. */
const sequence = /\u001B(?:\[[0-?]*[ -/]*[@-~]|O[@-~])/g;
const controls =
  /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?)?|[\u0000-\u0008\u000B-\u001F\u007F]/g;
/** Enter, Backspace, Ctrl with a letter, each with Alt in front or not. */
const control = /(\u001B?[\u0000-\u001A\u001C-\u001F\u007F])/;
/** A mark, or a sequence, of which the end has not come. */
const unfinished = /\u001B\[[\d;]*$/;
// oxlint-enable no-control-regex

/**
 * Standard input as Ink can take it. Ink breaks over sequences that are no key, and takes a line break in what is pasted
 * for Enter: the first are left out, the second is told from it by how it ends.
 */
export function keysOf(stdin: NodeJS.ReadStream): NodeJS.ReadStream {
  const filter = new KeyFilter();
  const pieces: string[] = [];
  const read = (): string | null => {
    while (pieces.length === 0) {
      const chunk = stdin.read() as string | Buffer | null;
      if (chunk === null) return null;
      pieces.push(...filter.take(chunk.toString()));
    }
    return pieces.shift()!;
  };
  return overlay(stdin, { read });
}

/** Leaves in what is typed only what is a key, and in what is pasted only what is text. */
export class KeyFilter {
  private pasting = false;
  /** The beginning of a mark or a sequence, whose end is yet to come. */
  private rest = "";

  /** The keys and texts of what has come, one by one: Ink takes for one text what comes in one piece. */
  take(chunk: string): string[] {
    let text = this.rest + chunk;
    this.rest = "";
    const out: string[] = [];
    for (;;) {
      const mark = this.pasting ? pasteEnds : pasteBegins;
      const at = text.indexOf(mark);
      if (at === -1) break;
      out.push(...this.part(text.slice(0, at)));
      this.pasting = !this.pasting;
      text = text.slice(at + mark.length);
    }
    const open = unfinished.exec(text)?.[0] ?? "";
    const whole = text.slice(0, text.length - open.length);
    // A mark in two pieces. The key Escape alone is none.
    this.rest = open;
    return [...out, ...this.part(whole)];
  }

  private part(text: string): string[] {
    const parts = this.pasting
      ? [text.replaceAll(/\r\n?/g, "\n").replaceAll(controls, "")]
      : text.replaceAll(sequence, (one) => (known.test(one) ? one : "")).split(control);
    return parts.filter((part) => part !== "");
  }
}
