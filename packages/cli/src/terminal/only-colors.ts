import { plainText } from "@turnwise/core";

// oxlint-disable-next-line no-control-regex -- control characters are the point
const color = /(\u001B\[[\d;]*m)/;

/** Text that goes on the screen: with its colours, without anything that moves the cursor, clears, or turns the text around. */
export function onlyColors(text: string): string {
  if (!/[^\n\u0020-\u007E]/.test(text)) return text;
  return text
    .split(color)
    .map((part, index) => (index % 2 === 1 ? part : plainText(part)))
    .join("");
}
