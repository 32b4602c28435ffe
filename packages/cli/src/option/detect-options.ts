import { defineOptions } from "./option.js";
import { wholeNumber } from "./number.js";

/** The options of `turnwise detect`. */
export const detectOptions = defineOptions({
  input: {
    flags: "-i, --input <source>",
    description:
      "a reply; a .jsonl file with a turn a line ({text, tool_calls?, finish_reason?, label?}, or results of turnwise test), any other file with one reply; or - for either from a pipe",
  },
  errors: {
    flags: "--errors <number>",
    description: "list so many turns that are judged otherwise than they are labelled",
    parse: wholeNumber(0),
    fallback: "20",
  },
  json: {
    flags: "--json",
    description: "write a line of JSON for each turn, or the figures as one JSON document",
  },
  config: {
    flags: "--config <file>",
    description: "config file, whose detection settings are used",
    fallback: "the nearest turnwise.config.* above the working directory",
  },
  color: {
    flags: "--no-color",
    description: "no colours (NO_COLOR does the same)",
  },
});
