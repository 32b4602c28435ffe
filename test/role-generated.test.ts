import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import assertions from "@turnwise/assertions";
import { definePlugin, loadProject, loadSuite, runSuite } from "@turnwise/core";
import { describe, expect, onTestFinished, test } from "vitest";

/* What a model wrote is data: it runs no code and reads nothing outside. What a person wrote may. */

const good = { id: "good", input: "A table", assertions: [{ type: "contains", value: "table" }] };

/** A project with a script that leaves a file behind, keys, and links that lead out. */
function projectFolder(): { readonly root: string; readonly sprung: () => boolean } {
  const root = mkdtempSync(join(tmpdir(), "turnwise-generated-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const path of ["scripts", "files"]) mkdirSync(join(root, path));
  const left = join(root, "sprung");
  // A file, and no variable: assertions run in threads. Both when it is loaded and when it is called.
  const spring = `writeFileSync(${JSON.stringify(left)}, "");`;
  writeFileSync(
    join(root, "scripts/trap.js"),
    `import { writeFileSync } from "node:fs";\n${spring}\nexport default () => { ${spring} return true; };`,
  );
  writeFileSync(join(root, "turnwise.config.json"), '{"defaults": {"agent": "desk"}}');
  writeFileSync(join(root, ".env"), "KEY=1");
  symlinkSync("/etc/hostname", join(root, "files/link"));
  symlinkSync("/etc", join(root, "files/out"));
  return { root, sprung: () => existsSync(left) };
}

const loadFrom = (root: string, input: string, cases: readonly object[]) =>
  loadProject({
    root,
    plugins: [
      assertions,
      definePlugin({
        name: "roles",
        agents: {
          desk: ({ input: said }) => `You said: ${String(said)}`,
          maker: () => JSON.stringify({ cases }),
        },
      }),
    ],
    env: {},
  }).then((project) => loadSuite([input], { project, cwd: root }));

const script = { type: "script", use: "scripts:trap" };
const regex = { type: "regex", value: "a", engine: "js" };
const attached = (source: string, type = "file"): object => ({ attachments: [{ type, source }] });
const inTurn = (turn: object): object => ({
  input: undefined,
  assertions: undefined,
  turns: [{ input: "x", ...turn }],
});
const inside = { type: "not", assertion: { type: "any", assertions: [script] } };
const mock = (use: string): object => ({ mocks: { tools: { look_up: { use } } } });

const judges = "it has an assertion that runs a script";
const runs = 'it runs the script "scripts:trap"';
const pattern = 'it has a pattern with the engine "js"';
const outside = "which is outside of the project";

describe.each<[string, object, string]>([
  ["a hook", { before: "scripts:trap" }, '"before" runs a hook'],
  ["a hook in a list", { after: ["scripts:trap"] }, '"after" runs a hook'],
  ["a script that simulates", { simulator: { use: "scripts:trap" } }, runs],
  ["a script that judges", { assertions: [script] }, judges],
  ["one by its other name", { assertions: [{ type: "script", script: "scripts:trap" }] }, judges],
  ["one in a turn, inside of others", inTurn({ assertions: inside }), judges],
  ["one after every turn", { invariants: [script] }, judges],
  ["one on the way", { checkpoints: [{ id: "c", assertions: [script] }] }, judges],
  ["a judge that is a script", { assertions: [{ type: "agent", use: "scripts:trap" }] }, runs],
  ["a target that is a script", { agent: "scripts:trap" }, "the target must be an agent"],
  ["a mock by script", mock("scripts:trap"), runs],
  ["one with blanks before it", mock(" scripts:trap"), 'it runs the script " scripts:trap"'],
  ["one that does not say its kind", mock("trap"), 'expected a script, got "trap"'],
  ["a pattern in JavaScript", { assertions: [regex] }, pattern],
  ["one inside of others", { final_assertions: [{ type: "all", assertions: [regex] }] }, pattern],
  ["a path above", attached("../../etc/passwd"), "expected an address with file://"],
  ["an address above", attached("file://../../../../../../etc/passwd"), outside],
  ["a file of the system", attached("file:///etc/passwd", "image"), outside],
  ["one in a turn", inTurn(attached("file:///etc/passwd")), outside],
  ["a link that leads out", attached("file://files/link"), outside],
  ["a link to a folder outside", attached("file://files/out/hostname"), outside],
  ["a file with keys", attached("file://.env"), "a hidden file"],
  ["an address", attached("https://example.com/a.png", "image"), "it fetches"],
])("of five generated cases the one with %s", (_, bad, why) => {
  test("is left out, and nothing of it happens", async () => {
    const { root, sprung } = projectFolder();
    const cases = ["a", "b", "bad", "c", "d"].map((id) => ({
      ...good,
      id,
      ...(id === "bad" ? bad : {}),
    }));
    const { suite } = await loadFrom(root, "agents:maker", cases);
    expect(suite!.warnings).toHaveLength(1);
    expect(suite!.warnings[0]).toMatchObject({ code: "refused_case" });
    expect(suite!.warnings[0]!.message).toContain('the case "bad" was left out');
    expect(suite!.warnings[0]!.message).toContain(why);
    const seen: string[] = [];
    const summary = await runSuite({
      suite: suite!,
      onEvent: (event) => event.type === "case-end" && seen.push(event.id),
    });
    expect(seen.toSorted()).toEqual(["a", "b", "c", "d"]);
    expect(summary).toMatchObject({ passed: 4, total: 4 });
    expect(sprung()).toBe(false);
  });
});

test.each<[string, object]>([
  ["a hook", { before: "scripts:trap" }],
  ["a script that judges", { assertions: [script] }],
  ["a mock by script", mock("scripts:trap")],
])("%s in a file that a person wrote does run", async (_, own) => {
  const { root, sprung } = projectFolder();
  writeFileSync(join(root, "cases.json"), JSON.stringify([{ ...good, ...own }]));
  const { suite } = await loadFrom(root, "cases.json", []);
  expect(await runSuite({ suite: suite! })).toMatchObject({ passed: 1 });
  expect(sprung()).toBe(true);
});
