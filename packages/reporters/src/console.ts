import { defineReporter } from "@turnwise/core";
import type { CaseResult, RunEvent, RunSummary, SuiteInput } from "@turnwise/core";
import picocolors from "picocolors";
import { z } from "zod";
import { plainText } from "@turnwise/core";
import { oneLine } from "./plain.js";
import { rerunCommand } from "./rerun.js";
import type { TreeStyle } from "./tree.js";
import { caseLine, caseTree, count, hasDiff, seconds, trialOf } from "./tree.js";

const schema = z.strictObject({
  verbose: z.boolean().optional().describe("Every case as a tree, replies whole."),
  quiet: z.boolean().optional().describe("Only what did not pass, and the summary."),
  color: z.boolean().optional(),
  columns: z.int().positive().optional().describe("Width of the screen. Default 100."),
  arguments: z
    .array(z.string())
    .optional()
    .describe(
      "Arguments of the command line beside the inputs, for the command that runs a case again.",
    ),
});

const double = "═".repeat(63);
const single = "─".repeat(63);

/** What people read: a line for each pass, a tree for the rest, a summary. */
export const consoleReporter = defineReporter({
  name: "console",
  schema,
  create({ options, stream }) {
    const colors = picocolors.createColors(options.color === true);
    const { columns, arguments: args = [] } = options;
    let inputs: readonly SuiteInput[] = [];
    let style: TreeStyle = {
      colors,
      verbose: options.verbose === true,
      ...(columns === undefined ? {} : { columns }),
      rerun: (result) => rerunCommand(result, inputs, args),
    };
    let message = false;
    const isLine = (result: CaseResult): boolean =>
      !message && !style.verbose && result.status === "passed" && result.warnings === undefined;
    const formatCase = (result: CaseResult): string => {
      if (isLine(result)) return caseLine(result, style);
      // Who sends one message wants to read the answer, whatever its length.
      return caseTree(result, message ? { ...style, verbose: true } : style);
    };
    /** What did not pass, said again where the eye ends up. A handful: the rest stands above. */
    const failures = new FirstFew();
    /** Cases of which some trials passed and some did not. */
    const rates = new FirstFew();
    const trials = new TrialCounter();
    /** A tree stands apart from the lines around it. */
    let afterLine = false;
    const textOf = (event: RunEvent): string => {
      if (event.type === "run-start") {
        inputs = event.inputs;
        message = event.inputs.length === 1 && event.inputs[0]!.kind === "message";
        return options.quiet === true ? "" : header(event, style);
      }
      if (event.type === "case-end") {
        const { result } = event;
        const rate = trials.add(result);
        if (rate !== undefined) rates.add(rate);
        if (result.status === "failed" || result.status === "error")
          failures.add(failureLine(result));
        if (options.quiet === true && !message && result.status === "passed") return "";
        const line = isLine(result);
        const text = `${afterLine && !line ? "\n" : ""}${formatCase(result)}`;
        afterLine = line;
        return text;
      }
      if (event.type !== "run-end") return "";
      return `${afterLine ? "\n" : ""}${summary(event.summary, style)}${rates.list(colors.yellow("Trials passed:"), "")}${failures.list(colors.red("Not passed:"), `${colors.red("✗")} `)}`;
    };
    /** Columns need to know how wide a character is, which takes a while to load. */
    const loadColumns = async (): Promise<void> => {
      const { sideBySide } = await import("./side-by-side.js");
      style = { ...style, sideBySide };
    };
    return {
      formatCase,
      // No promise for what is not shown: there are several events a turn.
      onEvent(event) {
        if (
          event.type === "case-end" &&
          style.sideBySide === undefined &&
          drawsColumns(event.result)
        )
          return loadColumns().then(() => stream.write(textOf(event)));
        const text = textOf(event);
        return text === "" ? undefined : stream.write(text);
      },
    };
  },
});

/** Whether something of the case is to be drawn in columns. */
function drawsColumns({ status, turns, final_assertions: finals }: CaseResult): boolean {
  if (status === "passed") return false;
  const rows = [...turns.flatMap(({ assertions = [] }) => assertions), ...finals];
  return rows.some(({ details }) => hasDiff(details));
}

/** How many failures the summary repeats. */
const mostFailures = 20;

function failureLine(result: CaseResult): string {
  const { id, error, blame } = result;
  const facts = [...trialOf(result), ...(blame === undefined || blame === "agent" ? [] : [blame])];
  const more = facts.length === 0 ? "" : ` (${facts.join(", ")})`;
  return oneLine(`[${id}]${more} ${error ?? ""}`, 200);
}

/** Lines for the end of the report, of which a handful are shown. */
class FirstFew {
  private readonly lines: string[] = [];
  private count = 0;

  add(line: string): void {
    if (++this.count <= mostFailures) this.lines.push(line);
  }

  list(title: string, bullet: string): string {
    if (this.count === 0) return "";
    const more = this.count - this.lines.length;
    return [
      "",
      `  ${title}`,
      ...this.lines.map((line) => `  ${bullet}${line}`),
      ...(more > 0 ? [`  and ${more} more`] : []),
      "",
    ].join("\n");
  }
}

/** Counts the trials of repeated cases until all of a case are there. */
class TrialCounter {
  private readonly open = new Map<string, { passed: number; total: number }>();

  /** The rate of the case, if this was its last trial and not all of them passed. */
  add({ id, status, trials }: CaseResult): string | undefined {
    if (trials === undefined) return undefined;
    const rate = this.open.get(id) ?? { passed: 0, total: 0 };
    rate.total++;
    if (status === "passed") rate.passed++;
    this.open.set(id, rate);
    if (rate.total < trials) return undefined;
    this.open.delete(id);
    if (rate.passed === trials) return undefined;
    const percent = Math.floor((rate.passed / trials) * 100);
    return `[${oneLine(id, 80)}] ${rate.passed} of ${trials} (${percent} %)`;
  }
}

function header(event: Extract<RunEvent, { type: "run-start" }>, { colors }: TreeStyle): string {
  const inputs = event.inputs.map(
    (input) =>
      `${colors.blue("ℹ")} Input: ${input.kind === "message" ? `"${oneLine(input.name, 60)}"` : `${plainText(input.name)} (${count(input.cases, "test case")})`}`,
  );
  return [
    double,
    `  ${colors.bold("Turnwise")}`,
    double,
    ...(event.agent === undefined ? [] : [`${colors.blue("ℹ")} Agent: ${event.agent}`]),
    ...inputs,
    "",
    single,
    "  Running Tests",
    single,
    "",
    "",
  ].join("\n");
}

/** Who was asked how often. */
function callsLine(usage: RunSummary["usage"]): string[] {
  const calls = (["target", "simulator", "validator", "generator"] as const).flatMap((role) => {
    const { calls: times = 0, total_tokens: tokens } = usage[role] ?? {};
    if (times === 0) return [];
    return [`${role} ${times}${tokens === undefined ? "" : ` (${tokens} tokens)`}`];
  });
  return calls.length === 0 ? [] : [`  Model calls: ${calls.join(", ")}`];
}

function summary(run: RunSummary, { colors }: TreeStyle): string {
  const row = (label: string, value: string): string => `  ${label.padEnd(9)}${value}`;
  const optional = (label: string, value: number, paint: (text: string) => string): string[] =>
    value === 0 ? [] : [row(label, paint(String(value)))];
  const { trials } = run;
  const average = trials.total === 0 ? 0 : run.total_turns / trials.total;
  return [
    single,
    "  Summary",
    single,
    row("Total:", count(run.total, "test")),
    row("Passed:", run.passed > 0 ? colors.green(String(run.passed)) : "0"),
    row("Failed:", run.failed > 0 ? colors.red(String(run.failed)) : "0"),
    ...optional("Errors:", run.errors, colors.red),
    row("Skipped:", run.skipped > 0 ? colors.yellow(String(run.skipped)) : "0"),
    ...optional("Flaky:", run.flaky, colors.yellow),
    ...optional("Not run:", run.not_run, colors.yellow),
    ...(trials.total > run.total || trials.not_run > 0
      ? [
          row(
            "Trials:",
            `${trials.passed} of ${trials.total} passed${trials.not_run > 0 ? `, ${trials.not_run} not run` : ""}`,
          ),
        ]
      : []),
    "",
    `  Total turns: ${run.total_turns}`,
    `  Avg turns/test: ${average.toFixed(1)}`,
    `  Total time: ${seconds(run.duration_ms)}`,
    ...callsLine(run.usage),
    ...run.warnings.map((warning) => colors.yellow(`  Warning: ${warning.message}`)),
    ...(run.interrupted ? [colors.yellow("  Interrupted")] : []),
    ...(run.failed_fast ? [colors.yellow("  Stopped at the first failure (--fail-fast)")] : []),
    "",
  ].join("\n");
}
