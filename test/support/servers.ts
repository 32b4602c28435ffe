import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

/** Starts a program that prints its address, and ends it with the test. Returns the address. */
export async function startServer(
  command: readonly [string, ...string[]],
  cwd: string,
): Promise<string> {
  const [program, ...args] = command;
  const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(async () => {
    if (child.exitCode !== null) return;
    child.kill();
    await once(child, "exit");
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\/\/\S+/.exec(line)?.[0];
    if (url !== undefined) return url;
  }
  throw new Error(`${program} ${args.join(" ")} ended before it listened`);
}
