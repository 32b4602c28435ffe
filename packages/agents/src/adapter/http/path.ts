/** One step of a path: a name, an index, or everything there is. */
export type Step = string | number | typeof every;

/** The step `[*]`. */
export const every = Symbol("every");

const steps = /\.?([\p{L}_][\p{L}\p{N}_-]*)|\.(\*)|\[(\d+)\]|\[(\*)\]|\['([^']*)'\]/uy;

/**
 * The steps of a path into a reply: names, `['quoted names']`, `[indexes]` and `[*]`; `$` in front may be left out.
 * Undefined if it is none.
 */
export function parsePath(text: string): readonly Step[] | undefined {
  const found: Step[] = [];
  let position = text.startsWith("$") ? 1 : 0;
  while (position < text.length) {
    steps.lastIndex = position;
    const match = steps.exec(text);
    // Names stand behind a dot, but for the first one.
    if (match === null || (match[1] !== undefined && (position === 0) === match[0].startsWith(".")))
      return undefined;
    const [, name, star, index, starred, quoted] = match;
    if (star !== undefined || starred !== undefined) found.push(every);
    else found.push(index === undefined ? (name ?? quoted ?? "") : Number(index));
    position = steps.lastIndex;
  }
  return text === "" ? undefined : found;
}
