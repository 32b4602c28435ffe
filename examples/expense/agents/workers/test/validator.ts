import type { AgentRequest, ValidatorMetadata, ValidatorReply } from "turnwise";
import { inputText } from "turnwise";

/** A judge without a model: every phrase that the criteria have in quotes must stand in what the assistant said. */
export default function validator({ messages, options }: AgentRequest): ValidatorReply {
  const { criteria = "" } = options.metadata as unknown as Partial<ValidatorMetadata>;
  const phrases = [...criteria.matchAll(/"([^"]+)"/g)].map(([, phrase]) => phrase!);
  if (phrases.length === 0)
    return { applicable: false, reason: "the criteria have no phrase in quotes" };
  const said = messages
    .filter(({ role }) => role === "assistant")
    .map(({ content }) => inputText(content))
    .join("\n")
    .toLowerCase();
  const missing = phrases.filter((phrase) => !said.includes(phrase.toLowerCase()));
  return {
    reason: missing.length === 0 ? "it says all of it" : `it does not say ${missing.join(", ")}`,
    passed: missing.length === 0,
    score: (phrases.length - missing.length) / phrases.length,
    suggestions: missing.map((phrase) => `Say ${phrase}.`),
  };
}
