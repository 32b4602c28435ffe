import { defineReporter } from "@turnwise/core";
import type { CaseResult, RunEvent, RunSummary } from "@turnwise/core";
import picocolors from "picocolors";
import { z } from "zod";
import { plainText } from "@turnwise/core";
import { oneLine } from "./plain.js";
import type { TreeStyle } from "./tree.js";
import { caseLine, caseTree, count, seconds } from "./tree.js";

const schema = z.strictObject({
  verbose: z.boolean().optional().describe("Every case as a tree, replies whole."),
  quiet: z.boolean().optional().describe("Only what did not pass, and the summary."),
  color: z.boolean().optional(),
});

const double = "═".repeat(63);
const single = "─".repeat(63);

/** What people read: a line for each pass, a tree for the rest, a summary. */
export const consoleReporter = defineReporter({
  name: "console",
  schema,
  create({ options, stream }) {
    const colors = picocolors.createColors(options.color === true);
    const style: TreeStyle = { colors, verbose: options.verbose === true };
    let message = false;
    const isLine = (result: CaseResult): boolean =>
      !message && !style.verbose && result.status === "passed" && result.warnings === undefined;
    const formatCase = (result: CaseResult): string => {
      if (isLine(result)) return caseLine(result, style);
      // Who sends one message wants to read the answer, whatever its length.
      return caseTree(result, message ? { ...style, verbose: true } : style);
    };
    /** What did not pass, said again where the eye ends up. A handful: the rest stands above. */
    const failures: string[] = [];
    /** A tree stands apart from the lines around it. */
    let afterLine = false;
    const textOf = (event: RunEvent): string => {
      if (event.type === "run-start") {
        message = event.inputs.length === 1 && event.inputs[0]!.kind === "message";
        return options.quiet === true ? "" : header(event, style);
      }
      if (event.type === "case-end") {
        const { result } = event;
        if (result.status === "failed" || result.status === "error")
          failures.push(failureLine(result));
        if (options.quiet === true && !message && result.status === "passed") return "";
        const line = isLine(result);
        const text = `${afterLine && !line ? "\n" : ""}${formatCase(result)}`;
        afterLine = line;
        return text;
      }
      if (event.type !== "run-end") return "";
      return `${afterLine ? "\n" : ""}${summary(event.summary, style)}${failureList(failures, style)}`;
    };
    return {
      formatCase,
      // No promise for what is not shown: there are several events a turn.
      onEvent(event) {
        const text = textOf(event);
        return text === "" ? undefined : stream.write(text);
      },
    };
  },
});

/** How many failures the summary repeats. */
const mostFailures = 20;

function failureLine({ id, error, blame }: CaseResult): string {
  const whose = blame === undefined || blame === "agent" ? "" : ` (${blame})`;
  return oneLine(`[${id}]${whose} ${error ?? ""}`, 200);
}

function failureList(failures: readonly string[], { colors }: TreeStyle): string {
  if (failures.length === 0) return "";
  const more = failures.length - mostFailures;
  return [
    "",
    `  ${colors.red("Not passed:")}`,
    ...failures.slice(0, mostFailures).map((line) => `  ${colors.red("✗")} ${line}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
    "",
  ].join("\n");
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

function summary(run: RunSummary, { colors }: TreeStyle): string {
  const row = (label: string, value: string): string => `  ${label.padEnd(9)}${value}`;
  const optional = (label: string, value: number, paint: (text: string) => string): string[] =>
    value === 0 ? [] : [row(label, paint(String(value)))];
  const average = run.total === 0 ? 0 : run.total_turns / run.total;
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
    "",
    `  Total turns: ${run.total_turns}`,
    `  Avg turns/test: ${average.toFixed(1)}`,
    `  Total time: ${seconds(run.duration_ms)}`,
    ...run.warnings.map((warning) => colors.yellow(`  Warning: ${warning.message}`)),
    ...(run.interrupted ? [colors.yellow("  Interrupted")] : []),
    "",
  ].join("\n");
}
