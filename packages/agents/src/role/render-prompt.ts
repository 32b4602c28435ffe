import type { Role } from "@turnwise/core";
import { isObject } from "@turnwise/core";

/** What a role has to answer. It stands behind every prompt, also behind one of the project, which may not say it. */
const formats: Readonly<Record<Role, string>> = {
  simulator:
    'Answer with one JSON object alone: {"reasoning": "why you say this, briefly", "input": "your message", "goal_achieved": false}. To reply to an open request, write "answer" instead of "input": {"approve": true} or {"approve": false, "reason": "..."} for approvals and confirmations, {"choice": "..."} for choices, {"payload": ...} for anything else.',
  validator:
    'Answer with one JSON object alone, the reason first: {"reason": "...", "passed": true or false, "score": 0 to 1, "suggestions": ["..."]}, or {"applicable": false, "reason": "..."}.',
  generator: 'Answer with one JSON object alone: {"cases": [...]}.',
};

/** Metadata that a prompt has places for. What else there is comes as one JSON object. */
const known: Readonly<Record<Role, readonly string[]>> = {
  simulator: [
    "persona",
    "goal",
    "language",
    "knowledge",
    "turn_number",
    "turn_count",
    "max_turns",
    "tool_results",
    "last_response",
    "awaiting",
    "pending",
    "session_id",
  ],
  validator: ["criteria"],
  generator: [
    "target_agent",
    "target_description",
    "target_tools",
    "count",
    "focus",
    "complexity",
    "case_schema",
  ],
};

/**
 * Fields that entries of a list may lack. Mustache would look for them in the metadata around the list, and take those of
 * the same name.
 */
const optional: Readonly<Record<string, object>> = {
  pending: { options: undefined, schema: undefined, toolName: undefined },
  target_tools: { description: undefined, parameters: undefined },
};

/**
 * A prompt with the metadata put into its places: Mustache, without escaping, with JSON for what is no text. What the
 * metadata holds is never a template.
 */
export async function renderPrompt(
  role: Role,
  template: string,
  metadata: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { default: mustache } = await import("mustache");
  const entries = Object.entries(metadata).filter(([, value]) => !isEmpty(value));
  const others = entries.filter(
    ([key]) => !known[role].includes(key) && key !== "test_mode" && key !== "test_id",
  );
  const view = {
    ...Object.fromEntries(entries.map(([key, value]) => [key, completed(key, value)])),
    ...(others.length === 0 ? {} : { others: Object.fromEntries(others) }),
  };
  const text = mustache.render(template, view, {}, { escape: asText });
  return `${text.trim().replaceAll(/\n{3,}/g, "\n\n")}\n\n${formats[role]}`;
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function completed(key: string, value: unknown): unknown {
  const missing = Object.hasOwn(optional, key) ? optional[key] : undefined;
  if (missing === undefined || !Array.isArray(value)) return value;
  return value.map((item: unknown) => (isObject(item) ? { ...missing, ...item } : item));
}

/** A section about nothing is left out. */
function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}
