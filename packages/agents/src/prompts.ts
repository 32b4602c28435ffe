import { readFile } from "node:fs/promises";
import type { Role } from "@turnwise/core";

/** The prompts of the built-in roles. This file stands as deep as what it is built into: the path is the same. */
const folder = new URL("../prompts/", import.meta.url);

/** The built-in prompt of a role. */
export function builtInPrompt(role: Role): Promise<string> {
  return readFile(new URL(`${role}.md`, folder), "utf8");
}
