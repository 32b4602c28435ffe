import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readRetryAfter } from "./retry-after.js";

const now = (): number => Date.UTC(2026, 0, 2, 3, 4, 5);

test.each<[string | null | undefined, number | undefined]>([
  ["0", 0],
  ["3600", 3_600_000],
  [" 2 ", 2_000],
  ["0.5", 500],
  ["Fri, 02 Jan 2026 03:04:15 GMT", 10_000],
  ["Fri, 02 Jan 2026 03:04:00 GMT", 0],
  ["", undefined],
  ["  ", undefined],
  ["soon", undefined],
  ["5 s", undefined],
  [null, undefined],
  [undefined, undefined],
])("%j", (header, milliseconds) => {
  expect(readRetryAfter(header, now)).toBe(milliseconds);
});

// BUG (small): Date.parse takes "-5" for a date of the year 2001, and "1,5" for one in January: both as "at once".
test.each(["-5", "1,5"])("%j is not a date", (header) => {
  expect(readRetryAfter(header, now)).toBe(undefined);
});

test("whatever a server writes, it is no time before now and no NaN", () => {
  fc.assert(
    fc.property(fc.string(), (header) => {
      const after = readRetryAfter(header, now);
      expect(after === undefined || after >= 0).toBe(true);
    }),
  );
});

test("any date in the future is the time until then", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10_000_000 }), (seconds) => {
      const date = new Date(now() + seconds * 1_000).toUTCString();
      expect(readRetryAfter(date, now)).toBe(seconds * 1_000);
    }),
  );
});
