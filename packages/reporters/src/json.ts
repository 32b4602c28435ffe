import { defineReporter } from "@turnwise/core";

/**
 * One JSON document: facts about the run, `results` and `summary`. It is written piece by piece, so a run of any length
 * takes no memory; a run that was killed leaves it without its end, where JSONL would still be readable.
 */
export const json = defineReporter({
  name: "json",
  extensions: [".json"],
  create({ stream }) {
    let results = 0;
    return {
      onEvent(event) {
        switch (event.type) {
          case "run-start": {
            const { type: _, ...facts } = event;
            return stream.write(`${JSON.stringify(facts).slice(0, -1)},"results":[\n`);
          }
          case "case-end":
            return stream.write(`${results++ === 0 ? "" : ",\n"}${JSON.stringify(event.result)}`);
          case "run-end":
            return stream.write(`\n],"summary":${JSON.stringify(event.summary)}}\n`);
          default:
            return undefined;
        }
      },
    };
  },
});
