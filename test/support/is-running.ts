import { existsSync, readFileSync } from "node:fs";

/** False also for a process that has ended and that nobody has asked for its end yet. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch (error) {
    // There is no /proc on a Mac.
    return (error as NodeJS.ErrnoException).syscall === "open" && !existsSync("/proc");
  }
}
