import { toolLeaf } from "@turnwise/core";
import type { ToolCall } from "@turnwise/core";

/** Whether a call is one of the tool: by its full name, or by the part after server and module prefixes. */
export function isCallOf({ name }: ToolCall, tool: string): boolean {
  return name === tool || toolLeaf(name) === tool;
}
