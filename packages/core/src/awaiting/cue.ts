/** Writing systems that cues are written in. Latin stands for all languages written so. */
type Script = "latin" | "han" | "cyrillic" | "other";

/** A pattern, and what must be there for it to have a chance: most sentences are ruled out by a look at their words. */
export interface Cue {
  readonly script: Script;
  /** Lower-case words, one of which occurs wherever the pattern matches. */
  readonly words?: readonly string[];
  /** Written for lower-case text. */
  readonly pattern: RegExp;
}

/** A sentence, prepared for cues. */
export interface Cued {
  readonly lower: string;
  readonly words: ReadonlySet<string>;
  readonly scripts: ReadonlySet<Script>;
}

const scripts: readonly (readonly [Script, RegExp])[] = [
  ["latin", /[a-zà-ɏ]/],
  ["han", /[\u3040-\u30FF\u3400-\u9FFF\uF900-\uFAFF]/],
  ["cyrillic", /[\u0400-\u04FF]/],
  ["other", /[\u0370-\u03FF\u0530-\u1FFF\uAC00-\uD7AF]/],
];

/** Prepares a sentence. */
export function cued(text: string): Cued {
  const lower = text
    .toLowerCase()
    .replaceAll("’", "'")
    .replaceAll(/\bu\b/g, "you")
    .replaceAll(/\bur\b/g, "your");
  return {
    lower,
    words: new Set(lower.match(/[\p{L}\p{M}\p{N}]+/gu)),
    scripts: new Set(scripts.flatMap(([script, letters]) => (letters.test(lower) ? [script] : []))),
  };
}

/** Whether any of the cues is there. */
export function has({ lower, words, scripts: written }: Cued, cues: readonly Cue[]): boolean {
  return cues.some(
    (cue) =>
      written.has(cue.script) &&
      (cue.words === undefined || cue.words.some((word) => words.has(word))) &&
      cue.pattern.test(lower),
  );
}
