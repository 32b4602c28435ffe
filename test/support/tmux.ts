import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import { onTestFinished, vi } from "vitest";
import { repository } from "./cli.js";
import { join } from "node:path";

const run = promisify(execFile);
const bin = join(repository, "apps/turnwise/bin/turnwise.js");

/** Whether there is a terminal to test in. */
export const hasTmux = ((): boolean => {
  try {
    execFileSync("tmux", ["-V"]);
    return true;
  } catch {
    return false;
  }
})();

/** A real terminal in which the built program runs. */
export interface Terminal {
  /** What stands on the screen, without blanks at the ends. */
  screen(): Promise<string>;
  /** Waits until a text stands on the screen, or a pattern. Returns the screen. */
  sees(text: string | RegExp): Promise<string>;
  /** Presses keys, by the names that tmux has for them. */
  press(...keys: string[]): Promise<void>;
  /** Types a text as it is. */
  type(text: string): Promise<void>;
  resize(columns: number, rows: number): Promise<void>;
  /** Pastes a text, marked as such. */
  paste(text: string): Promise<void>;
  /** What the program has written, with all that steers the terminal. */
  raw(): Promise<string>;
  /** As if the window was closed. */
  close(): Promise<void>;
  /** Everything since the start, also what has left the screen. */
  all(): Promise<string>;
}

let count = 0;

/** Starts the program in a terminal that goes away with the test. When it ends, its exit code stands there. */
export async function startInTerminal(
  args: readonly string[],
  {
    cwd,
    columns = 80,
    rows = 30,
    env = {},
  }: {
    readonly cwd: string;
    readonly columns?: number;
    readonly rows?: number;
    readonly env?: Readonly<Record<string, string>>;
  },
): Promise<Terminal> {
  const server = `turnwise-${process.pid}-${++count}`;
  const tmux = async (...parts: string[]): Promise<string> =>
    (await run("tmux", ["-L", server, ...parts], { env: { ...process.env, TMUX: "" } })).stdout;
  const quoted = [process.execPath, bin, ...args].map(
    (one) => `'${one.replaceAll("'", String.raw`'\''`)}'`,
  );
  const variables = Object.entries({ LANG: "C.UTF-8", ...env }).map(
    ([key, value]) => `${key}='${value}'`,
  );
  // Not the environment of whoever runs the tests: CI must not look like CI here. `cat` keeps the screen.
  const command = `env -i PATH="$PATH" HOME="$HOME" TERM=screen-256color ${variables.join(" ")} ${quoted.join(" ")}; echo "exit $?"; cat`;
  await tmux(
    "-u",
    "-f",
    "/dev/null",
    "new-session",
    "-d",
    "-x",
    String(columns),
    "-y",
    String(rows),
    "-c",
    cwd,
    "sh",
    "-c",
    command,
  );
  const close = async (): Promise<void> => void (await tmux("kill-server").catch(() => undefined));
  onTestFinished(close);
  await tmux("set-option", "-g", "history-limit", "10000");
  const log = join(mkdtempSync(join(tmpdir(), "turnwise-tmux-")), "log");
  await tmux("pipe-pane", "-o", `cat > '${log}'`);
  const trimmed = (text: string): string => text.replaceAll(/[ \t]+$/gm, "").trimEnd();
  const screen = async (): Promise<string> => trimmed(await tmux("capture-pane", "-p"));
  return {
    screen,
    sees: (text) =>
      vi.waitFor(
        async () => {
          const seen = await screen();
          const found = typeof text === "string" ? seen.includes(text) : text.test(seen);
          if (!found) throw new Error(`not on the screen: ${String(text)}\n${seen}`);
          return seen;
        },
        { timeout: 60_000, interval: 50 },
      ),
    press: async (...keys) => void (await tmux("send-keys", ...keys)),
    type: async (text) => void (await tmux("send-keys", "-l", text)),
    resize: async (width, height) =>
      void (await tmux("resize-window", "-x", String(width), "-y", String(height))),
    raw: async () => readFileSync(log, "utf8"),
    paste: async (text) => {
      await tmux("set-buffer", text);
      // As terminals do it that mark what is pasted.
      await tmux("paste-buffer", "-p", "-r");
    },
    close,
    all: async () => trimmed(await tmux("capture-pane", "-p", "-S", "-")),
  };
}
