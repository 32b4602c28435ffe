import { plainText } from "@turnwise/core";

/** Takes secrets out of a text. */
export type Mask = (text: string) => string;

/** The beginning of a text on one line, for messages. Secrets go first: half of one would not be recognised any more. */
export function excerpt(text: string, length: number, mask: Mask): string {
  // What is far behind cannot be shown, and masking costs.
  const near = mask(text.slice(0, length * 50));
  return plainText(near).replaceAll(/\s+/g, " ").trim().slice(0, length);
}
