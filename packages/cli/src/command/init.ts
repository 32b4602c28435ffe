import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { initOptions } from "../option/init-options.js";
import type { OptionValues } from "../option/option.js";
import type { Choice } from "../terminal/ask-choices.js";
import type { CommandEnvironment } from "./command.js";
import { useColor, write } from "../output.js";
import { quoted } from "../terminal/shell.js";
import { exitCodes } from "./command.js";
import { keyboardOf, withColor } from "./terminal.js";

type Key = "agent" | "format" | "ci";

const questions: readonly Choice<Key>[] = [
  {
    key: "agent",
    question: "How is your agent reached?",
    options: [
      ["function", "code of this project, in TypeScript or JavaScript"],
      ["command", "a program in any language"],
      ["http", "a server that takes and gives JSON"],
      ["openai", "a model behind OpenAI's API, or what speaks it"],
    ],
  },
  {
    key: "format",
    question: "How do you want to write test cases?",
    options: [
      ["yaml", "for people"],
      ["jsonl", "a case a line, for many cases and for programs"],
    ],
  },
  {
    key: "ci",
    question: "What runs them for every change?",
    options: [
      ["github", "GitHub Actions"],
      ["gitlab", "GitLab CI"],
      ["none", "nothing yet"],
    ],
  },
];

/** What the config says of an agent that is no function of the project, beside the example that runs at once. */
const agents: Readonly<Record<string, string>> = {
  command: `
# Yours: turnwise test -n mine ... It reads a line of JSON for every turn, and writes one.
agents:
  mine: { type: command, command: [node, my-agent.mjs] }
`,
  http: `
# Yours: turnwise test -n mine ... Every turn is a POST; "body" and "reply" adapt it to any other form.
agents:
  mine: { type: http, url: "http://localhost:8000/chat" }
`,
  openai: `
# Yours: turnwise test -n mine ... Put OPENAI_API_KEY into .env, and OPENAI_BASE_URL for any other endpoint.
agents:
  mine: { type: openai, model: gpt-5-mini, system: You take orders for tea. }
`,
};

/** Makes a project that runs at once. Returns the exit code. */
export async function init(
  values: OptionValues<typeof initOptions>,
  environment: CommandEnvironment,
): Promise<number> {
  const { cwd, output } = environment;
  const root = resolve(cwd, values.folder ?? ".");
  const there = ["yaml", "yml", "json", "ts", "mts", "js", "mjs"]
    .map((extension) => `turnwise.config.${extension}`)
    .find((file) => existsSync(join(root, file)));
  if (there !== undefined) {
    await write(
      output.stderr,
      `error there is a project already: ${relative(cwd, join(root, there))}\n`,
    );
    return exitCodes.usage;
  }
  const answers = await answersOf(values, environment);
  if (answers === undefined) {
    await write(output.stderr, "Nothing was written.\n");
    return exitCodes.interrupted;
  }
  const files = await filesOf(answers, root, environment.version);
  const lines: string[] = [];
  try {
    for (const [file, content] of files) {
      const path = join(root, file);
      const shown = relative(cwd, path);
      if (existsSync(path)) lines.push(`  ${shown} (kept as it was)`);
      else {
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, content, { flag: "wx" });
        lines.push(`  ${shown}`);
      }
    }
  } catch (error) {
    await write(output.stderr, `error ${(error as Error).message}\n`);
    return exitCodes.usage;
  }
  const enter = root === cwd ? "" : `cd ${quoted(relative(cwd, root))} && `;
  await write(
    output.stdout,
    [
      "A project with an example agent and two cases:",
      ...lines,
      ...(lines.some((line) => line.includes("package.json (kept"))
        ? ["", "Add Turnwise to your project: npm install --save-dev turnwise"]
        : []),
      "",
      `Run it:        ${enter}npx turnwise test -i "${casesOf(answers)}"`,
      `Talk to it:    ${enter}npx turnwise chat`,
      answers.agent === "function"
        ? "Then put your own agent into agents/, and write cases for it."
        : `Test yours:    ${enter}npx turnwise test -n mine -i "Hello" (see turnwise.config.yaml)`,
      "",
    ].join("\n"),
  );
  return exitCodes.passed;
}

/** What options say, what the person says, and what is usual. */
async function answersOf(
  values: OptionValues<typeof initOptions>,
  environment: CommandEnvironment,
): Promise<Readonly<Record<Key, string>> | undefined> {
  const said = Object.fromEntries(
    questions.map(({ key, options }) => [key, values[key] ?? options[0]![0]]),
  ) as Record<Key, string>;
  const open = questions.filter(({ key }) => values[key] === undefined);
  const streams =
    values.yes === true || open.length === 0 ? undefined : await keyboardOf(environment);
  if (streams === undefined) return said;
  const { output, env, signal } = environment;
  const { askChoices } = await withColor(
    useColor(output.stdout, env),
    () => import("../terminal/ask-choices.js"),
  );
  const answers = await askChoices(open, { ...streams, signal });
  return answers === undefined ? undefined : { ...said, ...answers };
}

function casesOf({ format }: Readonly<Record<Key, string>>): string {
  return `tests/**/*.${format}`;
}

async function filesOf(
  answers: Readonly<Record<Key, string>>,
  root: string,
  version: string,
): Promise<Map<string, string>> {
  const cases = casesOf(answers);
  const files = new Map<string, string>();
  const add = async (file: string, from = file): Promise<void> => {
    const text = await readFile(new URL(`../templates/${from}`, import.meta.url), "utf8");
    files.set(file, text.replaceAll("{{cases}}", cases));
  };
  files.set(
    "turnwise.config.yaml",
    `defaults:\n  agent: assistant\n${agents[answers.agent] ?? ""}`,
  );
  await add("agents/assistant.ts");
  if (answers.agent === "command") await add("my-agent.mjs");
  await add(`tests/first.${answers.format}`);
  if (answers.ci === "github") await add(".github/workflows/conversations.yml", "ci/github.yml");
  if (answers.ci === "gitlab") await add(".gitlab-ci.yml", "ci/gitlab.yml");
  const manifest = {
    name:
      basename(root)
        .toLowerCase()
        .replaceAll(/[^a-z\d._-]+/g, "-")
        .replace(/^[._-]+/, "") || "conversations",
    private: true,
    type: "module",
    scripts: { test: `turnwise test -i "${cases}"` },
    devDependencies: { turnwise: `^${version}` },
  };
  files.set("package.json", `${JSON.stringify(manifest, undefined, 2)}\n`);
  return files;
}
