import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadProject, loadSuite } from "@turnwise/core";
import type { CaseResult } from "@turnwise/core";
import assertions from "@turnwise/assertions";
import { describe, expect, test } from "vitest";
import { repository, temporaryProject } from "./support/cli.js";

/* The documents stand beside the repository. Strangers do not have them: then these tests are skipped, and say so. */
const document = join(repository, "../shared/spec/agent-test-v2.txt");
const here = existsSync(document);
if (!here) console.warn("SKIPPED: the source documents (../shared/spec) are not here");

type Block = Readonly<Record<string, unknown>>;

/** The JSON objects that stand in the document as blocks, or on a line of their own. */
function blocks(): Block[] {
  const text = readFileSync(document, "utf8").replaceAll("[...]", "[]");
  const found = text.match(/^\{$[\s\S]*?^\}$|^\{.+\}$/gm) ?? [];
  return found.flatMap((block) => {
    try {
      return [JSON.parse(block) as Block];
    } catch {
      // Pseudo-code: metadata of roles, prompts.
      return [];
    }
  });
}

const isCase = (block: Block): boolean =>
  ("turns" in block || "input" in block) && !("status" in block) && !("goal_achieved" in block);

describe.skipIf(!here)("the source document", () => {
  const cases = here ? blocks().filter(isCase) : [];

  test("has the cases that these tests were written for", () => {
    expect(cases.length).toBe(7);
  });

  test.each(cases.map((block, index) => [index, block] as const))(
    "case %i is ready to run",
    async (index, block) => {
      const project = temporaryProject({
        "cases.json": JSON.stringify({ id: `example-${index}`, ...block }),
        "tests/fixtures/receipt.jpg": "jpg",
        "agents/any.ts": "export default () => 'hi';",
        ...Object.fromEntries(
          ["user-simulator", "user-sim", "validator"].map((id) => [
            `agents/workers/test/${id}.ts`,
            "export default () => 'hi';",
          ]),
        ),
        "turnwise.config.json": '{"defaults": {"agent": "any"}}',
      });
      const loaded = await loadSuite(["cases.json"], {
        project: await loadProject({ root: project.root, env: {}, plugins: [assertions] }),
        cwd: project.root,
      });
      const errors = loaded.problems?.filter((problem) => problem.severity === "error");
      expect(errors ?? []).toEqual([]);
    },
  );

  test("every field of its JSONL example appears in our output", async () => {
    const example = blocks().find((block) => "status" in block);
    const { root } = temporaryProject({});
    const project = temporaryProject({});
    const file = join(root, "results.jsonl");
    const { code } = await project.run(
      "test",
      "-i",
      join(repository, "examples/expense/tests/expense.jsonl"),
      "--config",
      join(repository, "examples/expense/turnwise.config.ts"),
      "-o",
      file,
    );
    expect(code).toBe(0);
    const rows = readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as CaseResult);
    const ours = paths(rows);
    expect([...paths([example])].filter((path) => !ours.has(path))).toEqual([]);
  });
});

/** The names of all fields, at whatever place of their lists. What assertions compare with is theirs. */
function paths(value: unknown, at = ""): Set<string> {
  if (Array.isArray(value)) return new Set(value.flatMap((item) => [...paths(item, at)]));
  if (typeof value !== "object" || value === null) return new Set();
  return new Set(
    Object.entries(value).flatMap(([key, item]) => [
      `${at}.${key}`,
      ...paths(item, `${at}.${key}`),
    ]),
  );
}

const scenarios = join(repository, "../shared/spec/scenario-multi-turn.txt");

describe.skipIf(!existsSync(scenarios))("the document of the scenario API", () => {
  test("its files are refused by name, not run as something else", async () => {
    const { root } = temporaryProject({
      "booking.sim.ts": readFileSync(scenarios, "utf8"),
      "agents/any.ts": "export default () => 'hi';",
    });
    const loaded = await loadSuite(["booking.sim.ts"], {
      project: await loadProject({ root, env: {}, plugins: [assertions] }),
      cwd: root,
    });
    expect(loaded.problems).toMatchObject([
      { code: "not_supported", message: "scenario files (.sim.ts) are not supported yet" },
    ]);
  });
});
