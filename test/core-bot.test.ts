import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CaseResult, Detector } from "@turnwise/core";
import { detectAwaitingInput, loadProject, runSuite } from "@turnwise/core";
import assertions from "@turnwise/assertions";
import { expect, test } from "vitest";
import { runCli } from "./support/cli.js";

/*
 * Real agents that say themselves whether they wait: Microsoft's Core Bot with the conversations that are published with
 * it, and ELIZA. They are installed beside the repository, once, since they are large.
 */

const version = "4.22.1";
const folder = join(tmpdir(), `turnwise-core-bot-${version}`);
const template = "package/generators/app/templates/core";

/** Installs both, or says why not. */
function install(): string | undefined {
  if (existsSync(join(folder, "ready"))) return undefined;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private": true}');
  const steps: [string, ...string[]][] = [
    ["npm", "pack", `generator-botbuilder@${version}`, "--silent"],
    ["tar", "xzf", `generator-botbuilder-${version}.tgz`],
    [
      "npm",
      "install",
      "--no-audit",
      "--no-fund",
      "--ignore-scripts",
      "--loglevel",
      "error",
      `botbuilder@${version}`,
      `botbuilder-dialogs@${version}`,
      "elizabot@0.0.3",
      "@microsoft/recognizers-text-data-types-timex-expression@1.1.4",
    ],
  ];
  for (const [command, ...args] of steps) {
    const { status, stderr, error } = spawnSync(command, args, { cwd: folder, encoding: "utf8" });
    if (status !== 0) return `${command} ${args[0]}: ${error?.message ?? stderr}`;
  }
  writeFileSync(join(folder, "ready"), "");
  return undefined;
}

function writeProject(): void {
  for (const name of ["agents", "cases"]) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, "agents/core-bot.mjs"), coreBot);
  writeFileSync(join(folder, "agents/eliza.mjs"), eliza);
  writeFileSync(join(folder, "cases/published.ts"), publishedCases);
}

/** Plays one of the dialogs; its state tells the hint of the last message, which the detector does not see. */
const coreBot = `import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
const { ConversationState, MemoryStorage, TestAdapter } = require("botbuilder");
const { DialogSet, DialogTurnStatus } = require("botbuilder-dialogs");
const dialogs = {
  booking: require("../${template}/dialogs/bookingDialog.js").BookingDialog,
  dates: require("../${template}/dialogs/dateResolverDialog.js").DateResolverDialog,
};
const sessions = new Map();

function open(sessionId, { dialog, data }) {
  const state = new ConversationState(new MemoryStorage());
  const set = new DialogSet(state.createProperty("dialogs"));
  set.add(new dialogs[dialog](dialog));
  const adapter = new TestAdapter(async (context) => {
    const running = await set.createContext(context);
    let turn = await running.continueDialog();
    if (turn.status === DialogTurnStatus.empty) turn = await running.beginDialog(dialog, data);
    session.turn = turn;
    await state.saveChanges(context);
  });
  const session = { adapter, turn: undefined };
  sessions.set(sessionId, session);
  return session;
}

export default {
  async respond({ sessionId, input, options }) {
    const session = sessions.get(sessionId) ?? open(sessionId, options.metadata);
    const { adapter } = session;
    await adapter.receiveActivity({
      type: "message", text: input, channelId: "test", locale: "en-us",
      conversation: { id: sessionId }, from: { id: "user" }, recipient: { id: "bot" },
    });
    const replies = adapter.activityBuffer.splice(0).filter(({ type }) => type === "message");
    return {
      content: replies.map(({ text }) => text).join("\\n"),
      state: {
        hint: replies.at(-1)?.inputHint ?? "none",
        status: session.turn.status,
        result: session.turn.result ?? null,
      },
    };
  },
  close: (sessionId) => void sessions.delete(sessionId),
};
`;

/** Cases from the data that the package publishes with the bot, as a module in a project. */
const publishedCases = `import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
const data = "../${template}/tests/dialogs/testData";
interface Published {
  name: string;
  initialData: object;
  steps: [string, string | null][];
  expectedStatus?: string;
  expectedResult?: unknown;
}

function* casesOf(dialog: string, file: string) {
  for (const one of require(data + "/" + file) as Published[])
    yield {
      id: dialog + ": " + one.name,
      tags: [dialog],
      options: { metadata: { dialog, data: one.initialData } },
      turns: one.steps.map(([input, reply], index) => ({
        input,
        assertions: [
          { type: "equals", value: reply ?? "" },
          { type: "awaiting", value: index < one.steps.length - 1 },
        ],
      })),
      final_assertions: [
        { type: "json_path", on: "state", path: "$.status", value: one.expectedStatus ?? "complete" },
        ...(one.expectedResult === undefined
          ? []
          : [{ type: "json_path", on: "state", path: "$.result", value: one.expectedResult }]),
      ],
    };
}

export default function* () {
  yield* casesOf("booking", "bookingDialogTestCases.js");
  yield* casesOf("dates", "dateResolverTestCases.js");
}
`;

const eliza = `import { createRequire } from "node:module";
const Eliza = createRequire(import.meta.url)("elizabot");
const sessions = new Map();
export default {
  respond({ sessionId, input, options }) {
    const doctor = sessions.get(sessionId) ?? new Eliza(true);
    sessions.set(sessionId, doctor);
    const content = doctor.transform(input);
    // It talks on for ever, and waits for nothing: its task is done whenever the user has had enough.
    return options.metadata.declares ? { content, awaitingInput: false } : content;
  },
};
`;

const missing = install();
if (missing !== undefined) {
  if (process.env["CI"] !== undefined) throw new Error(`Core Bot cannot be installed: ${missing}`);
  console.warn(`SKIPPED: Core Bot cannot be installed (${missing})`);
}

if (missing === undefined) writeProject();

interface Published {
  readonly name: string;
  readonly initialData: unknown;
  readonly steps: readonly (readonly [string, string | null])[];
}

async function run(
  cases: readonly object[],
  agent: string,
  detector?: Detector,
): Promise<CaseResult[]> {
  const results: CaseResult[] = [];
  await runSuite({
    cases,
    agent,
    ...(detector === undefined ? {} : { detector }),
    project: await loadProject({ root: folder, plugins: [assertions] }),
    onEvent: (event) => event.type === "case-end" && results.push(event.result),
  });
  return results;
}

test.skipIf(missing !== undefined)(
  "Core Bot: of the 46 published turns, text alone tells which ones wait",
  async () => {
    const require = createRequire(join(folder, "package.json"));
    const published = (file: string): Published[] =>
      require(join(folder, template, "tests/dialogs/testData", file)) as Published[];
    const cases = [
      ...published("bookingDialogTestCases.js").map((one) => ({ ...one, dialog: "booking" })),
      ...published("dateResolverTestCases.js").map((one) => ({ ...one, dialog: "dates" })),
    ].map(({ name, initialData, steps, dialog }) => ({
      id: `${dialog}: ${name}`,
      options: { metadata: { dialog, data: initialData } },
      on_missing_input: "end",
      turns: steps.map(([input, reply]) => ({
        input,
        assertions: { type: "equals", value: reply ?? "" },
      })),
    }));
    const verdicts: { text: string; hint: unknown; awaiting: boolean }[] = [];
    const results = await run(cases, "core-bot", (reply) => {
      const detection = detectAwaitingInput({ content: reply.content });
      const { hint } = reply.state as { hint: string };
      verdicts.push({ text: reply.content, hint, awaiting: detection.awaiting });
      return detection;
    });
    expect(
      results.filter(({ status }) => status !== "passed").map(({ id, error }) => [id, error]),
    ).toEqual([]);
    expect(verdicts).toHaveLength(46);
    // The last word has the bot itself.
    expect(
      verdicts.filter(({ hint, awaiting }) => awaiting !== (hint === "expectingInput")),
    ).toEqual([]);
    expect(verdicts.filter(({ awaiting }) => awaiting).length).toBeGreaterThan(20);
  },
);

test.skipIf(missing !== undefined)(
  "Core Bot: the published conversations as a module, run by the program",
  async () => {
    const ended = await runCli(
      ["test", "-i", "cases/published.ts", "-n", "core-bot", "--parallel", "15", "--json"],
      { cwd: folder },
    );
    const results = ended.stdout
      .split("\n")
      .filter((line) => line.includes('"case-end"'))
      .map((line) => (JSON.parse(line) as { result: CaseResult }).result);
    expect(results.filter(({ status }) => status !== "passed").map(({ error }) => error)).toEqual(
      [],
    );
    expect(results).toHaveLength(15);
    expect(results.reduce((turns, { total_turns }) => turns + total_turns, 0)).toBe(46);
    expect(ended.code).toBe(0);
  },
);

test.skipIf(missing !== undefined)(
  "ELIZA asks without end: text alone says that it waits, and its own word settles that it does not",
  async () => {
    const said = [
      "Hello.",
      "I am sad.",
      "My mother never listens.",
      "I dream of trains.",
      "Yes.",
      "You are a machine.",
    ];
    const talk = (declares: boolean) => ({
      id: declares ? "declared" : "text alone",
      options: { metadata: { declares } },
      on_missing_input: "end",
      turns: said.map((input) => ({ input })),
    });
    const [alone, declared] = await run([talk(false), talk(true)], "eliza");
    const waits = ({ turns }: CaseResult): number =>
      turns.filter((turn) => turn.awaiting_input).length;
    expect(waits(alone!)).toBeGreaterThan(3);
    expect(waits(declared!)).toBe(0);
  },
);
