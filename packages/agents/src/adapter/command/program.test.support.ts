import type { CaseResult, Project } from "@turnwise/core";
import { outcomeOf, projectWith, run } from "../agent.test.support.js";

/** What every program of the tests begins with: it reads lines, and says what it is told to. */
const prelude = `
import { createInterface } from "node:readline";
import { spawn } from "node:child_process";
import { writeFileSync, writeSync } from "node:fs";
const say = (value) => writeSync(1, JSON.stringify(value) + "\\n");
const raw = (text) => writeSync(1, text);
const log = (text) => writeSync(2, text + "\\n");
let turn = 0;
const onLine = (answer) => createInterface({ input: process.stdin }).on("line", (line) => {
  const request = JSON.parse(line);
  answer(request, ++turn);
});
`;

/** A project whose agent is this program of Node, in a file \`agent.mjs\`. */
export function programProject(
  body: string,
  options: object = {},
  files: Readonly<Record<string, string>> = {},
): Promise<Project> {
  const command = [process.execPath, "agent.mjs"];
  return projectWith(
    { type: "command", command, ...options },
    { "agent.mjs": prelude + body, ...files },
  );
}

/** What becomes of a case against this program. */
export async function runProgram(
  body: string,
  testCase: Readonly<Record<string, unknown>> = {},
  options: object = {},
): Promise<{ readonly outcome: string; readonly result: CaseResult }> {
  const result = await run(await programProject(body, options), testCase);
  return { outcome: outcomeOf(result).replaceAll(process.execPath, "NODE"), result };
}

/** Whether a process is there and no zombie. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
