import type { AgentReply } from "@turnwise/core";
import { isObject } from "@turnwise/core";
import { textOf } from "./from-wire.js";
import type { FunctionDelta } from "./function-delta.js";
import { addFunctionDelta } from "./function-delta.js";

/** A chat completion that comes in pieces. */
export class CompletionPieces {
  /** Pieces of a choice so far. */
  count = 0;
  private text = "";
  private refusal = "";
  private finishReason: string | undefined;
  private usage: unknown;
  private readonly functions: FunctionDelta[] = [];

  /** Whether the piece that ends it has come. */
  get finished(): boolean {
    return this.finishReason !== undefined;
  }

  add(chunk: unknown): void {
    if (!isObject(chunk)) return;
    this.usage = chunk["usage"] ?? this.usage;
    const choice = firstChoice(chunk["choices"]);
    if (choice === undefined) return;
    this.count++;
    if (typeof choice["finish_reason"] === "string") this.finishReason = choice["finish_reason"];
    const { delta } = choice;
    if (!isObject(delta)) return;
    this.text += textOf(delta["content"]) ?? "";
    this.refusal += textOf(delta["refusal"]) ?? "";
    const calls = delta["tool_calls"];
    if (Array.isArray(calls)) for (const call of calls) addFunctionDelta(this.functions, call);
  }

  reply(): AgentReply {
    const { finishReason, functions, usage } = this;
    return {
      content: this.text === "" ? this.refusal : this.text,
      ...(finishReason === undefined ? {} : { finishReason }),
      ...(functions.length === 0 ? {} : { toolCalls: functions }),
      ...(isObject(usage) ? { usage } : {}),
    };
  }
}

/** Of several choices the first is the reply. */
function firstChoice(choices: unknown): Record<string, unknown> | undefined {
  if (!Array.isArray(choices)) return undefined;
  return choices.find(
    (choice: unknown): choice is Record<string, unknown> =>
      isObject(choice) && (choice["index"] === undefined || choice["index"] === 0),
  );
}
