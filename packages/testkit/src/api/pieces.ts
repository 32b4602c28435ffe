/** Cuts a text into pieces of `size` UTF-16 units. A surrogate pair stays whole, so a piece may be longer by one. */
export function* pieces(text: string, size: number): Generator<string> {
  for (let start = 0; start < text.length;) {
    const end = start + size;
    const cutsPair = isHigh(text.charCodeAt(end - 1)) && isLow(text.charCodeAt(end));
    const next = cutsPair ? end + 1 : end;
    yield text.slice(start, next);
    start = next;
  }
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
