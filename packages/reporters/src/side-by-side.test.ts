import picocolors from "picocolors";
import { expect, test } from "vitest";
import { sideBySide } from "./side-by-side.js";

const plain = picocolors.createColors(false);
const columns = (diff: string, width = 43): string =>
  `\n${sideBySide(diff, width, plain)?.join("\n") ?? "no room"}\n`;

test("what was removed stands beside what came in its place", () => {
  expect(
    columns(' {\n-  "status": "sent",\n-  "total": 3\n+  "status": "draft",\n }\n…\n+more\n-less'),
  ).toMatchInlineSnapshot(`
    "
    expected             │ actual
    {                    │ {
      "status": "sent",  ≠   "status": "draft",
      "total": 3         <
    }                    │ }
    …                    │ …
    less                 ≠ more
    "
  `);
});

test("long lines wrap, wide characters take two places, control characters none", () => {
  expect(columns("-日本語のとても長い文章です\n+short \u001B[31mred\u001B[0m\u0007"))
    .toMatchInlineSnapshot(`
    "
    expected             │ actual
    日本語のとても長い文 ≠ short red
    章です               │
    "
  `);
});

test("no columns where there is no room for two", () => {
  expect(sideBySide("-a\n+b", 42, plain)).toBeUndefined();
  expect(sideBySide("-a\n+b", 43, plain)).toBeDefined();
});
