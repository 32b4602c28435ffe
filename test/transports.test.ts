import { spawnSync } from "node:child_process";
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadFakeScript, startFakeModel } from "@turnwise/testkit";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { repository, runCli } from "./support/cli.js";
import { startServer } from "./support/servers.js";

/*
 * One file of cases, and the same assistant behind everything that can be reached: whatever brings a message there and
 * the reply back must not change a verdict.
 */

const example = join(repository, "examples/connect");

/** Every agent of the example but the one that the others are compared with. */
const transports = [
  "file",
  "http",
  "sse",
  "ndjson",
  "custom",
  "node",
  "python",
  "chat",
  "chat-stream",
  "responses",
  "responses-stream",
];

/** More cases, with verdicts that are not passes: those have to be the same, too. */
const more = `
- id: wrong-text
  turns:
    - { input: Where is my parcel 4711?, assertions: { type: contains, value: in Paris } }
    - { input: "Yes", assertions: [{ type: tool_called, name: burn_parcel }, { type: contains, value: Done }] }
  mocks:
    tools: { find_parcel: { returns: { status: in transit, city: Lyon } }, hold_parcel: { returns: { until: Friday } } }
- { id: unmocked, input: Where is my parcel 4711?, assertions: { type: contains, value: x }, mocks: {} }
- { id: nothing-open, turns: [{ input: Hello }, { answer: { approve: true } }] }
- { id: waits, turns: [{ input: Hello }] }
- id: answers-the-call
  turns:
    - { input: I have a new address. }
    - { answer: { to: ask_user, choice: 5 Mill Lane }, assertions: { type: contains, value: 5 Mill Lane } }
`;

async function verdicts(
  agent: string,
  folder: string,
  servers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const run = await runCli(
    ["test", "-i", "tests/parcels.yaml", "-i", "more.yaml", "-n", agent, "--json"],
    { cwd: folder, env: servers },
  );
  expect(run.stderr).not.toMatch(/^error/m);
  expect(run.code).toBe(1);
  const results = run.stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ type }) => type === "case-end")
    .map(({ result }) => result);
  return JSON.stringify(results, withoutTransport, 2);
}

/** What says how a reply came, and when, and not what it was. Ids of calls are the model's own. */
function withoutTransport(key: string, value: unknown): unknown {
  const own = ["agent", "run_id", "session_id", "started_at", "duration_ms", "usage", "log"];
  if (own.includes(key)) return undefined;
  if (key === "id" && /^call[-_]/.test(String(value))) return "call";
  return value;
}

describe("the same verdicts behind every transport", () => {
  let folder: string;
  let expected: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "turnwise-connect-"));
    cpSync(example, folder, { recursive: true, filter: (path) => !path.includes("node_modules") });
    writeFileSync(join(folder, "more.yaml"), more);
    expected = await verdicts("function", folder);
    return () => rmSync(folder, { recursive: true, force: true });
  });

  test("of a function", () => {
    const summary = [...expected.matchAll(/^ {4}"(id|status|blame)": "(.*)"/gm)].map(
      ([, , value]) => value,
    );
    expect(summary).toEqual([
      "held",
      "passed",
      "depot-down",
      "passed",
      "asks-the-user",
      "passed",
      "greeting",
      "passed",
      "wrong-text",
      "failed",
      "agent",
      "unmocked",
      "error",
      "mock",
      "nothing-open",
      "error",
      "author",
      "waits",
      "skipped",
      "answers-the-call",
      "passed",
    ]);
  });

  const python = spawnSync("python3", ["--version"]).status === 0;
  if (!python && process.env["CI"] !== undefined) throw new Error("CI needs python3");
  test.each(transports)("behind %s", async (agent) => {
    if (agent === "python" && !python) {
      console.warn("NOT RUN: the command transport with Python, since there is no python3");
      return;
    }
    const script = await loadFakeScript(join(example, "programs/model.yaml"));
    const model = await startFakeModel({ script });
    onTestFinished(() => model.close());
    const server = await startServer([process.execPath, "programs/server.mjs", "0"], example);
    const servers = { ASSISTANT_URL: server, MODEL_URL: model.baseURL };
    expect(await verdicts(agent, folder, servers)).toBe(expected);
  });
});
