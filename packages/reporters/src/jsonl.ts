import { defineReporter } from "@turnwise/core";

/** One result a line, written as soon as the case is finished. */
export const jsonl = defineReporter({
  name: "jsonl",
  extensions: [".jsonl"],
  create: ({ stream }) => ({
    async onEvent(event) {
      if (event.type === "case-end") await stream.write(`${JSON.stringify(event.result)}\n`);
    },
  }),
});
