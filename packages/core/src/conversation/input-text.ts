import type { UserInput } from "../contract/agent.js";

/** The text of an input, its parts on lines of their own. Empty if there is none. */
export function inputText(input: UserInput | undefined): string {
  if (input === undefined || typeof input === "string") return input ?? "";
  return input.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
