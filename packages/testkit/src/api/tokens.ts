import type { FakeMessage } from "./message.js";
import type { PlainReply } from "./plain-reply.js";

/** What a reply costs: as the script says, else a token for every word. */
export function tokensOf(
  messages: readonly FakeMessage[],
  reply: PlainReply,
): { readonly input: number; readonly output: number } {
  const input =
    reply.usage?.input_tokens ??
    sum(
      messages.map(
        ({ text, toolCalls }) =>
          words(text) + sum((toolCalls ?? []).map((call) => words(call.arguments))),
      ),
    );
  const output =
    reply.usage?.output_tokens ??
    words(reply.content ?? "") +
      words(reply.refusal ?? "") +
      sum(reply.toolCalls.map((call) => words(call.arguments))) +
      words(reply.approval?.arguments ?? "");
  return { input, output };
}

function words(text: string): number {
  return text.split(/\s+/).filter((word) => word !== "").length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
