import type { Sentence } from "./segment.js";

/** Buckets into which features are hashed. */
export const buckets = 16_384;

/** How many sentences from the end the model sees. */
const seen = 4;

const spaced = /[\p{L}\p{M}\p{N}]+|[?？!。.,:、،؟]/gu;
const unspaced = /[\u3040-\u30FF\u3400-\u9FFF\uF900-\uFAFF]/;

/**
 * The features of the end of a reply, as bucket numbers: words, pairs of words and how sentences begin; for scripts
 * without blanks, pairs and triples of characters. Each is told apart by whether it stands in the last sentence.
 */
export function featuresOf(sentences: readonly Sentence[]): Set<number> {
  const found = new Set<number>();
  const tail = sentences.slice(-seen);
  for (const [index, { text, asks, listed }] of tail.entries()) {
    const place = index === tail.length - 1 ? "a" : "b";
    const add = (feature: string): void => {
      found.add(hash(place + feature) % buckets);
    };
    if (asks) add("?");
    if (listed) add("-");
    const lower = text.slice(0, 300).toLowerCase().replaceAll(/\d/g, "0");
    if (unspaced.test(lower)) {
      const characters = Array.from(lower);
      for (const [at, character] of characters.entries()) {
        add(`c${character}${characters[at + 1] ?? "$"}`);
        add(`c${character}${characters[at + 1] ?? "$"}${characters[at + 2] ?? "$"}`);
      }
      continue;
    }
    const words = lower.match(spaced) ?? [];
    add(`^${words[0] ?? ""} ${words[1] ?? ""}`);
    for (const [at, word] of words.entries()) {
      add(`w${word}`);
      add(`p${word} ${words[at + 1] ?? "$"}`);
    }
  }
  return found;
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x81_1c_9d_c5;
  for (let at = 0; at < text.length; at++)
    value = Math.imul(value ^ text.charCodeAt(at), 0x01_00_01_93);
  return value >>> 0;
}
