import { defineOptions } from "./option.js";

/** Options of every command that reads cases. */
export const selectOptions = defineOptions({
  input: {
    flags: "-i, --input <source>",
    description:
      'case file (.jsonl, .json, .yaml, .ts, .js), a pattern such as "tests/**/*.jsonl", - for JSONL from a pipe, agents:id or scripts:id to generate cases (with ?count=10&focus=...), or a message to send; repeatable',
    repeatable: true,
  },
  name: {
    flags: "-n, --name <agent>",
    description: "id of the agent to test",
    fallback: "the agent of the case, then of the config",
    config: "agent",
  },
  connector: {
    flags: "-c, --connector <name>",
    description: "connector (model endpoint of the config) of the agent to test",
    fallback: "that of the turn, the case, the agent, the config",
    config: "connector",
  },
  simulator: {
    flags: "--simulator <reference>",
    description:
      "agent (agents:id) or script (scripts:id) that plays the user in cases that have no simulator",
  },
  grep: {
    flags: "--grep <pattern>",
    description:
      "only cases whose id or name matches (a regular expression in RE2 syntax; (?i) in front ignores case)",
  },
  tag: {
    flags: "--tag <tag>",
    description: "only cases with this tag; repeatable (any of them)",
    repeatable: true,
  },
  strict: {
    flags: "--strict",
    description: "warnings are problems: nothing is run, and a run that ends with one exits with 2",
  },
  config: {
    flags: "--config <file>",
    description: "config file",
    fallback: "the nearest turnwise.config.* above the working directory",
  },
  color: {
    flags: "--no-color",
    description: "no colours (NO_COLOR does the same)",
  },
});
