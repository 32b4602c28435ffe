/** The candidate nearest to `text`, or undefined when none is near enough to be a slip of the fingers. */
export function nearest(text: string, candidates: Iterable<string>): string | undefined {
  const wanted = text.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Words that other tools and languages have for ours. */
const synonyms: Readonly<Record<string, string>> = {
  user: "input",
  content: "input",
  prompt: "input",
  text: "input",
  say: "input",
  expect: "assertions",
  checks: "assertions",
  steps: "turns",
  messages: "turns",
  conversation: "turns",
  runs: "repeat",
  trials: "repeat",
  retry: "retries",
  attempts: "retries",
  not: "negate",
  tools: "value",
  depends_on: "after",
  optional: "required",
  case_insensitive: "ignore_case",
};

/** `; did you mean "x"?`, or nothing. */
export function didYouMean(text: string, candidates: Iterable<string>): string {
  const known = [...candidates];
  const synonym = Object.hasOwn(synonyms, text) ? synonyms[text] : undefined;
  const found = synonym !== undefined && known.includes(synonym) ? synonym : nearest(text, known);
  return found === undefined ? "" : `; did you mean "${found}"?`;
}

/** Optimal string alignment distance (an adjacent swap counts as one), given up at `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(previous[j]! + 1, current[j - 1]! + 1, previous[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, beforePrevious[j - 2]! + 1);
      current[j] = cost;
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length]!;
}
