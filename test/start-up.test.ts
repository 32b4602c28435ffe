import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository, temporaryProject } from "./support/cli.js";

/** The packages whose modules a run of the program loads, as V8 has seen them. */
function loadedPackages(cwd: string, ...args: string[]): string[] {
  const coverage = join(cwd, "coverage");
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(repository, "apps/turnwise/bin/turnwise.js"), ...args],
    { cwd, encoding: "utf8", env: { PATH: process.env["PATH"] ?? "", NODE_V8_COVERAGE: coverage } },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const urls = readdirSync(coverage).flatMap((file) => {
    const report = JSON.parse(readFileSync(join(coverage, file), "utf8")) as {
      result: { url: string }[];
    };
    return report.result.map(({ url }) => url);
  });
  const names = urls.flatMap((url) => {
    const vendor = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
    const ours = /\/(?:packages|apps)\/([^/]+)\/dist\//.exec(url)?.[1];
    return vendor ?? ours ?? [];
  });
  return [...new Set(names)].toSorted();
}

test("--help loads the command line and nothing else", () => {
  const { root } = temporaryProject({});
  expect(loadedPackages(root, "--help")).toEqual(["cli", "commander", "turnwise"]);
  expect(loadedPackages(root, "test", "--help")).toEqual(["cli", "commander", "turnwise"]);
});

test("a run loads what it uses: no YAML, no JSON repair, no pattern engine, no globbing", () => {
  const { root } = temporaryProject({
    "turnwise.config.json": '{"defaults": {"agent": "echo"}}',
    "agents/echo.ts": "export default () => 'hello there';",
    "one.jsonl": '{"id": "one", "input": "hi", "assert": {"type": "contains", "value": "hello"}}',
  });
  expect(loadedPackages(root, "test", "-i", "one.jsonl")).toEqual([
    "agents",
    "assertions",
    "cli",
    "commander",
    "core",
    "jiti",
    "picocolors",
    "reporters",
    "turnwise",
    "zod",
  ]);
});
