import * as fc from "fast-check";
import { expect, test } from "vitest";
import { formatDuration, parseDuration } from "./index.js";

test.each([
  ["30s", 30_000],
  ["5m", 300_000],
  ["1h", 3_600_000],
  ["1m30s", 90_000],
  ["250ms", 250],
  ["1.5s", 1_500],
  [" 2s ", 2_000],
  ["1500", 1_500],
  [1_500, 1_500],
  ["24h", 86_400_000],
])("%j is %d ms", (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds);
});

test.each([
  ["soon", "expected a duration"],
  ["", "expected a duration"],
  ["-5s", "expected a duration"],
  ["5 s", "expected a duration"],
  ["5d", "expected a duration"],
  ["1e3", "expected a duration"],
  [Number.NaN, "expected a duration"],
  [null, "expected a duration"],
  [true, "expected a duration"],
  [["5s"], "expected a duration"],
  [0, "longer than zero"],
  ["0s", "longer than zero"],
  [-1, "longer than zero"],
  ["25h", "at most 24 hours"],
  ["99999999999h", "at most 24 hours"],
])("%j is refused", (value, reason) => {
  expect(() => parseDuration(value)).toThrow(reason);
});

test("a formatted duration reads back as the same time", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 86_400_000 }), (milliseconds) => {
      expect(parseDuration(formatDuration(milliseconds))).toBe(milliseconds);
    }),
  );
});

test("durations are written the way people do", () => {
  expect([250, 2_100, 30_000, 60_000, 90_000, 300_000, 7_200_000].map(formatDuration)).toEqual([
    "250ms",
    "2.1s",
    "30s",
    "1m",
    "1m30s",
    "5m",
    "2h",
  ]);
});
