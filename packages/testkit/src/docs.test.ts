import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { parseFakeScript } from "./index.js";
import { faultNames } from "./script/schema.js";

const page = readFileSync(new URL("../../../docs/fake-model.md", import.meta.url), "utf8");

test("the scripts of the page are valid, and it has every fault", () => {
  const scripts = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(
    ([, text]) => parse(text!) as object,
  );
  expect(scripts.length).toBe(2);
  for (const script of scripts)
    parseFakeScript("replies" in script ? { conversations: [script] } : script);
  for (const name of faultNames) expect(page).toMatch(new RegExp(`^\\| \`${name}\` +\\|`, "m"));
});
