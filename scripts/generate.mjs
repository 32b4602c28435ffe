// Writes what is generated from the code: JSON Schemas for editors, and the pages of the command line, of problems and
// of JSONPath.
//   node scripts/generate.mjs           writes the files
//   node scripts/generate.mjs --check   says which are stale, and fails if any is
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
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
  "apps/turnwise/schema/result.json": json(core.resultJsonSchema()),
  "docs/cli.md": cliPage(),
  "docs/problems.md": await problemsPage(),
  "docs/json-path.md": pathPage(),
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
  for (const { name, description, options, examples: usage } of commands) {
    lines.push(`## turnwise ${name}`, "", description, "", "```sh", ...usage, "```", "");
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

/** A case for each kind of problem that a case can have. What is said about it stands on the page. */
function examples() {
  const a = { id: "a", input: "hi" };
  return {
    unknown_key: { id: "a", inptu: "hi" },
    invalid_value: { ...a, assert: { type: "contains", value: "x", negate: "yes" } },
    missing_field: { ...a, assert: { type: "contains" } },
    conflict: { ...a, assert: { type: "regex", pattern: "a", value: "b" } },
    duplicate_key: '{"id": "a", "input": "hi", "input": "ho"}',
    invalid_json: '{"id": "a", "input": "hi",}',
    invalid_encoding: '{"id": "a", "input": "\\ud83d"}',
    duplicate_id: `${JSON.stringify(a)}\n${JSON.stringify(a)}`,
    invalid_duration: { ...a, timeout: "3 min" },
    invalid_pattern: { ...a, assert: { type: "regex", value: "a(?=b)" } },
    invalid_path: { ...a, assert: { type: "json_path", path: "$.items[" } },
    invalid_schema: { ...a, assert: { type: "json_schema", value: { typ: "object" } } },
    invalid_reference: { ...a, agent: "agent:desk" },
    unknown_agent: { ...a, agent: "desc" },
    unknown_script: { ...a, agent: "scripts:desk" },
    unknown_assertion: { ...a, assert: { type: "containz", value: "x" } },
    unknown_checkpoint: {
      ...a,
      checkpoints: [{ id: "paid", assertions: { value: "x" }, after: ["confirmed"] }],
    },
    missing_file: { ...a, attachments: [{ type: "image", source: "file://receipt.png" }] },
    not_supported: { ...a, assert: { type: "tool_calls", value: [] } },
    unverified_goal: { ...a, simulator: "agents:desk" },
    no_assertions: a,
    ignored: { ...a, assert: { value: "x" }, expected: "y" },
    no_cases: "// nothing yet",
  };
}

async function problemsPage() {
  const folder = mkdtempSync(join(tmpdir(), "turnwise-docs-"));
  const lines = [
    "# Problems",
    "",
    "<!-- Generated from the code by `npm run generate`. -->",
    "",
    "All files are checked before anything runs. Whatever is wrong is listed at once, with file and line, the case, the",
    "place inside of it, and the kind of problem in parentheses; then Turnwise ends with 2. Warnings are listed too, and",
    "the run goes on; with `--strict` they are problems.",
    "",
  ];
  try {
    mkdirSync(join(folder, "agents"));
    writeFileSync(join(folder, "agents/desk.js"), "export default () => 'hello';\n");
    const project = await core.loadProject({ root: folder, plugins: [assertions] });
    const file = join(folder, "cases.jsonl");
    const shown = examples();
    for (const [code, { meaning, remedy }] of Object.entries(core.problemCodes)) {
      lines.push(
        `## ${code}`,
        "",
        `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}. ${remedy}`,
        "",
      );
      const example = shown[code];
      if (example === undefined) continue;
      const text = typeof example === "string" ? example : JSON.stringify(example);
      writeFileSync(file, `${text}\n`);
      const { suite, problems } = await core.loadSuite(["cases.jsonl"], { project, cwd: folder });
      const found = problems ?? suite.warnings;
      if (!found.some((problem) => problem.code === code))
        throw new Error(`the example of ${code} is none: ${core.formatProblems(found)}`);
      const said = core.formatProblems(found).replaceAll(folder, ".");
      lines.push("```json", text, "```", "", "```text", said, "```", "");
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return `${lines.join("\n").trimEnd()}\n`;
}

function pathPage() {
  const table = (name) =>
    JSON.parse(readFileSync(join(root, "packages/assertions/src/path", name), "utf8"));
  const cell = (text) => `\`${text.replaceAll("|", "\\|")}\``;
  const lines = [
    "# JSONPath",
    "",
    "<!-- Generated from the tables of the tests by `npm run generate`. -->",
    "",
    "`json_path` and `type` take a path in JSONPath as RFC 9535 has it, without functions, without queries inside of",
    "filters that can name several places, and without slices that run backwards. What is not taken is refused when the",
    "case is loaded. `$.` in front may be left out, and unquoted names may hold hyphens. Code is never run: there are no",
    "script expressions.",
    "",
    "A path is looked up in the reply: in its data, else in the JSON of its text (the whole text, else the first code",
    "fence, else the first balanced value in the prose). If nothing stands there, it is looked up in the newest state that",
    'the agent returned. With `"on"` it is looked up there, and nowhere else.',
    "",
    "A path that can name several places (wildcards, slices, lists, filters, `..`) stands for the list of what was found:",
    "",
    "- `value`: a list is compared with the whole list; anything else must be what each of them is.",
    "- `matches`, `gt`, `gte`, `lt`, `lte` must hold for each of them.",
    "- `length` is how many there are.",
    "- `exists`: whether there is any.",
    "",
    'However many were found: `$.items[*].sku` with the value `["A", "B"]` does not hold of a single `A`.',
    "",
    'Comparisons in filters convert nothing: `1` is not `"1"`, a place that is not there equals only another one that is',
    "not there, and `<` and `>` compare numbers with numbers and texts with texts. `?@.a` asks whether `a` is there, with",
    "any value, `null` and `false` too.",
    "",
    "## What paths find",
    "",
  ];
  for (const { title, document, queries } of table("dialect.json")) {
    lines.push(`### ${title}`, "", "```json", JSON.stringify(document), "```", "");
    lines.push("| path | finds |", "| --- | --- |");
    for (const { path, result } of queries) {
      const found = JSON.stringify(result).slice(1, -1);
      lines.push(`| ${cell(path)} | ${found === "" ? "nothing" : cell(found)} |`);
    }
    lines.push("");
  }
  lines.push("## What is refused", "", "| path | why |", "| --- | --- |");
  for (const { path, reason } of table("refused.json"))
    lines.push(`| ${path === "" ? "(empty)" : cell(path)} | ${reason.replaceAll("|", "\\|")} |`);
  return `${lines.join("\n")}\n`;
}
