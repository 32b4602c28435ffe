import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
// @ts-expect-error -- a script without types
import { boundaryProblems } from "../scripts/check-boundaries.mjs";

function problems(files: Record<string, string | object>): string[] {
  const root = mkdtempSync(join(tmpdir(), "turnwise-boundaries-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const manifests = {
    "packages/core/package.json": {
      dependencies: { jiti: "", jsonrepair: "", re2js: "", yaml: "", zod: "" },
    },
    "packages/core/src/index.ts": "export {};",
    "packages/one/package.json": { dependencies: { "@turnwise/core": "" } },
    "packages/one/src/index.ts": 'import { a } from "@turnwise/core";\nexport { a };',
  };
  for (const [path, content] of Object.entries({ ...manifests, ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(
      join(root, path),
      typeof content === "string" ? content : JSON.stringify(content),
    );
  }
  return (boundaryProblems as (root: string) => string[])(root);
}

test("a workspace that keeps the rule", () => {
  expect(problems({})).toEqual([]);
});

test.each<[string, Record<string, string | object>, string]>([
  [
    "a sibling as dependency",
    { "packages/one/package.json": { devDependencies: { "@turnwise/two": "" } } },
    "packages/one/package.json depends on @turnwise/two; packages may depend on core only",
  ],
  [
    "an import of a sibling over several lines",
    { "packages/one/src/a.ts": 'import {\n  a,\n} from "@turnwise/two";' },
    "packages/one/src/a.ts imports @turnwise/two; packages may import core only, by its public name",
  ],
  [
    "a dynamic import of a sibling",
    { "packages/one/src/a.ts": 'const a = await import("@turnwise/two");' },
    "packages/one/src/a.ts imports @turnwise/two; packages may import core only, by its public name",
  ],
  [
    "an indented import, the second on its line",
    { "packages/one/src/a.ts": '  import "node:fs"; import { a } from "@turnwise/two";' },
    "packages/one/src/a.ts imports @turnwise/two; packages may import core only, by its public name",
  ],
  [
    "require and template literals",
    { "packages/one/src/a.ts": "require(`@turnwise/two`);" },
    "packages/one/src/a.ts imports @turnwise/two; packages may import core only, by its public name",
  ],
  [
    "the inside of core",
    { "packages/one/src/a.ts": 'export { a } from "@turnwise/core/src/a.js";' },
    "packages/one/src/a.ts imports @turnwise/core/src/a.js; packages may import core only, by its public name",
  ],
  [
    "a path out of the package",
    { "packages/one/src/a.ts": 'import "../../core/src/index.js";' },
    "packages/one/src/a.ts imports ../../core/src/index.js, which is outside its package",
  ],
  [
    "core that imports anything of ours",
    { "packages/core/src/a.ts": 'import type { A } from "@turnwise/one";' },
    "packages/core/src/a.ts imports @turnwise/one; packages may import core only, by its public name",
  ],
  [
    "one dependency more in core",
    { "packages/core/package.json": { dependencies: { zod: "", openai: "" } } },
    "packages/core/package.json depends on openai, zod; core depends on exactly jiti, jsonrepair, re2js, yaml, zod",
  ],
])("%s is found", (_, files, problem) => {
  expect(problems(files)).toEqual([problem]);
});
