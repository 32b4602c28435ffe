import { defineOptions } from "./option.js";
import { selectOptions } from "./select-options.js";

const { name, connector, config, color } = selectOptions;

/** The options of `turnwise chat`. */
export const chatOptions = defineOptions({
  name,
  connector,
  output: {
    flags: "-o, --output <file>",
    description:
      "save the talk as a test case when it is over, with assertions that are suggested from what happened (.yaml, .json, .jsonl)",
  },
  config,
  color,
});
