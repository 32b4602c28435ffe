import { expect, test, vi } from "vitest";
import { temporaryProject } from "./support/cli.js";
import { isRunning } from "./support/is-running.js";

const agent = "export default ({ input }) => `you said ${input}`;";
const config = '{"defaults": {"agent": "desk"}}';
const checked = (id: string, use: string): string =>
  JSON.stringify({ id, input: "hi", assert: { type: "script", use } });

test("scripts that take all, leave or never end are errors of their own cases; the others are tested", async () => {
  const bombs = {
    map: "const all = new Map(); for (let i = 0; ; i++) all.set(i, i);",
    set: "const all = new Set(); for (let i = 0; ; i++) all.add(i);",
    numbers: "const all = []; for (;;) all.push(new Array(3e7).fill(0.5));",
    bytes: "const all = []; for (;;) all.push(Buffer.alloc(1e7, 1));",
  };
  const there = temporaryProject({
    "agents/desk.ts": agent,
    "turnwise.config.json": config,
    "scripts/bombs.ts": [
      ...Object.entries(bombs).map(([name, text]) => `export const ${name} = () => { ${text} };`),
      "export const leave = () => process.exit(0);",
      "export const fine = ({ turn }) => turn.content === 'you said hi';",
    ].join("\n"),
    "cases.jsonl": [...Object.keys(bombs), "leave", "fine"]
      .map((name) => checked(name, `scripts:bombs.${name}`))
      .join("\n"),
  });
  const { code, stdout, stderr } = await there.run("test", "-i", "cases.jsonl");
  for (const name of Object.keys(bombs))
    expect(stdout).toContain(`scripts:bombs.${name} took more than 256 MB of memory`);
  expect(stdout).toContain("scripts:bombs.leave ended its process with process.exit(0)");
  expect(stdout).toContain("Passed:  1\n");
  expect(stdout).toContain("Errors:  5\n");
  // The stack of V8 helps nobody.
  expect(stderr.trim()).toBe("");
  expect(code).toBe(3);
});

test("a run that is killed leaves no script behind, not even one that never gives control back", async () => {
  const there = temporaryProject({
    "agents/desk.ts": agent,
    "turnwise.config.json": config,
    "scripts/kill.ts": `import { writeFileSync } from "node:fs";
export default () => {
  writeFileSync("pid", String(process.pid));
  process.kill(process.ppid, "SIGKILL");
  for (;;);
};`,
    "cases.jsonl": checked("a", "scripts:kill"),
  });
  await there.run("test", "-i", "cases.jsonl");
  const pid = Number(there.read("pid"));
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 10_000 });
});
