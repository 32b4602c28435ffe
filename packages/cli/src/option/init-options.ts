import { defineOptions } from "./option.js";

/** The options of `turnwise init`. */
export const initOptions = defineOptions({
  agent: {
    flags: "--agent <kind>",
    description: "how your agent is reached: function (in this project), command, http or openai",
    choices: ["function", "command", "http", "openai"],
    fallback: "function",
  },
  format: {
    flags: "--format <format>",
    description: "format of test cases: yaml or jsonl",
    choices: ["yaml", "jsonl"],
    fallback: "yaml",
  },
  ci: {
    flags: "--ci <service>",
    description: "workflow that runs the cases: github, gitlab or none",
    choices: ["github", "gitlab", "none"],
    fallback: "github",
  },
  folder: {
    flags: "--folder <path>",
    description: "where the project is made",
    fallback: "the working directory",
  },
  yes: {
    flags: "-y, --yes",
    description: "ask nothing: what no option says is as it is by default",
  },
});
