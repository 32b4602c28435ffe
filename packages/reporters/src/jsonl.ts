import { defineReporter } from "@turnwise/core";

/** One result a line, written as soon as the case is finished. */
export const jsonl = defineReporter({
  name: "jsonl",
  extensions: [".jsonl"],
  create: ({ stream }) => ({
    // No promise for what does not matter: there are several events a turn.
    onEvent: (event) =>
      event.type === "case-end" ? stream.write(`${JSON.stringify(event.result)}\n`) : undefined,
  }),
});
