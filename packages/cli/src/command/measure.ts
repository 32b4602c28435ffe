/** How well verdicts agree with labels. Waiting is what is looked for. */
export interface Figures {
  readonly turns: number;
  /** Labelled as waiting. */
  readonly awaiting: number;
  readonly accuracy: number;
  /** Of those called waiting, how many are. Null if none is called so. */
  readonly precision: number | null;
  /** Of those that wait, how many are called so. Null if none waits. */
  readonly recall: number | null;
  readonly f1: number | null;
  /** Where the accuracy lies with 95 % confidence (Wilson's score interval). */
  readonly interval: readonly [number, number];
}

/** Compares verdicts with labels. */
export function measure(
  rows: readonly { readonly wanted: boolean; readonly got: boolean }[],
): Figures {
  const count = (wanted: boolean, got: boolean): number =>
    rows.filter((row) => row.wanted === wanted && row.got === got).length;
  const [hits, misses, alarms] = [count(true, true), count(true, false), count(false, true)];
  const right = rows.length - misses - alarms;
  const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);
  return {
    turns: rows.length,
    awaiting: hits + misses,
    accuracy: right / rows.length,
    precision: share(hits, hits + alarms),
    recall: share(hits, hits + misses),
    f1: share(2 * hits, 2 * hits + misses + alarms),
    interval: wilson(right, rows.length),
  };
}

/** E. B. Wilson, Probable inference, the law of succession, and statistical inference (1927). */
function wilson(right: number, all: number): [number, number] {
  const z = 1.959964;
  const share = right / all;
  const middle = share + (z * z) / (2 * all);
  const margin = z * Math.sqrt((share * (1 - share)) / all + (z * z) / (4 * all * all));
  const whole = 1 + (z * z) / all;
  return [Math.max(0, (middle - margin) / whole), Math.min(1, (middle + margin) / whole)];
}
