import { defineOptions } from "./option.js";
import { selectOptions } from "./select-options.js";

/** Reads a whole number of at least one. */
function positiveInteger(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number) || number < 1)
    throw new RangeError("expected a whole number of at least 1");
  return number;
}

/** The options of `turnwise test`. */
export const testOptions = defineOptions({
  ...selectOptions,
  output: {
    flags: "-o, --output <file>",
    description: "write results to a file; the extension picks the format (.jsonl); repeatable",
    repeatable: true,
  },
  verbose: {
    flags: "-v, --verbose",
    description: "show every turn of every case",
  },
  quiet: {
    flags: "--quiet",
    description: "show only what did not pass, and the summary",
  },
  dryRun: {
    flags: "--dry-run",
    description: "run nothing: check the cases and write them as JSONL to -o or the screen",
  },
  parallel: {
    flags: "--parallel <number>",
    description: "cases at once",
    parse: positiveInteger,
    fallback: "1",
    config: "parallel",
  },
  timeout: {
    flags: "--timeout <duration>",
    description: "limit for one conversation",
    fallback: "5m",
    config: "timeout",
  },
  turnTimeout: {
    flags: "--turn-timeout <duration>",
    description: "limit for one turn",
    fallback: "2m",
    config: "turn_timeout",
  },
  onMissingInput: {
    flags: "--on-missing-input <policy>",
    description: "when the agent waits and no turn is left: skip, fail or end the case",
    choices: ["skip", "fail", "end"],
    fallback: "skip",
    config: "on_missing_input",
  },
});

/** Flags that are planned and refused by name until they work. */
export const plannedFlags: readonly string[] = [
  "--connector",
  "-c",
  "--fail-fast",
  "--fail-on-skip",
  "--interactive",
  "--json",
  "--max-turns",
  "--repeat",
  "--reporter",
  "--retries",
  "--runs",
  "--simulator",
  "--skip-interactive",
];
