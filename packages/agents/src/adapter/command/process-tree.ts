import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";

/** Processes that are running now, for the case that ours ends first. */
const running = new Set<ChildProcess>();

function killAll(): void {
  for (const child of running) killTree(child);
}

/** Starts a program in a process group of its own, so that its children can be ended with it. */
export function start(
  [program = "", ...args]: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): ChildProcess {
  const child = spawn(program, args, {
    ...options,
    stdio: "pipe",
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  if (running.size === 0) process.once("exit", killAll);
  running.add(child);
  child.once("close", () => forget(child));
  child.once("error", () => {
    if (child.pid === undefined) forget(child);
  });
  return child;
}

function forget(child: ChildProcess): void {
  running.delete(child);
  if (running.size === 0) process.off("exit", killAll);
}

/** Ends a process and its children at once. */
export function killTree(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (process.platform === "win32") {
    spawn("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true });
    return;
  }
  try {
    // The whole group, also when its first process has ended already.
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nobody is left of it.
    child.kill("SIGKILL");
  }
}
