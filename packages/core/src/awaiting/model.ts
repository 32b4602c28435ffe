import type { Sentence } from "./segment.js";
import { buckets, featuresOf } from "./features.js";
import { bias, scale, weights } from "./weights.js";

let decoded: Int8Array | undefined;

/**
 * How likely a small model takes a reply for one that waits, 0 to 1: a logistic regression over words and pairs of words
 * (see scripts/train-awaiting.mjs). It knows what it was trained on, and little of other languages and trades.
 */
export function probability(sentences: readonly Sentence[]): number {
  decoded ??= decode();
  const features = featuresOf(sentences);
  let sum = bias;
  const norm = scale / Math.sqrt(features.size || 1);
  for (const feature of features) sum += decoded[feature]! * norm;
  return 1 / (1 + Math.exp(-sum));
}

function decode(): Int8Array {
  const bytes = Buffer.from(weights, "base64");
  if (bytes.length !== buckets) throw new Error("the weights do not fit the features");
  return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}
