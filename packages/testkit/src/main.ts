import { TurnwiseError, errorMessage } from "@turnwise/core";
import { UsageError, usage } from "./command/usage.js";

// Nothing here ends the process: output that is piped would be cut off.
try {
  await run(process.argv.slice(2));
} catch (error) {
  process.exitCode = error instanceof UsageError ? 2 : 1;
  // Errors of ours say it all; what caused them adds nothing for the user of a command.
  const known = error instanceof UsageError || TurnwiseError.isInstance(error);
  const message = known ? error.message : `unexpected: ${errorMessage(error)}`;
  const hint = error instanceof UsageError ? "\nSee turnwise-testkit --help." : "";
  process.stderr.write(`${message}${hint}\n`);
}

async function run(words: readonly string[]): Promise<void> {
  const [command, ...rest] = words;
  if (command === "--help" || command === "-h" || command === "help") {
    process.stdout.write(usage);
  } else if (command === "model") {
    const { runModel } = await import("./command/run-model.js");
    await runModel(rest);
  } else {
    throw new UsageError(
      command === undefined
        ? "expected a command: model"
        : `there is no command ${JSON.stringify(command)}: expected model`,
    );
  }
}
