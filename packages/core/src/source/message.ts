import type { Source } from "./source.js";

/** One case that sends a message. */
export function messageSource(message: string): Source {
  return {
    kind: "message",
    name: message,
    async *read() {
      yield { raw: { id: "message", input: message }, origin: {} };
    },
  };
}
