import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Agent, AgentRequest } from "../contract/agent.js";
import type { Detection, Detector } from "./detection.js";
import type { DetectionOptions } from "./detect.js";
import { awaitingKinds } from "../contract/agent.js";
import { normaliseReply } from "../conversation/normalise-reply.js";
import { TurnwiseError, errorMessage } from "../errors.js";
import { closeSession } from "../role/close-session.js";
import { readJson } from "../role/read-json.js";
import { detectAwaitingInput, detectWithoutReading } from "./detect.js";

const verdictSchema = z.object({
  awaiting: z.boolean(),
  kind: z.enum(awaitingKinds).optional(),
  hint: z.string().optional(),
});

/**
 * A detector that asks an agent about texts. What the agent under test declares, and what its tool calls and its finish
 * reason say, is decided without asking.
 */
export function askingDetector(agent: Agent, options: DetectionOptions): Detector {
  return async (reply, { messages, signal }) => {
    // Nobody wants to know what the text says.
    if (options.off?.includes("content_is_question") === true)
      return detectAwaitingInput(reply, options);
    const settled = detectWithoutReading(reply, options);
    if (settled !== undefined) return settled;
    const request = requestFor(reply.content, messages, signal);
    let said: unknown;
    try {
      const answer = normaliseReply(await agent.respond(request));
      said = answer.data ?? (await readJson(answer.content))?.value;
    } catch (error) {
      throw unusable(`the agent that was asked broke: ${errorMessage(error)}`);
    } finally {
      await closeSession(agent, request.sessionId);
    }
    const verdict = verdictSchema.safeParse(said);
    if (!verdict.success)
      throw unusable('the agent that was asked did not answer {"awaiting": true or false, ...}');
    const { awaiting, kind, hint } = verdict.data;
    if (!awaiting) return { awaiting, reason: "completed", confidence: 0.9 };
    return {
      awaiting,
      reason: "content_is_question",
      kind: kind ?? "question",
      ...(hint === undefined ? {} : { hint }),
      confidence: 0.9,
    } satisfies Detection;
  };
}

function unusable(message: string): TurnwiseError {
  return new TurnwiseError(message, { code: "detector_unusable", blame: "detector" });
}

function requestFor(
  text: string,
  messages: Parameters<Detector>[1]["messages"],
  signal: AbortSignal,
): AgentRequest {
  // What stands between the marks cannot end them: it does not know them.
  const mark = randomUUID();
  const input = [
    "Below is the last message of an assistant to its user, between two marks.",
    "Does it leave the conversation waiting for the user, so that the assistant cannot go on without an answer?",
    "Offers of further help, rhetorical questions, and questions that are only quoted do not wait.",
    `Answer with JSON alone: {"awaiting": true or false, "kind": one of ${awaitingKinds.join(", ")}, "hint": "the question"}.`,
    mark,
    text,
    mark,
  ].join("\n");
  return {
    sessionId: randomUUID(),
    testId: "awaiting-input",
    turn: 1,
    messages: [{ role: "user", content: input }],
    input,
    attachments: [],
    options: {
      skip: { history: true },
      metadata: { test_mode: "detector", reply: text, messages: structuredClone(messages) },
    },
    referer: "agent-test",
    signal,
    resolveTool: () => Promise.reject(new Error("no tools are needed to answer")),
  };
}
