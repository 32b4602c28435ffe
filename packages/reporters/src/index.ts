// The built-in reporters. They come in through the same door as those of any other package.
import { definePlugin } from "@turnwise/core";
import { consoleReporter } from "./console.js";
import { events } from "./events.js";
import { json } from "./json.js";
import { jsonl } from "./jsonl.js";

/** The plugin with all built-in reporters. */
const reporters = definePlugin({
  name: "@turnwise/reporters",
  reporters: [consoleReporter, jsonl, json, events],
});

export default reporters;
