import type { Sentence } from "./segment.js";
import { buckets, featuresOf } from "./features.js";
import { bias, scale, weights } from "./weights.js";

/** A logistic regression over buckets of features. */
interface Model {
  readonly weights: ArrayLike<number>;
  /** What one step of a weight is worth. */
  readonly scale: number;
  readonly bias: number;
}

let shipped: Model | undefined;

/**
 * How likely a small model takes a reply for one that waits, 0 to 1: a logistic regression over words and pairs of words
 * (see scripts/train-awaiting.mjs). It knows what it was trained on, and little of other languages and trades.
 */
export function probability(sentences: readonly Sentence[]): number {
  shipped ??= { weights: decode(), scale, bias };
  return predict(shipped, featuresOf(sentences));
}

/**
 * What a model says of these features, 0 to 1.
 * @public for the script that trains the model
 */
export function predict(model: Model, features: ReadonlySet<number>): number {
  let sum = model.bias;
  const norm = model.scale / Math.sqrt(features.size || 1);
  for (const feature of features) sum += model.weights[feature]! * norm;
  return 1 / (1 + Math.exp(-sum));
}

function decode(): Int8Array {
  const bytes = Buffer.from(weights, "base64");
  if (bytes.length !== buckets) throw new Error("the weights do not fit the features");
  return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}
