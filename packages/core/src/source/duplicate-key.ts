type Path = readonly (string | number)[];

/** A key that an object of a JSON text has twice. */
export interface DuplicateKey {
  /** From the outside in, the key itself included. */
  readonly path: Path;
  /** Where the second one begins in the text. */
  readonly position: number;
}

/**
 * The first key that an object has twice: `JSON.parse` takes the last one and says nothing, so that half of a case
 * could be lost. `value` is what the text was parsed into.
 */
export function findDuplicateKey(text: string, value: unknown): DuplicateKey | undefined {
  // Counting is much cheaper than looking: as long as no key was lost, there is nothing to look for.
  return keysWritten(text) === keysKept(value) ? undefined : locate(text);
}

function keysKept(value: unknown): number {
  let count = 0;
  const open = [value];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    if (typeof item !== "object" || item === null) continue;
    const children = Array.isArray(item) ? (item as unknown[]) : Object.values(item);
    if (!Array.isArray(item)) count += children.length;
    for (const child of children) if (typeof child === "object" && child !== null) open.push(child);
  }
  return count;
}

function keysWritten(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at !== -1;) {
    const end = afterSpace(text, endOfString(text, at));
    if (text[end] === ":") count++;
    at = text.indexOf('"', end);
  }
  return count;
}

/** The position behind the string that begins at a quote. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === "\\") backslashes++;
    if (backslashes % 2 === 0) return end + 1;
  }
}

function afterSpace(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) <= 32) at++;
  return at;
}

/** Goes through the text with the keys of every object that is open. */
function locate(text: string): DuplicateKey | undefined {
  const open: { keys: Set<string> | undefined; step: string | number }[] = [];
  for (let at = 0; at < text.length;) {
    const here = open.at(-1);
    const character = text[at];
    if (character === "{") open.push({ keys: new Set(), step: "" });
    else if (character === "[") open.push({ keys: undefined, step: 0 });
    else if (character === "}" || character === "]") open.pop();
    else if (character === "," && typeof here?.step === "number") here.step++;
    if (character !== '"') {
      at++;
      continue;
    }
    const end = endOfString(text, at);
    if (here?.keys !== undefined && text[afterSpace(text, end)] === ":") {
      const key = JSON.parse(text.slice(at, end)) as string;
      here.step = key;
      if (here.keys.has(key)) return { path: open.map(({ step }) => step), position: at };
      here.keys.add(key);
    }
    at = end;
  }
  return undefined;
}
