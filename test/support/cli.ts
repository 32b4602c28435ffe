import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

export const repository = fileURLToPath(new URL("../..", import.meta.url));
const bin = join(repository, "apps/turnwise/bin/turnwise.js");
if (!existsSync(join(repository, "apps/turnwise/dist/main.js")))
  throw new Error('the end-to-end tests run the built program: "npm run build" first');

/** What a run of the program left behind. */
interface CliRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A temporary project that disappears with the test. */
export interface TemporaryProject {
  readonly root: string;
  /** Runs the built program in it. */
  run(...args: string[]): Promise<CliRun>;
  /** The same with variables of the environment. */
  runWith(env: Readonly<Record<string, string>>, ...args: string[]): Promise<CliRun>;
  /** The same with a text on standard input. */
  pipe(stdin: string, ...args: string[]): Promise<CliRun>;
  read(path: string): string;
  write(path: string, content: string | Buffer): void;
}

/** Makes a project of these files in an empty folder. */
export function temporaryProject(
  files: Readonly<Record<string, string | Buffer>>,
): TemporaryProject {
  const root = mkdtempSync(join(tmpdir(), "turnwise-e2e-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const write = (path: string, content: string | Buffer): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  for (const [path, content] of Object.entries(files)) write(path, content);
  return {
    root,
    write,
    read: (path) => readFileSync(join(root, path), "utf8"),
    run: (...args) => runCli(args, { cwd: root }),
    runWith: (env, ...args) => runCli(args, { cwd: root, env }),
    pipe: (stdin, ...args) => runCli(args, { cwd: root, stdin }),
  };
}

/** Runs the built program as a child process. */
export function runCli(
  args: readonly string[],
  {
    cwd,
    stdin = "",
    env = {},
  }: {
    readonly cwd: string;
    readonly stdin?: string;
    readonly env?: Readonly<Record<string, string>>;
  },
): Promise<CliRun> {
  return new Promise((resolve, reject) => {
    // Only what the program needs: the environment of the developer must not show in the output.
    const child = spawn(process.execPath, [bin, ...args], {
      cwd,
      env: { PATH: process.env["PATH"] ?? "", ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    // The program may end before it has read its input.
    child.stdin.on("error", () => undefined);
    child.stdin.end(stdin);
    const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    child.stdout.on("data", (chunk: Buffer) => chunks.stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => chunks.stderr.push(chunk));
    child.on("error", reject);
    child.on("close", (code) =>
      resolve({
        code,
        stdout: Buffer.concat(chunks.stdout).toString("utf8"),
        stderr: Buffer.concat(chunks.stderr).toString("utf8"),
      }),
    );
  });
}

/** Output without what differs from run to run: times. */
export function stable(text: string): string {
  return text
    .replaceAll(/\((\d+ turns?, )?(\d+m \d\ds|\d+(\.\d+)?m?s)\)/g, "($1TIME)")
    .replaceAll(/(Total time: ).*/g, "$1TIME");
}
