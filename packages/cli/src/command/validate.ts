import type { OptionValues } from "../option/option.js";
import type { selectOptions } from "../option/select-options.js";
import type { CommandEnvironment } from "./command.js";
import { write } from "../output.js";
import { exitCodes } from "./command.js";
import { withSuite } from "./with-suite.js";

/** Checks cases, references and assertions without running anything. Returns the exit code. */
export function validate(
  values: OptionValues<typeof selectOptions>,
  environment: CommandEnvironment,
): Promise<number> {
  return withSuite(values, environment, { running: false }, async ({ suite }) => {
    const inputs = suite.inputs.length === 1 ? "1 input" : `${suite.inputs.length} inputs`;
    const cases = suite.count === 1 ? "1 case is" : `${suite.count} cases are`;
    await write(environment.output.stdout, `${cases} valid, in ${inputs}.\n`);
    return exitCodes.passed;
  });
}
