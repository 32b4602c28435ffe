import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryProject } from "./support/cli.js";

/** Writes down every module that is resolved. Hooks run in a thread of their own, which has no say in the run. */
const hooks = `import { appendFileSync } from "node:fs";
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  appendFileSync(process.env.MODULES_LOG, found.url + "\\n");
  return found;
}`;

const heavy = ["ink", "react", "yoga-layout", "openai", "ajv", "string-width", "is-in-ci"];

async function packagesOf(
  ...args: string[]
): Promise<{ loaded: Set<string>; code: number | null }> {
  const there = temporaryProject({
    "agents/desk.ts": 'export default () => "Hello.";',
    "cases.jsonl": '{"id": "a", "input": "hi", "assert": {"type": "contains", "value": "Hello"}}',
    "turnwise.config.json": "{}",
    "hooks.mjs": hooks,
    "register.mjs":
      'import { register } from "node:module"; register("./hooks.mjs", import.meta.url);',
  });
  const log = join(there.root, "modules");
  writeFileSync(log, "");
  const { code } = await there.runWith(
    { NODE_OPTIONS: `--import ${join(there.root, "register.mjs")}`, MODULES_LOG: log },
    ...args,
  );
  const urls = readFileSync(log, "utf8").split("\n");
  const names = urls.flatMap(
    (url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? [],
  );
  return { loaded: new Set(names), code };
}

test.each([
  [["--help"], "commander"],
  [["test", "-i", "cases.jsonl", "-n", "desk"], "zod"],
  [["init", "--folder", "new"], "commander"],
])(
  "%j off a terminal loads nothing that only a terminal, a model or a schema needs",
  async (args, needed) => {
    const { loaded, code } = await packagesOf(...args);
    expect(code).toBe(0);
    // What is loaded is seen at all.
    expect(loaded).toContain(needed);
    expect([...loaded].filter((name) => heavy.includes(name))).toEqual([]);
  },
);

test("--help loads commander alone", async () => {
  expect((await packagesOf("--help")).loaded).toEqual(new Set(["commander"]));
});
