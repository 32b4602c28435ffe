import { readFile } from "node:fs/promises";
import { AuthorError, errorMessage } from "@turnwise/core";
import type { FakeScript } from "./schema.js";
import { check } from "./check.js";
import { scriptReplies } from "./script-replies.js";
import { scriptSchema } from "./schema.js";

/**
 * Reads a script from a `.yaml`, `.yml` or `.json` file (YAML 1.2), and compiles its patterns to see that they are valid.
 * @throws AuthorError naming the file and everything that is wrong with it.
 */
export async function loadFakeScript(file: string): Promise<FakeScript> {
  if (!/\.(?:ya?ml|json)$/i.test(file))
    throw new AuthorError(`${file}: expected a .yaml, .yml or .json file`);
  const value = await parse(file, await read(file));
  const checked = check(scriptSchema, value);
  if ("problems" in checked)
    throw new AuthorError(checked.problems.map((problem) => `${file}: ${problem}`).join("\n"));
  try {
    await scriptReplies(checked.value);
  } catch (error) {
    throw new AuthorError(`${file}: ${errorMessage(error)}`, { cause: error });
  }
  return checked.value;
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
    throw new AuthorError(
      missing ? `${file}: there is no such file` : `${file}: ${errorMessage(error)}`,
      { cause: error },
    );
  }
}

async function parse(file: string, text: string): Promise<unknown> {
  const { LineCounter, parseDocument } = await import("yaml");
  const lineCounter = new LineCounter();
  const document = parseDocument(text, {
    version: "1.2",
    schema: "core",
    lineCounter,
    prettyErrors: false,
  });
  const problem = document.errors[0];
  if (problem !== undefined) {
    const { line, col } = lineCounter.linePos(problem.pos[0]);
    throw new AuthorError(`${file}:${line}:${col}: ${problem.message}`);
  }
  try {
    return document.toJS() as unknown;
  } catch (error) {
    throw new AuthorError(`${file}: ${errorMessage(error)}`, { cause: error });
  }
}
