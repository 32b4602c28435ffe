/** What is wrong with the first of several things that does not do; undefined if all do. */
export function firstFailure<T>(
  items: Iterable<T>,
  check: (item: T) => string | undefined,
): string | undefined {
  for (const item of items) {
    const failure = check(item);
    if (failure !== undefined) return failure;
  }
  return undefined;
}
