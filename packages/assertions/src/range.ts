import type { PrepareContext } from "@turnwise/core";

/** Limits, both inclusive. */
export interface Range {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** Reports a range without limits, or whose limits exclude everything. */
export function checkRange({ min, max }: Range, problem: PrepareContext["problem"]): void {
  if (min === undefined && max === undefined)
    problem({ code: "missing_field", message: 'expected "min", "max" or both' });
  else if (min !== undefined && max !== undefined && min > max)
    problem({
      code: "conflict",
      path: ["min"],
      message: `no number is at least ${min} and at most ${max}`,
      hint: "Swap them, or leave one out.",
    });
}

/** Whether a number is in the range. */
export function isIn(value: number, { min, max }: Range): boolean {
  return (min === undefined || value >= min) && (max === undefined || value <= max);
}

/** `at least 1 and at most 3`, with a unit after each number. */
export function formatRange(
  { min, max }: Range,
  format: (value: number) => string = String,
): string {
  const limits = [
    ...(min === undefined ? [] : [`at least ${format(min)}`]),
    ...(max === undefined ? [] : [`at most ${format(max)}`]),
  ];
  return limits.join(" and ");
}
