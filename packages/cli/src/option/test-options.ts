import { wholeNumber } from "./number.js";
import { defineOptions } from "./option.js";
import { selectOptions } from "./select-options.js";

/** The options of `turnwise test`. */
export const testOptions = defineOptions({
  ...selectOptions,
  output: {
    flags: "-o, --output <file>",
    description:
      "write results to a file; the extension picks the format (.jsonl, .json); repeatable",
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
  json: {
    flags: "--json",
    description:
      "write every event of the run to standard output as a line of JSON, and nothing else",
    conflicts: ["verbose", "quiet", "dryRun", "interactive"],
  },
  dryRun: {
    flags: "--dry-run",
    description: "run nothing: check the cases and write them as JSONL to -o or the screen",
  },
  parallel: {
    flags: "--parallel <number>",
    description: "conversations at once",
    parse: wholeNumber(1),
    fallback: "1",
    config: "parallel",
  },
  repeat: {
    flags: "--runs, --repeat <number>",
    description: "independent trials of each case; it passes if all of them do",
    parse: wholeNumber(1),
    fallback: "1",
    config: "repeat",
  },
  retries: {
    flags: "--retries <number>",
    description:
      "run a trial that failed or broke again, so often at most; one that passes then is flaky",
    parse: wholeNumber(0),
    fallback: "0",
    config: "retries",
  },
  failFast: {
    flags: "--fail-fast",
    description: "stop at the first case that fails or breaks; running ones are cancelled",
  },
  failOnSkip: {
    flags: "--fail-on-skip",
    description: "exit with 1 if a case was skipped",
  },
  maxTurns: {
    flags: "--max-turns <number>",
    description: "turns after which a simulator or human is not asked for another one",
    parse: wholeNumber(1),
    config: "max_turns",
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
  interactive: {
    flags: "--interactive",
    description:
      "ask you at the terminal when the agent waits and nobody else has anything to say; without -i you begin",
    conflicts: ["skipInteractive", "dryRun"],
  },
  skipInteractive: {
    flags: "--skip-interactive",
    description: 'never ask: cases with "interactive" are skipped where they would',
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
export const plannedFlags: readonly string[] = ["--reporter"];
