import type { z } from "zod";
import type { Usage } from "../contract/agent.js";
import { normaliseReply } from "../conversation/normalise-reply.js";
import { describeIssue } from "../case/schema-problems.js";
import { findDuplicateKey } from "../source/duplicate-key.js";
import { errorMessage } from "../errors.js";
import type { JsonValue } from "../json.js";
import { deepEqual, isObject, jsonCopy } from "../json.js";
import { readJsonValues } from "./read-json.js";

/** What came back from an agent in a role. */
export interface RoleReply {
  /** What it wrote, to show it to the agent again. */
  readonly text: string;
  /** Structured, if it is not text. */
  readonly data?: JsonValue;
  readonly usage?: Usage;
  /** The model was stopped before it had ended. */
  readonly cut?: boolean;
}

/**
 * What an agent in a role replied: text or a reply as of any agent, or the answer itself as an object or list.
 * @throws AgentError if it is nothing of that.
 */
export function roleReply(reply: unknown): RoleReply {
  // Whatever it is, it is no answer: which is said in words of the role, and not of agents.
  if (typeof reply !== "string" && (typeof reply !== "object" || reply === null))
    return { text: String(reply) };
  const bare =
    Array.isArray(reply) ||
    (isObject(reply) && !Object.hasOwn(reply, "content") && !Object.hasOwn(reply, "data"));
  if (bare) {
    const data = jsonCopy(reply) ?? null;
    return { text: JSON.stringify(data), data };
  }
  const { content, data, usage, finishReason } = normaliseReply(reply);
  return {
    ...(finishReason === "length" || finishReason === "content_filter" ? { cut: true } : {}),
    text: content === "" && data !== undefined ? JSON.stringify(data) : content,
    ...(data === undefined ? {} : { data }),
    ...(usage === undefined ? {} : { usage }),
  };
}

/** How answers are recognised. */
export interface AnswerRules<T> {
  readonly schema: z.ZodType<T>;
  /** Texts that were given to the agent. An object that stands in one of them is a quotation, not an answer. */
  readonly given: readonly string[];
  /** What stands between these marks is quoted, too. */
  readonly mark?: string;
}

/**
 * Finds the answer in a reply: the last object that fits the schema. A quotation is none, unless the reply is nothing
 * else. Returns what is wrong if there is no answer.
 */
export async function readAnswer<T>(
  reply: RoleReply,
  { schema, given, mark }: AnswerRules<T>,
): Promise<{ readonly answer: T } | { readonly wrong: string }> {
  if (reply.data !== undefined && typeof reply.data === "object") {
    const parsed = parse(schema, reply.data);
    return parsed.success
      ? { answer: parsed.data }
      : { wrong: `${issueOf(parsed.error)}, got ${excerpt(reply.text)}` };
  }
  const text = mark === undefined ? reply.text : withoutQuotes(reply.text, mark);
  if (text.trim() === "") return { wrong: "it is empty" };
  if (reply.cut === true) return { wrong: "it was cut off" };
  const values = await readJsonValues(text);
  const alone = withoutFence(text.trim());
  const shown: unknown[] = [];
  if (values.length > 0)
    for (const one of given) shown.push(...(await readJsonValues(one)).map(({ value }) => value));
  const own = values.filter(
    ({ text: part, value }) =>
      part === alone ||
      (!given.some((one) => one.includes(part)) && !shown.some((one) => deepEqual(one, value))),
  );
  let wrong: string | undefined;
  for (const { value, json } of own.toReversed()) {
    const parsed = parse(schema, value);
    // One of the two may be a quotation that has ended a text too early.
    if (parsed.success && findDuplicateKey(json, value) !== undefined)
      return { wrong: "an object has a key twice" };
    if (parsed.success) return { answer: parsed.data };
    wrong ??= `${issueOf(parsed.error)}, got ${excerpt(JSON.stringify(value))}`;
  }
  return {
    wrong: wrong ?? `there is no complete JSON object in it: ${JSON.stringify(excerpt(text))}`,
  };
}

function parse<T>(schema: z.ZodType<T>, value: unknown) {
  return schema.safeParse(value, { error: describeIssue, reportInput: true });
}

/** The body of a text that is a fence and nothing else. */
function withoutFence(text: string): string {
  if (!text.startsWith("```") || !text.endsWith("```")) return text;
  return text.slice(text.indexOf("\n") + 1, -3).trim();
}

/** The text without what it quotes between two marks. A mark that is not closed opens nothing. */
function withoutQuotes(text: string, mark: string): string {
  const parts = text.split(mark);
  return parts.filter((_, index) => index % 2 === 0 || index === parts.length - 1).join(" ");
}

function excerpt(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > 120 ? `${trimmed.slice(0, 117)}...` : trimmed;
}

/** The first thing that is wrong, of unions the first of the alternative that comes nearest. */
function issueOf(error: z.ZodError): string {
  try {
    const [issue] = error.issues;
    const [path, message] = deepest(issue!);
    return path === "" ? message : `${path}: ${message}`;
  } catch (thrown) {
    return errorMessage(thrown);
  }
}

type Issue = z.ZodError["issues"][number];

function deepest(issue: Issue): [path: string, message: string] {
  if (issue.code === "invalid_union") {
    const nearest = issue.errors
      .filter((alternative) => alternative.length > 0)
      .toSorted((a, b) => a.length - b.length)
      .at(-1)?.[0];
    if (nearest !== undefined) return deepest(nearest);
  }
  return [issue.path.join("."), issue.message];
}
