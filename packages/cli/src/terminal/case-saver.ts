import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, extname, join, relative, resolve } from "node:path";
import type { CaseResult, TestCase } from "@turnwise/core";
import { commandOf } from "./shell.js";
import { savedCase } from "./saved-case.js";

/** Extensions of files that can be written. */
const extensions = [".yaml", ".yml", ".json", ".jsonl"];

/** A conversation of a case. */
interface Conversation {
  readonly id: string;
  readonly sessionId: string;
}

/** Saves what was said in a case as a case of its own, when it is over. */
export class CaseSaver {
  /** Files by the conversation that is to be saved in them. */
  private readonly wanted = new Map<string, string>();

  constructor(
    private readonly settings: {
      readonly cwd: string;
      /** The cases of the run. */
      readonly suite: AsyncIterable<TestCase>;
      /** Whether assertions are suggested for every turn. */
      readonly suggest: boolean;
    },
  ) {}

  /** Notes that a case is to be saved. Returns what to tell whoever asked, and whether it can be. */
  want(
    { id, sessionId }: Conversation,
    file: string | undefined,
  ): { readonly ready: boolean; readonly message: string } {
    const name = file === undefined ? this.freeName(id) : withExtension(file);
    if (!extensions.includes(extname(name).toLowerCase()))
      return {
        ready: false,
        message: `a case is written to a file that ends in ${extensions.join(", ")}`,
      };
    const taken = [...this.wanted].some(([other, one]) => other !== sessionId && one === name);
    if (taken || existsSync(resolve(this.settings.cwd, name)))
      return { ready: false, message: `${name} is taken already: name another file` };
    this.wanted.set(sessionId, name);
    return { ready: true, message: `${name} will be written when the case is over` };
  }

  /** Saves the case if that was asked for. Returns what to tell, if anything. */
  async take(result: CaseResult): Promise<string | undefined> {
    const { cwd, suggest } = this.settings;
    // Of attempts the last one counts, whichever it was said in.
    const sessions = [result, ...(result.attempts ?? [])].map(({ session_id: session }) => session);
    const session = sessions.find((one) => one !== undefined && this.wanted.has(one));
    const file = session === undefined ? undefined : this.wanted.get(session);
    if (session === undefined || file === undefined) return undefined;
    this.wanted.delete(session);
    if (result.total_turns === 0) return `Nothing was said: ${file} was not written.\n`;
    const testCase = await this.find(result.id);
    if (testCase === undefined) return undefined;
    const id = file.replace(/^.*[\\/]/, "").replace(/\.\w+$/, "");
    const raw = savedCase(testCase, result, { id, suggest });
    const path = resolve(cwd, file);
    try {
      await mkdir(dirname(path), { recursive: true });
      // Not over what has come there meanwhile.
      await writeFile(path, await textOf(raw, extname(file)), { flag: "wx" });
    } catch (error) {
      return `${file} cannot be written: ${(error as Error).message}\n`;
    }
    const place = relative(cwd, path);
    const agent =
      result.agent === undefined || result.agent === "agent" ? [] : ["-n", result.agent];
    return `Saved: ${place} (run it with: ${commandOf(["-i", place, ...agent])})\n`;
  }

  private async find(id: string): Promise<TestCase | undefined> {
    for await (const testCase of this.settings.suite) if (testCase.id === id) return testCase;
    return undefined;
  }

  private freeName(id: string): string {
    const { cwd } = this.settings;
    // Ids may hold anything; this becomes the name of a file.
    const name =
      id
        .replaceAll(/[^\p{L}\p{N}._-]+/gu, "-")
        .replace(/^[.-]+/, "")
        .slice(0, 80) || "case";
    const folder = existsSync(join(cwd, "tests")) ? "tests/" : "";
    for (let count = 1; ; count++) {
      const file = `${folder}${name}-typed${count === 1 ? "" : `-${count}`}.yaml`;
      if (!existsSync(resolve(cwd, file)) && ![...this.wanted.values()].includes(file)) return file;
    }
  }
}

function withExtension(file: string): string {
  return extname(file) === "" ? `${file}.yaml` : file;
}

async function textOf(raw: Readonly<Record<string, unknown>>, extension: string): Promise<string> {
  // Without what is undefined, which YAML would write as null.
  const json = JSON.stringify(raw);
  switch (extension.toLowerCase()) {
    case ".jsonl":
      return `${json}\n`;
    case ".json":
      return `${JSON.stringify([raw], undefined, 2)}\n`;
    default: {
      const { stringify } = await import("yaml");
      return stringify([JSON.parse(json)], { lineWidth: 100 });
    }
  }
}
