import type { Source } from "./source.js";

/** One case that sends a message, the `number`-th of the run. */
export function messageSource(message: string, number: number): Source {
  return {
    kind: "message",
    name: message,
    async *read() {
      yield {
        raw: { id: number === 1 ? "message" : `message-${number}`, input: message },
        origin: {},
      };
    },
  };
}
