import type {
  AssertionContext,
  AssertionTurn,
  AssertionVerdict,
  Message,
  RoleRequest,
  ValidatorReply,
} from "@turnwise/core";
import { agentText, defineAssertion, userText, validatorReplySchema } from "@turnwise/core";
import { z } from "zod";
import { callFields, metadataOf } from "./role-options.js";

/** The validator of a project that names none. */
const builtIn = "agents:turnwise.validator";

/** With a threshold, a verdict without a score decides nothing. */
const scoredReplySchema = validatorReplySchema.refine(
  (reply) => reply.applicable === false || reply["score"] !== undefined,
  'expected a "score" from 0 to 1',
);

/** An agent judges by criteria in words. */
export const agent = defineAssertion({
  type: "agent",
  schema: z.strictObject({
    use: z.string().min(1).optional().describe(`The validator. Default ${builtIn}.`),
    criteria: z.string().min(1).optional().describe("What must hold, in words."),
    threshold: z.number().min(0).max(1).optional().describe("The least score, 0 to 1."),
    ...callFields,
  }),
  aliases: { value: "criteria" },
  subjects: ["response", "conversation"],
  async prepare(spec, context) {
    const { use = builtIn, threshold, options } = spec;
    const metadata = metadataOf(spec, context.problem);
    const told = metadata["criteria"];
    const criteria = spec.criteria ?? told;
    if (spec.criteria !== undefined && told !== undefined && told !== spec.criteria)
      context.problem({
        code: "conflict",
        path: ["criteria"],
        message: '"criteria" has another value in the metadata',
      });
    const resolved = await context.reference(use, ["use"]);
    if (resolved?.kind === "scripts")
      context.problem({
        code: "invalid_reference",
        path: ["use"],
        message: `expected an agent, got "${use}"`,
        hint: 'A script judges with {"type": "script", "use": ...}.',
      });
    else if (resolved !== undefined) {
      if (isEmpty(criteria) && resolved.id === "turnwise.validator")
        context.problem({
          code: "missing_field",
          path: ["criteria"],
          message: 'missing (it is also called "value", and may stand in the metadata)',
          hint: 'Say what must hold: {"type": "agent", "criteria": "The reply names the price."}.',
        });
      await context.callable(resolved, ["use"], { connector: options?.connector });
    }
    return {
      use,
      threshold,
      options,
      metadata: { ...metadata, ...(criteria === undefined ? {} : { criteria }) },
    };
  },
  label({ use, criteria, metadata, options }) {
    const about = criteria ?? metadata?.["criteria"] ?? options?.metadata?.["criteria"];
    const text = typeof about === "string" ? about : (use ?? "");
    return `agent ${JSON.stringify(text.length > 80 ? `${text.slice(0, 77)}...` : text)}`;
  },
  async check(context, { use, threshold, options, metadata }) {
    const reply = await context.callRole<ValidatorReply>({
      role: "validator",
      use,
      messages: messagesFor(context),
      metadata,
      options: options as NonNullable<RoleRequest<ValidatorReply>["options"]>,
      schema: threshold === undefined ? validatorReplySchema : scoredReplySchema,
    });
    return verdictOf(reply, threshold);
  },
});

/** Says nothing, so that a model would be asked to judge by nothing. */
function isEmpty(criteria: unknown): boolean {
  if (typeof criteria === "string") return criteria.trim() === "";
  return (
    criteria === undefined ||
    criteria === null ||
    (Array.isArray(criteria) && criteria.length === 0)
  );
}

/** The question and the reply, or the whole conversation with its turns numbered. */
function messagesFor({ on, turn, conversation }: AssertionContext): Message[] {
  if (on === "response") return messagesOf(turn);
  return conversation.turns.flatMap((one) => messagesOf(one, `[turn ${one.turn}] `));
}

function messagesOf(turn: AssertionTurn, prefix = ""): Message[] {
  return [
    { role: "user", content: `${prefix}${userText(turn.input)}` },
    { role: "assistant", content: `${prefix}${agentText(turn)}` },
  ];
}

function verdictOf(reply: ValidatorReply, threshold: number | undefined): AssertionVerdict {
  const reason = reply.reason ?? "the validator gave no reason";
  if (reply.applicable === false)
    return { passed: false, applicable: false, message: `not applicable: ${reason}` };
  const { passed, score, suggestions = [] } = reply as Extract<ValidatorReply, { passed: boolean }>;
  const enough = threshold === undefined || (score ?? 0) >= threshold;
  return {
    passed: passed && enough,
    message: passed && !enough ? `the score ${score} is below ${threshold}: ${reason}` : reason,
    ...(score === undefined ? {} : { score }),
    ...(suggestions.length === 0 ? {} : { details: { notes: suggestions } }),
  };
}
