// The built-in reporters. They come in through the same door as those of any other package.
import { definePlugin } from "@turnwise/core";
import { consoleReporter } from "./console.js";
import { jsonl } from "./jsonl.js";

/** The plugin with all built-in reporters. */
const reporters = definePlugin({
  name: "@turnwise/reporters",
  reporters: [consoleReporter, jsonl],
});

export default reporters;
