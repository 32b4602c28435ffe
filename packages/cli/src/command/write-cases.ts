import { mkdir, open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { CommandEnvironment } from "./command.js";
import type { LoadedCases } from "./with-suite.js";
import { write } from "../output.js";
import { exitCodes } from "./command.js";

/** Writes the cases as JSONL to a file or to standard output. */
export async function writeCases(
  { core, suite, refuse }: LoadedCases,
  files: readonly string[] | undefined,
  { cwd, output }: CommandEnvironment,
): Promise<number> {
  const [file, ...surplus] = files ?? [];
  if (surplus.length > 0 || file?.endsWith(".jsonl") === false)
    return refuse([
      {
        code: "invalid_value",
        severity: "error",
        message: `--dry-run writes one .jsonl file, got ${files!.join(", ")}`,
      },
    ]);
  const path = file === undefined ? undefined : resolve(cwd, file);
  let handle: FileHandle | undefined;
  try {
    if (path !== undefined) await mkdir(dirname(path), { recursive: true });
    if (path !== undefined) handle = await open(path, "w");
  } catch (error) {
    const message = `cannot write ${file}: ${core.errorMessage(error)}`;
    return refuse([{ code: "invalid_value", severity: "error", message }]);
  }
  try {
    for await (const testCase of suite) {
      const line = `${JSON.stringify(core.writtenCase(testCase))}\n`;
      await (handle === undefined ? write(output.stdout, line) : handle.appendFile(line));
    }
  } finally {
    await handle?.close();
  }
  const cases = suite.count === 1 ? "1 case" : `${suite.count} cases`;
  if (file !== undefined)
    await write(output.stderr, `${cases} written to ${file}; nothing was run.\n`);
  return exitCodes.passed;
}
