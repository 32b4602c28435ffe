import { defineReporter } from "@turnwise/core";

/** Every event of the run as a line of JSON, as it happens: for programs that follow a run. */
export const events = defineReporter({
  name: "events",
  create: ({ stream }) => ({
    onEvent: (event) => stream.write(`${JSON.stringify(event)}\n`),
  }),
});
