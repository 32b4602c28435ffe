/** Reads a whole number that is not too small. */
export function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || !Number.isSafeInteger(number) || number < least)
      throw new RangeError(`expected a whole number of at least ${least}`);
    return number;
  };
}
