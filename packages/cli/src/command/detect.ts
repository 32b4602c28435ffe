import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, resolve } from "node:path";
import type * as Core from "@turnwise/core";
import type { Detection } from "@turnwise/core";
import type { detectOptions } from "../option/detect-options.js";
import type { OptionValues } from "../option/option.js";
import type { CommandEnvironment } from "./command.js";
import type { LabelledTurn } from "./labelled-turns.js";
import type { Figures } from "./measure.js";
import { write } from "../output.js";
import { exitCodes } from "./command.js";
import { readTurns } from "./labelled-turns.js";
import { measure } from "./measure.js";
import { loadProject } from "./with-suite.js";

interface Judged {
  readonly turn: LabelledTurn;
  readonly detection: Detection;
}

/** Says of replies whether they wait, and of labelled ones how often that is right. Returns the exit code. */
export async function detect(
  values: OptionValues<typeof detectOptions>,
  environment: CommandEnvironment,
): Promise<number> {
  const core = await import("@turnwise/core");
  const { stdout, stderr } = environment.output;
  try {
    if (values.input === undefined || values.input.trim() === "")
      throw new SyntaxError('name a reply or a file: turnwise detect -i "Which city?"');
    const project = await loadProject(core, values.config, environment);
    const options = await core.compileDetection(project.config.detection ?? {});
    if (project.config.detection?.detect !== undefined)
      await write(
        stderr,
        "warning detection.detect is not used here: texts are judged by the rules, no agent is asked\n",
      );
    const turns = await turnsFrom(values.input, environment);
    const judged = turns.map((turn): Judged => ({
      turn,
      detection: standing(turn.recorded) ?? core.detectAwaitingInput(turn.reply, options),
    }));
    const changed = judged.filter(
      ({ turn: { recorded }, detection }) => recorded && recorded.awaiting !== detection.awaiting,
    );
    if (changed.length > 0)
      await write(
        stderr,
        `warning ${changed.length} of ${judged.length} turns are judged otherwise than in their run, which had other settings: ${changed[0]?.turn.id ?? ""}\n`,
      );
    const labelled = judged.filter(({ turn }) => turn.awaiting !== undefined);
    if (labelled.length > 0 && labelled.length < judged.length)
      await write(
        stderr,
        `warning ${judged.length - labelled.length} of ${judged.length} turns have no label, and are left out\n`,
      );
    const text =
      labelled.length > 0
        ? figuresOf(labelled, { json: values.json === true, errors: values.errors ?? 20, core })
        : judged
            .map((one) => (values.json === true ? jsonOf(one) : lineOf(one, core, judged.length)))
            .join("");
    await write(stdout, text);
    return exitCodes.passed;
  } catch (error) {
    if (!(error instanceof SyntaxError || core.TurnwiseError.isInstance(error))) throw error;
    await write(
      stderr,
      `error ${core.plainText(core.errorMessage(error)).replaceAll("\n", "\n      ")}\n`,
    );
    return exitCodes.usage;
  }
}

/** What a run saw and a text does not show stands; texts are judged again. */
function standing(recorded: Detection | undefined): Detection | undefined {
  return recorded?.reason === "content_is_question" || recorded?.reason === "completed"
    ? undefined
    : recorded;
}

async function turnsFrom(
  input: string,
  { cwd, stdin }: CommandEnvironment,
): Promise<readonly LabelledTurn[]> {
  const path = resolve(cwd, input);
  const lines = [".jsonl", ".ndjson"].includes(extname(input).toLowerCase());
  if (input !== "-" && !lines && !existsSync(path) && !/^\S+\.\w{1,5}$/.test(input))
    return [oneTurn(input)];
  const text = input === "-" ? await readAll(stdin) : await readText(path, input);
  const source = input === "-" ? "stdin" : input;
  const turns =
    lines || (input === "-" && /^\s*\{"/.test(text)) ? readTurns(text, source) : [oneTurn(text)];
  if (turns.length === 0 || text.trim() === "")
    throw new SyntaxError(`there is no turn in ${source}`);
  return turns;
}

function oneTurn(text: string): LabelledTurn {
  return { id: "reply", reply: { content: text }, groups: {} };
}

async function readAll(stream: CommandEnvironment["stdin"]): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}

async function readText(path: string, name: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    if (error.code === "ENOENT") throw new SyntaxError(`there is no such file: ${name}`);
    if (error.code === "EISDIR") throw new SyntaxError(`${name} is a folder: name a file`);
    throw new SyntaxError(`${name} cannot be read: ${error.message}`);
  }
}

function jsonOf({ turn, detection }: Judged): string {
  return `${JSON.stringify({ id: turn.id, ...detection })}\n`;
}

function lineOf({ turn, detection }: Judged, core: typeof Core, of: number): string {
  const { awaiting, kind, reason, evidence, confidence } = detection;
  const facts = [
    ...(of > 1 ? [turn.id] : []),
    awaiting ? `awaiting (${kind ?? "question"})` : "completed",
    reason,
    ...(evidence === undefined ? [] : [JSON.stringify(evidence)]),
    confidence.toFixed(2),
  ];
  return `${core.plainText(facts.join("\t")).replaceAll("\n", " ")}\n`;
}

function figuresOf(
  judged: readonly Judged[],
  {
    json,
    errors,
    core,
  }: { readonly json: boolean; readonly errors: number; readonly core: typeof Core },
): string {
  const rows = judged.map(({ turn, detection }) => ({
    turn,
    detection,
    wanted: turn.awaiting === true,
    got: detection.awaiting,
  }));
  const groups = new Map<string, Map<string, typeof rows>>();
  for (const row of rows)
    for (const [field, value] of Object.entries(row.turn.groups)) {
      const values = groups.get(field) ?? new Map<string, typeof rows>();
      groups.set(field, values);
      const of = values.get(value);
      if (of === undefined) values.set(value, [row]);
      else of.push(row);
    }
  const wrong = rows.filter((row) => row.wanted !== row.got);
  if (json) {
    const by = Object.fromEntries(
      [...groups].map(([field, values]) => [
        field,
        Object.fromEntries([...values].map(([value, of]) => [value, measure(of)])),
      ]),
    );
    const errorRows = wrong.slice(0, errors).map(({ turn, detection }) => ({ ...turn, detection }));
    return `${JSON.stringify({ all: measure(rows), by, errors: errorRows })}\n`;
  }
  const lines = [tableHead, tableRow("all", measure(rows))];
  for (const [field, values] of groups) {
    lines.push("", `by ${field}`);
    const sorted = [...values].toSorted(([, a], [, b]) => b.length - a.length);
    for (const [value, of] of sorted) lines.push(tableRow(value, measure(of)));
  }
  if (wrong.length > 0 && errors > 0)
    lines.push("", `${wrong.length} judged otherwise than labelled`);
  for (const { turn, detection, wanted } of wrong.slice(0, errors)) {
    const text = turn.reply.content ?? "";
    lines.push(
      `  [${turn.id}] ${wanted ? "waits" : "is done"}, called ${detection.awaiting ? "waiting" : "done"} (${detection.reason}): ${JSON.stringify(text.slice(-160))}`,
    );
  }
  return `${core.plainText(lines.join("\n"))}\n`;
}

const tableHead = `${"".padEnd(24)}  turns  waiting  accuracy  (95 %)         precision  recall    F1`;

function tableRow(name: string, figures: Figures): string {
  const percent = (share: number | null): string =>
    share === null ? "-" : (100 * share).toFixed(1);
  const [low, high] = figures.interval;
  return [
    name.slice(0, 24).padEnd(24),
    String(figures.turns).padStart(6),
    String(figures.awaiting).padStart(8),
    percent(figures.accuracy).padStart(9),
    `(${percent(low)} - ${percent(high)})`.padEnd(14),
    percent(figures.precision).padStart(10),
    percent(figures.recall).padStart(7),
    percent(figures.f1).padStart(6),
  ].join(" ");
}
