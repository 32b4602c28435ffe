import type { TestCase } from "@turnwise/core";
import type { OptionValues } from "../option/option.js";
import type { selectOptions } from "../option/select-options.js";
import type { CommandEnvironment } from "./command.js";
import { write } from "../output.js";
import { exitCodes } from "./command.js";
import { withSuite } from "./with-suite.js";

/** Lists the cases, a line each. Returns the exit code. */
export function list(
  values: OptionValues<typeof selectOptions>,
  environment: CommandEnvironment,
): Promise<number> {
  return withSuite(values, environment, { running: false }, async ({ core, suite }) => {
    const { stdout, stderr } = environment.output;
    for await (const testCase of suite)
      await write(stdout, `${lineOf(testCase, core.plainText)}\n`);
    await write(stderr, `${suite.count === 1 ? "1 case" : `${suite.count} cases`}\n`);
    return exitCodes.passed;
  });
}

/** The columns are separated by tabs, so no field can hold one. */
function lineOf(
  { id, name, tags, turns, skip }: TestCase,
  plainText: (text: string) => string,
): string {
  const columns = [
    id,
    turns.length === 1 ? "1 turn" : `${turns.length} turns`,
    name ?? "",
    (tags ?? []).map((tag) => `#${tag}`).join(" "),
    skip === undefined || skip === false ? "" : `skipped${skip === true ? "" : `: ${skip}`}`,
  ];
  return columns
    .map((column) => plainText(column).replaceAll(/\s+/g, " "))
    .join("\t")
    .trimEnd();
}
