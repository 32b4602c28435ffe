import type { FakeMessage, FakeToolCall } from "../api/message.js";
import type { JsonObject } from "../api/read-field.js";
import { readItem } from "./read-item.js";

/** Items as messages: what the assistant put out in one go is one message. */
export function toMessages(thread: readonly JsonObject[]): FakeMessage[] {
  const messages: FakeMessage[] = [];
  const names = new Map<string, string>();
  for (const raw of thread) {
    const item = readItem(raw, "item");
    switch (item.type) {
      case "message":
        if (item.role === "assistant") speak(item.text);
        else messages.push({ role: item.role, text: item.text });
        break;
      case "reasoning":
        speak("");
        break;
      case "call":
        names.set(item.id, item.name);
        speak("", { id: item.id, name: item.name, arguments: item.arguments });
        break;
      case "approval-request":
        names.set(item.id, item.name);
        speak("");
        break;
      case "result":
      case "approval-response": {
        const toolName = names.get(item.id);
        messages.push({
          role: "tool",
          text: item.text,
          toolCallId: item.id,
          ...(toolName === undefined ? {} : { toolName }),
        });
        break;
      }
    }
  }
  return messages;

  /** Adds to the step of the assistant, or begins one. */
  function speak(text: string, call?: FakeToolCall): void {
    const last = messages.at(-1);
    const before: FakeMessage =
      last?.role === "assistant" ? messages.pop()! : { role: "assistant", text: "" };
    messages.push({
      ...before,
      text: [before.text, text].filter((one) => one !== "").join("\n"),
      ...(call === undefined ? {} : { toolCalls: [...(before.toolCalls ?? []), call] }),
    });
  }
}
