import type { AssertionContext, AssertionTurn, AssertionVerdict } from "@turnwise/core";
import { AuthorError, defineAssertion, isObject, jsonTypeOf, toolCallRow } from "@turnwise/core";
import { z } from "zod";
import { callFields, metadataOf } from "./role-options.js";

/** A function of the project decides: `({ turn, conversation, state, world, metadata }) => boolean | { passed, message?, score? }`. */
export const script = defineAssertion({
  type: "script",
  schema: z.strictObject({
    use: z.string().min(1).describe("The script: scripts:<id>."),
    ...callFields,
  }),
  aliases: { script: "use" },
  subjects: ["response", "conversation", "state", "tools", "world"],
  async prepare(spec, context) {
    const { use } = spec;
    const metadata = metadataOf(spec, context.problem);
    const resolved = await context.reference(use, ["use"]);
    if (resolved?.kind === "agents")
      context.problem({
        code: "invalid_reference",
        path: ["use"],
        message: `expected a script, got "${use}"`,
        hint: `Write "scripts:${resolved.id}" for a function in scripts/; an agent judges with {"type": "agent"}.`,
      });
    else if (resolved !== undefined) await context.callable(resolved, ["use"]);
    return { use, metadata: { ...resolved?.parameters, ...metadata } };
  },
  label: ({ use }) => `script ${use.replace(/^scripts:/, "")}`,
  async check(context, { use, metadata }) {
    return verdictOf(await context.runScript(use, { ...dataOf(context), metadata }), use);
  },
});

/** What scripts see: plain data, whatever the assertion looks at. */
function dataOf({ turn, conversation, state, world }: AssertionContext): object {
  const turns = conversation.turns.map(turnData);
  return {
    turn: turnData(turn),
    conversation: {
      turns,
      messages: conversation.messages,
      tool_calls: conversation.turns.flatMap((one) => one.toolCalls.map(toolCallRow)),
      last: turn.output,
    },
    state: state ?? null,
    world: world ?? null,
  };
}

function turnData(turn: AssertionTurn): object {
  const { detection } = turn;
  return {
    turn: turn.turn,
    input: turn.input,
    output: turn.output,
    content: turn.content,
    data: turn.data ?? null,
    tool_calls: turn.toolCalls.map(toolCallRow),
    awaiting_input: detection.awaiting,
    ...(detection.kind === undefined ? {} : { awaiting_kind: detection.kind }),
    duration_ms: turn.durationMs,
  };
}

function isScore(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= 1;
}

function verdictOf(returned: unknown, use: string): AssertionVerdict {
  if (typeof returned === "boolean")
    return { passed: returned, message: `${use} returned ${returned}` };
  const { passed, message, score } = isObject(returned) ? returned : {};
  if (typeof passed !== "boolean") {
    const got = isObject(returned)
      ? `an object with the keys ${Object.keys(returned).join(", ") || "(none)"}`
      : jsonTypeOf(returned);
    throw new AuthorError(
      `${use} must return true, false or { passed, message?, score? }, not ${got}`,
    );
  }
  // Left out and null are the same; what is misunderstood would be lost without a word.
  if (message !== undefined && message !== null && typeof message !== "string")
    throw new AuthorError(`${use} must return a text as "message", not ${jsonTypeOf(message)}`);
  if (score !== undefined && score !== null && !isScore(score))
    throw new AuthorError(
      `${use} must return a "score" from 0 to 1, not ${typeof score === "number" ? score : jsonTypeOf(score)}`,
    );
  return {
    passed,
    message: message ?? `${use} returned passed: ${passed}`,
    ...(isScore(score) ? { score } : {}),
  };
}
