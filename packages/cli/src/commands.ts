import type { CommandEnvironment } from "./command/command.js";
import type { OptionDefinition } from "./option/option.js";
import { chatOptions } from "./option/chat-options.js";
import { detectOptions } from "./option/detect-options.js";
import { initOptions } from "./option/init-options.js";
import { selectOptions } from "./option/select-options.js";
import { testOptions } from "./option/test-options.js";

/** A command: the source of its flags, its help and its page in the docs. */
export interface CommandDefinition {
  readonly name: string;
  readonly description: string;
  readonly options: Readonly<Record<string, OptionDefinition>>;
  readonly examples: readonly string[];
  /** Whether standard output is for data alone: what code of the project prints goes to standard error then. */
  readonly writesData?: (values: Readonly<Record<string, unknown>>) => boolean;
  /** Loads what the command needs, then runs it. Resolves to the exit code. */
  readonly run: (
    values: Readonly<Record<string, unknown>>,
    environment: CommandEnvironment,
  ) => Promise<number>;
}

/** All commands, in the order of the help. */
export const commands: readonly CommandDefinition[] = [
  {
    name: "init",
    description: "Make a project that runs at once: an example agent, cases, a CI workflow.",
    options: initOptions,
    examples: ["turnwise init", "turnwise init --folder chats --agent http --ci gitlab --yes"],
    async run(values, environment) {
      const { init } = await import("./command/init.js");
      return init(values, environment);
    },
  },
  {
    name: "test",
    description: "Run test cases against an agent.",
    options: testOptions,
    examples: [
      "turnwise test -i tests/expense.jsonl -n assistants.expense",
      'turnwise test -i "tests/**/*.jsonl" --parallel 10 -o results.jsonl',
      'turnwise test -i "Hello, what can you do?" -n assistants.expense',
    ],
    writesData: ({ json, dryRun }) => json === true || dryRun === true,
    async run(values, environment) {
      const { test } = await import("./command/test.js");
      return test(values, environment);
    },
  },
  {
    name: "chat",
    description: "Talk to an agent, see what it does, and keep the talk as a test case.",
    options: chatOptions,
    examples: [
      "turnwise chat -n assistants.expense",
      "turnwise chat -n assistants.expense -o tests/trip.yaml",
    ],
    async run(values, environment) {
      const { chat } = await import("./command/chat.js");
      return chat(values, environment);
    },
  },
  {
    name: "validate",
    description: "Check test cases without running them.",
    options: selectOptions,
    examples: ['turnwise validate -i "tests/**/*.jsonl" --strict'],
    async run(values, environment) {
      const { validate } = await import("./command/validate.js");
      return validate(values, environment);
    },
  },
  {
    name: "list",
    description: "List test cases: id, turns, name and tags, separated by tabs.",
    options: selectOptions,
    examples: ["turnwise list -i tests/expense.jsonl --tag smoke"],
    writesData: () => true,
    async run(values, environment) {
      const { list } = await import("./command/list.js");
      return list(values, environment);
    },
  },
  {
    name: "detect",
    description: "Say whether a reply waits for its user, or measure that on labelled turns.",
    options: detectOptions,
    examples: [
      'turnwise detect -i "Which city would you like to fly to?"',
      "turnwise detect -i labelled.jsonl --errors 50",
      "turnwise detect -i results.jsonl",
    ],
    writesData: () => true,
    async run(values, environment) {
      const { detect } = await import("./command/detect.js");
      return detect(values, environment);
    },
  },
];

/** What the exit codes mean, for help and docs. */
export const exitCodeMeanings: readonly (readonly [number, string])[] = [
  [0, "every case passed or was skipped"],
  [
    1,
    "a case failed: the agent did not do what was asked (with --fail-on-skip also: one was skipped)",
  ],
  [2, "wrong usage, a problem in a file, or nothing to run"],
  [3, "a case could not be judged, for a reason that is not the agent's"],
  [130, "interrupted"],
];
