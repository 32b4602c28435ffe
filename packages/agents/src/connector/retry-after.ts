/**
 * Milliseconds that a `Retry-After` header asks to wait: seconds or a date (RFC 9110, section 10.2.3). Undefined if there
 * is none, or none that can be read.
 */
export function readRetryAfter(
  header: string | null | undefined,
  now: () => number = Date.now,
): number | undefined {
  if (header === null || header === undefined || header.trim() === "") return undefined;
  const text = header.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  // Whatever has no month in it is no date, though it can be read as one.
  const date = /[a-z]{3}/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now());
}
