/** A length of time: `"30s"`, `"5m"`, `"1h"`, `"1m30s"`, `"250ms"`, or a number of milliseconds. */
export type Duration = string | number;

const units: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** A day. A longer deadline is a mistake, and `setTimeout` cannot hold 25 days. */
const longestDuration = 86_400_000;

/**
 * Reads a duration into milliseconds.
 * @throws RangeError if it is not a duration, is not positive, or is longer than a day.
 */
export function parseDuration(value: unknown): number {
  const milliseconds = read(value);
  if (milliseconds === undefined)
    throw new RangeError(
      `expected a duration such as "30s", "5m", "1h" or a number of milliseconds, got ${JSON.stringify(value) ?? typeof value}`,
    );
  if (milliseconds <= 0) throw new RangeError("expected a duration longer than zero");
  if (milliseconds > longestDuration)
    throw new RangeError("expected a duration of at most 24 hours");
  return milliseconds;
}

function read(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g))
    total += Number(amount) * units[unit!]!;
  return total;
}

/** Milliseconds as people write them: `250ms`, `30s`, `2.1s`, `5m`, `1m30s`, `2h`. Exact: `parseDuration` reads it back. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${milliseconds}ms`;
  if (milliseconds < 60_000) return `${milliseconds / 1_000}s`;
  const hours = Math.floor(milliseconds / 3_600_000);
  const minutes = Math.floor((milliseconds % 3_600_000) / 60_000);
  const rest = milliseconds % 60_000;
  const parts = [
    hours > 0 ? `${hours}h` : "",
    minutes > 0 ? `${minutes}m` : "",
    rest > 0 ? (rest % 1 === 0 ? formatDurationBelowMinute(rest) : `${rest}ms`) : "",
  ];
  return parts.join("");
}

function formatDurationBelowMinute(milliseconds: number): string {
  return milliseconds < 1_000 ? `${milliseconds}ms` : `${milliseconds / 1_000}s`;
}
