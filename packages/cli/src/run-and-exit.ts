import type { Program } from "./program.js";
import { write } from "./output.js";

/**
 * Runs a program as the whole process: Ctrl-C cancels what is running, a second one ends at once, and the process
 * ends when everything has been written, even if an agent under test left a timer or a socket open.
 */
export async function runAndExit(
  create: (signal: AbortSignal) => Program,
  args: readonly string[],
): Promise<never> {
  const controller = new AbortController();
  let interrupts = 0;
  process.on("SIGINT", () => {
    interrupts++;
    if (interrupts > 1) process.exit(130);
    controller.abort();
  });
  // A pipe whose reader has gone, as in `turnwise test ... | head`.
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  const code = await create(controller.signal).run(args);
  await Promise.all([write(process.stdout, ""), write(process.stderr, "")]);
  process.exit(code);
}
