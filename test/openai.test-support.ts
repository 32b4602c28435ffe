import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FakeModel, FakeReplyFunction, FakeScript } from "@turnwise/testkit";
import type { CaseResult, Project, RunCaseOptions } from "@turnwise/core";
import agents from "@turnwise/agents";
import assertions from "@turnwise/assertions";
import { loadProject, runCase } from "@turnwise/core";
import { startFakeModel } from "@turnwise/testkit";
import { onTestFinished } from "vitest";

/** The two APIs of an `openai` agent, each in one piece and streamed. */
export const ways = [
  ["chat", { api: "chat" }],
  ["chat, streamed", { api: "chat", stream: true }],
  ["responses", { api: "responses" }],
  ["responses, streamed", { api: "responses", stream: true }],
] as const;

/** A project of these files and this config in an empty folder, which disappears with the test. */
export async function projectOf(
  config: object,
  files: Readonly<Record<string, string | Buffer>> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<Project> {
  const root = mkdtempSync(join(tmpdir(), "turnwise-openai-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  writeFileSync(join(root, "turnwise.config.json"), JSON.stringify(config));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(root, name), content);
  return loadProject({ root, plugins: [agents, assertions], env });
}

/** A fake model that is closed with the test. */
export async function fakeModel(script?: FakeScript | FakeReplyFunction): Promise<FakeModel> {
  const model = await startFakeModel(script === undefined ? {} : { script });
  onTestFinished(() => model.close());
  return model;
}

/** A request as the model got it. */
export type Body = Readonly<Record<string, unknown>>;

/** Runs a case with an `openai` agent of these options against a fake model that says this. */
export async function talk(
  agent: object,
  script: FakeScript | FakeReplyFunction | undefined,
  testCase: object,
  options: RunCaseOptions & { files?: Readonly<Record<string, string | Buffer>> } = {},
): Promise<{ result: CaseResult; bodies: Body[]; statuses: number[] }> {
  const { files = {}, ...more } = options;
  const model = await fakeModel(script);
  const project = await projectOf(
    {
      connectors: { main: { baseURL: model.baseURL, model: "m-1" } },
      defaults: { connector: "main" },
      agents: { bot: { type: "openai", ...agent } },
    },
    files,
  );
  const result = await runCase({ id: "c", ...testCase }, { project, agent: "bot", ...more });
  return {
    result,
    bodies: model.requests.map(({ body }) => body as Body),
    statuses: model.requests.map(({ status }) => status),
  };
}

/** What was said in a request, whichever API it was for: ids of calls replaced by their order. */
export function said({ messages, input }: Body): unknown {
  const ids = new Map<string, string>();
  return JSON.parse(JSON.stringify(messages ?? input), (key, value: unknown) => {
    if (!/^(tool_call_id|call_id|id)$/.test(key) || typeof value !== "string") return value;
    ids.set(value, ids.get(value) ?? `#${ids.size + 1}`);
    return ids.get(value);
  });
}

/** What went right or wrong, and where: for comparing at once. */
export function outcome({ status, blame, error }: CaseResult): string {
  return `${status}${blame === undefined ? "" : ` (${blame})`}${error === undefined ? "" : `: ${error}`}`;
}

/** A script of one conversation that says this, step by step. */
export function replies(...list: readonly (string | object)[]): FakeScript {
  return { conversations: [{ replies: list }] } as FakeScript;
}
