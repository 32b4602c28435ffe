import type { Comparison, Condition, Operand, Path, Segment, Selector, Step } from "./path.js";

/** A path that the dialect does not have, and why. */
export class PathError extends Error {}

/** RFC 9535, and hyphens. */
const name =
  /[A-Za-z_$\u{80}-\u{D7FF}\u{E000}-\u{10FFFF}][\w$\-\u{80}-\u{D7FF}\u{E000}-\u{10FFFF}]*/uy;
const integer = /-?\d+/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const comparison = /==|!=|<=|>=|<|>/y;
const keyword = /(?:true|false|null)(?![\w$-])/y;
const blank = /\s*/y;

/** How deeply conditions may be nested. */
const deepest = 50;

/**
 * Reads a path of our dialect of JSONPath (RFC 9535 without functions, nested queries and queries of the root in
 * filters): `$.order.items[?@.price > 10].name`. The leading `$.` may be left out.
 * @throws PathError if it is malformed, or uses what the dialect does not have.
 */
export function parsePath(text: string): Path {
  return new PathParser(text).path();
}

class PathParser {
  private at = 0;
  private readonly source: string;

  constructor(private readonly text: string) {
    this.source = text.trim();
  }

  path(): Path {
    const { source } = this;
    if (source === "") throw new PathError("the path is empty");
    if (source[0] === "/")
      throw this.malformed("this is a JSON Pointer; in JSONPath names are separated by dots: a.b");
    if (source[0] === "@")
      throw this.malformed(
        '"@" stands for what a filter looks at; a path begins with "$" or a name',
      );
    const segments: Segment[] = [];
    if (source[0] === "$" && /^\$\s*([.[]|$)/.test(source)) this.at = 1;
    else if (source[0] !== "[") segments.push(this.shorthand(false));
    while (this.at < source.length) segments.push(this.segment());
    return segments;
  }

  private segment(): Segment {
    this.skipBlanks();
    if (this.take("..")) {
      if (this.peek("[")) return { descendants: true, selectors: this.brackets() };
      return this.shorthand(true);
    }
    if (this.take(".")) return this.shorthand(false);
    if (this.peek("[")) return { descendants: false, selectors: this.brackets() };
    if (this.peek("~") || this.peek("^"))
      throw this.refused(`"${this.source[this.at]}" is not part of JSONPath as RFC 9535 has it`);
    if (this.peek("(")) throw this.refused("functions are not part of this dialect");
    throw this.malformed(`unexpected ${JSON.stringify(this.source[this.at])}`);
  }

  /** A name or `*` after a dot. */
  private shorthand(descendants: boolean): Segment {
    if (this.take("*")) return { descendants, selectors: [{ kind: "wildcard" }] };
    const found = this.match(name);
    if (found !== undefined) return { descendants, selectors: [{ kind: "name", name: found }] };
    throw this.malformed(
      this.peek("[")
        ? 'expected a name; leave the "." out in front of "["'
        : /^\d/.test(this.source.slice(this.at))
          ? "expected a name; an index stands in brackets: [0]"
          : "expected a name",
    );
  }

  private brackets(): Selector[] {
    const open = this.at;
    this.take("[");
    const selectors: Selector[] = [];
    do {
      this.skipBlanks();
      selectors.push(this.selector(open));
      this.skipBlanks();
    } while (this.take(","));
    if (!this.take("]")) throw this.unclosed(open, '"[" is not closed');
    return selectors;
  }

  private selector(open: number): Selector {
    const quoted = this.quoted();
    if (quoted !== undefined) return { kind: "name", name: quoted };
    if (this.take("*")) return { kind: "wildcard" };
    if (this.take("?")) return { kind: "filter", condition: this.either(0) };
    if (this.peek("("))
      throw this.refused("scripts in brackets are not run; write the index, or a filter [?...]");
    const start = this.whole();
    if (!this.peek(":") && start !== undefined) return { kind: "index", index: start };
    if (this.take(":")) return this.slice(start);
    if (this.at >= this.source.length) throw this.unclosed(open, '"[" is not closed');
    throw this.malformed("expected an index, a quoted name, a slice, * or a filter in brackets");
  }

  private slice(start: number | undefined): Selector {
    this.skipBlanks();
    const end = this.whole();
    this.skipBlanks();
    let step: number | undefined;
    if (this.take(":")) {
      this.skipBlanks();
      step = this.whole();
    }
    if (step !== undefined && step < 1)
      throw this.refused("the step of a slice must be at least 1: lists are read forwards");
    return {
      kind: "slice",
      ...(start === undefined ? {} : { start }),
      ...(end === undefined ? {} : { end }),
      ...(step === undefined ? {} : { step }),
    };
  }

  private whole(): number | undefined {
    const from = this.at;
    const found = this.match(integer);
    if (found === undefined) return undefined;
    const value = Number(found);
    if (!/^(0|-?[1-9]\d*)$/.test(found) || !Number.isSafeInteger(value)) {
      this.at = from;
      throw this.malformed(`${found} is no index (no leading zeros, no -0)`);
    }
    this.skipBlanks();
    return value;
  }

  private either(depth: number): Condition {
    return this.joined("||", "or", () => this.joined("&&", "and", () => this.basic(depth)));
  }

  private joined(operator: string, kind: "or" | "and", next: () => Condition): Condition {
    const conditions = [next()];
    for (this.skipBlanks(); this.take(operator); this.skipBlanks()) conditions.push(next());
    return conditions.length === 1 ? conditions[0]! : { kind, conditions };
  }

  private basic(depth: number): Condition {
    if (depth > deepest) throw this.refused(`conditions nested deeper than ${deepest} levels`);
    this.skipBlanks();
    const from = this.at;
    if (this.take("!")) {
      this.skipBlanks();
      if (this.peek("(") || this.peek("@") || this.peek("!"))
        return { kind: "not", condition: this.basic(depth + 1) };
      throw this.malformed('"!" stands in front of a path or of parentheses');
    }
    if (this.take("(")) {
      const inner = this.either(depth + 1);
      this.skipBlanks();
      if (!this.take(")")) throw this.unclosed(from, '"(" is not closed');
      return inner;
    }
    const left = this.operand();
    this.skipBlanks();
    if (this.peek("===") || this.peek("!=="))
      throw this.refused('"===" is not part of JSONPath; "==" does not convert types');
    if (this.peek("=~"))
      throw this.refused(
        'patterns in filters are not part of this dialect; use "matches" beside the path',
      );
    if (this.peek("=") && !this.peek("==")) throw this.malformed('expected "=="');
    const operator = this.match(comparison) as Comparison | undefined;
    if (operator === undefined) {
      if ("path" in left) return { kind: "exists", path: left.path };
      this.at = from;
      throw this.malformed("a value alone is no condition; compare it with something");
    }
    this.skipBlanks();
    return { kind: "compare", left, operator, right: this.operand() };
  }

  private operand(): Operand {
    if (this.take("@")) return { path: this.steps() };
    if (this.peek("$"))
      throw this.refused('filters see what they look at ("@"), not the whole document ("$")');
    const quoted = this.quoted();
    if (quoted !== undefined) return { value: quoted };
    const word = this.match(keyword);
    if (word !== undefined) return { value: JSON.parse(word) as boolean | null };
    const figure = this.match(number);
    if (figure !== undefined) return { value: Number(figure) };
    if (this.match(name) !== undefined) {
      if (this.peek("(")) throw this.refused("functions are not part of this dialect");
      throw this.malformed('texts are quoted, and paths in a filter begin with "@"');
    }
    throw this.malformed("expected a path that begins with @, or a value");
  }

  /** The path after `@`. It names one place. */
  private steps(): Step[] {
    const steps: Step[] = [];
    for (;;) {
      const before = this.at;
      this.skipBlanks();
      if (!this.peek(".") && !this.peek("[")) {
        this.at = before;
        return steps;
      }
      const { descendants, selectors } = this.segment();
      const [selector] = selectors;
      if (descendants || selectors.length !== 1 || selector === undefined) throw this.notOne();
      if (selector.kind === "name") steps.push(selector.name);
      else if (selector.kind === "index") steps.push(selector.index);
      else throw this.notOne();
    }
  }

  private quoted(): string | undefined {
    const quote = this.source[this.at];
    if (quote !== '"' && quote !== "'") return undefined;
    const open = this.at++;
    let value = "";
    for (;;) {
      const character = this.source[this.at++];
      if (character === undefined) throw this.unclosed(open, "a quote is not closed");
      if (character === quote) return value;
      if (character < " ") throw this.malformed("control characters in quotes are escaped");
      value += character === "\\" ? this.escaped(quote) : character;
    }
  }

  private escaped(quote: string): string {
    const character = this.source[this.at++] ?? "";
    if (character === quote || character === "\\" || character === "/") return character;
    const control = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }[character];
    if (control !== undefined) return control;
    const code = /^[0-9A-Fa-f]{4}/.exec(this.source.slice(this.at))?.[0];
    if (character !== "u" || code === undefined) {
      this.at--;
      throw this.malformed(`there is no escape \\${character}`);
    }
    this.at += 4;
    return String.fromCharCode(Number.parseInt(code, 16));
  }

  private peek(text: string): boolean {
    return this.source.startsWith(text, this.at);
  }

  private take(text: string): boolean {
    if (!this.peek(text)) return false;
    this.at += text.length;
    return true;
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  private skipBlanks(): void {
    this.match(blank);
  }

  private notOne(): PathError {
    return this.refused("a path in a filter names one place: names and indexes only");
  }

  private unclosed(open: number, what: string): PathError {
    this.at = open;
    return this.malformed(what);
  }

  private malformed(what: string): PathError {
    return new PathError(
      `malformed path ${JSON.stringify(this.text)}: ${what} (at position ${this.at + 1})`,
    );
  }

  private refused(why: string): PathError {
    return new PathError(
      `the path ${JSON.stringify(this.text)} cannot be used: ${why} (at position ${this.at + 1})`,
    );
  }
}
