// Writes what is generated from the code: JSON Schemas for editors, and the page of the command line.
//   node scripts/generate.mjs           writes the files
//   node scripts/generate.mjs --check   says which are stale, and fails if any is
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const load = (name) => import(new URL(`../packages/${name}/dist/index.js`, import.meta.url).href);
const core = await load("core");
const { default: assertions } = await load("assertions");
const { commands, exitCodeMeanings } = await load("cli");

const builtIn = { assertions: new Map(assertions.assertions.map((one) => [one.type, one])) };
const files = {
  "apps/turnwise/schema/case.json": json(
    // Types of plugins are not known here: they are no mistakes.
    core.caseJsonSchema(builtIn, { otherTypes: true }),
  ),
  "apps/turnwise/schema/config.json": json(core.configJsonSchema()),
  "docs/cli.md": cliPage(),
};

const check = process.argv.includes("--check");
for (const [path, content] of Object.entries(files)) {
  const file = join(root, path);
  if (!check) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    console.log(`wrote ${path}`);
  } else if (read(file) !== content) {
    console.error(`${path} is stale: npm run generate`);
    process.exitCode = 1;
  }
}

function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function json(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function cliPage() {
  const lines = [
    "# Command line",
    "",
    "<!-- Generated from the option table by `npm run generate`. -->",
    "",
    "`turnwise --help` and `turnwise <command> --help` show the same.",
    "",
  ];
  for (const { name, description, options, examples } of commands) {
    lines.push(`## turnwise ${name}`, "", description, "", "```sh", ...examples, "```", "");
    for (const option of Object.values(options)) {
      const fallback = option.fallback === undefined ? "" : ` Default: ${option.fallback}.`;
      const config = option.config === undefined ? "" : ` Config: \`defaults.${option.config}\`.`;
      const text = option.description.replaceAll("*", "\\*");
      lines.push(`- \`${option.flags}\`: ${text}.${fallback}${config}`);
    }
    lines.push("");
  }
  lines.push("## Exit codes", "");
  for (const [code, meaning] of exitCodeMeanings) lines.push(`- \`${code}\`: ${meaning}`);
  return `${lines.join("\n")}\n`;
}
