import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Plugin } from "../index.js";
import {
  InvalidProjectError,
  defineAdapter,
  defineAssertion,
  definePlugin,
  formatProblem,
  loadProject,
} from "../index.js";
import { z } from "zod";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "turnwise-project-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

async function problemsOf(options: Parameters<typeof loadProject>[0] = {}): Promise<string[]> {
  try {
    await loadProject({ root, env: {}, ...options });
    return [];
  } catch (error) {
    if (!(error instanceof InvalidProjectError)) throw error;
    return error.problems.map((problem) => formatProblem(problem).replaceAll(`${root}/`, ""));
  }
}

const nothing = z.strictObject({});
const say = (name: string): Plugin =>
  definePlugin({
    name,
    assertions: [
      defineAssertion({
        type: "said",
        schema: nothing,
        label: () => "said",
        check: () => ({ passed: true, message: "" }),
      }),
    ],
    adapters: [
      defineAdapter({
        type: "const",
        schema: z.strictObject({ text: z.string() }),
        create:
          ({ text }, { id }) =>
          () =>
            `${id}: ${text}`,
      }),
    ],
  });

async function ask(id: string, options: Parameters<typeof loadProject>[0] = {}): Promise<unknown> {
  const project = await loadProject({ root, env: {}, ...options });
  const agent = await project.agent(id);
  return agent.respond({ input: "hi" } as never);
}

test("the nearest config above is found, its folder is the root", async () => {
  write("turnwise.config.json", '{"defaults": {"agent": "a"}}');
  mkdirSync(join(root, "deep/er"), { recursive: true });
  const project = await loadProject({ root: join(root, "deep/er"), env: {} });
  expect(project.root).toBe(root);
  expect(project.config.defaults?.agent).toBe("a");
});

test.each([
  ["turnwise.config.ts", "export default { defaults: { agent: 'a' as string } };"],
  ["turnwise.config.mjs", "export default { defaults: { agent: 'a' } };"],
  ["turnwise.config.json", '\uFEFF{"defaults": {"agent": "a"}}'],
  ["turnwise.config.yaml", "# the config\ndefaults:\n  agent: a\n"],
])("%s", async (name, text) => {
  write(name, text);
  expect((await loadProject({ root, env: {} })).config).toEqual({ defaults: { agent: "a" } });
});

test("file agents: default exports, functions and objects, named exports, longest path", async () => {
  write(
    "agents/desk.ts",
    "export default (r: any) => `desk ${r.input}`; export const refund = () => 'refund of desk';",
  );
  write("agents/desk/sales.ts", "export default { respond: () => 'sales' };");
  write("agents/shop.mjs", "export default { prefix: 'shop', respond() { return this.prefix; } };");
  expect(await ask("desk")).toBe("desk hi");
  expect(await ask("desk.refund")).toBe("refund of desk");
  expect(await ask("desk.sales")).toBe("sales");
  expect(await ask("shop")).toBe("shop");
  const project = await loadProject({ root, env: {} });
  expect(project.agentIds()).toEqual(["desk", "desk.sales", "shop"]);
  expect(await project.agent("desk")).toBe(await project.agent("desk"));
});

test("the config map wins over files, plugins come last, adapters make agents", async () => {
  write("agents/a.ts", "export default () => 'file';");
  write(
    "turnwise.config.mjs",
    "export default { agents: { a: () => 'config', b: { type: 'const', text: 'made' } } };",
  );
  const plugin: Plugin = { ...say("p"), agents: { a: () => "plugin", c: () => "plugin" } };
  expect(await ask("a", { plugins: [plugin] })).toBe("config");
  expect(await ask("b", { plugins: [plugin] })).toBe("b: made");
  expect(await ask("c", { plugins: [plugin] })).toBe("plugin");
});

test("plugins: objects, loaders, paths from the root", async () => {
  write("plugins/mine.ts", "export default { name: 'mine', agents: { m: () => 'mine' } };");
  write("turnwise.config.json", '{"plugins": ["./plugins/mine.ts"]}');
  const project = await loadProject({
    root,
    env: {},
    plugins: [async () => ({ default: say("lazy") })],
  });
  expect(project.plugins.map((plugin) => plugin.name)).toEqual(["lazy", "mine"]);
  expect([...project.assertions.keys()]).toEqual(["said"]);
});

test("a name defined twice names both plugins", async () => {
  expect(await problemsOf({ plugins: [say("one"), say("two")] })).toEqual([
    'the plugins "one" and "two" both define the assertion type "said"\n    Rename one of them, or remove one of the plugins.',
    'the plugins "one" and "two" both define the agent type "const"\n    Rename one of them, or remove one of the plugins.',
  ]);
});

test("an assertion type may not declare fields that results have", async () => {
  const plugin = definePlugin({
    name: "p",
    assertions: [
      defineAssertion({
        type: "odd",
        schema: z.strictObject({ reason: z.string(), negate: z.boolean(), value: z.string() }),
        label: () => "odd",
        check: () => ({ passed: true, message: "" }),
      }),
    ],
  });
  expect(await problemsOf({ plugins: [plugin] })).toEqual([
    expect.stringContaining('"odd" declares the field "reason"'),
    expect.stringContaining('"odd" declares the field "negate"'),
  ]);
});

test("variables are replaced in JSON and YAML; .env is read, the environment wins", async () => {
  write(".env", "URL=from-file\nMODEL=small\n");
  write(
    "turnwise.config.yaml",
    'connectors:\n  main:\n    baseURL: "${URL}/v1"\n    model: ${MODEL}\n    apiKey: ${API_KEY}\n',
  );
  const project = await loadProject({
    root,
    env: { URL: "from-process", API_KEY: "k-1234567890" },
  });
  expect(project.config.connectors?.["main"]).toEqual({
    baseURL: "from-process/v1",
    model: "small",
    apiKey: "k-1234567890",
  });
  expect(project.env["MODEL"]).toBe("small");
  expect(project.secrets).toContain("k-1234567890");
  expect(await problemsOf({ env: {} })).toEqual([
    "turnwise.config.yaml:5  connectors.main.apiKey: the environment variable API_KEY is not set\n    Set it, or put it into .env in the project root.",
  ]);
});

test.each<[string, string, string, string[]]>([
  [
    "an unknown key, with its line",
    "turnwise.config.json",
    '{\n  "defaults": {\n    "agnet": "a"\n  }\n}',
    ['turnwise.config.json:3  defaults.agnet: there is no such field; did you mean "agent"?'],
  ],
  [
    "broken JSON",
    "turnwise.config.json",
    '{\n  "defaults": {\n',
    ["turnwise.config.json:3  not valid JSON: Expected property name or '}' at column 1"],
  ],
  [
    "YAML with a key twice",
    "turnwise.config.yaml",
    "defaults: {}\ndefaults: {}\n",
    ["turnwise.config.yaml:2  the key"],
  ],
  [
    "a module that throws",
    "turnwise.config.mjs",
    "throw new Error('no luck');",
    ["turnwise.config.mjs  cannot load turnwise.config.mjs: no luck"],
  ],
  [
    "no default export",
    "turnwise.config.mjs",
    "export const config = {};",
    [
      "turnwise.config.mjs  the config has no default export\n    Write: export default defineConfig({ ... })",
    ],
  ],
  [
    "an agent that is none",
    "turnwise.config.mjs",
    "export default { agents: { a: 5, b: { answer() {} } } };",
    [
      "turnwise.config.mjs  agents.a: expected an agent (a function, an object with respond(request), or { type, ... }), got number",
      "turnwise.config.mjs  agents.b: expected an agent (a function, an object with respond(request), or { type, ... }), got an object with the keys answer",
    ],
  ],
  [
    "an agent of an unknown type",
    "turnwise.config.json",
    '{"agents": {"a": {"type": "htpt"}}}',
    ['turnwise.config.json:1  agents.a.type: no plugin defines agents of the type "htpt"'],
  ],
  [
    "a bad duration",
    "turnwise.config.json",
    '{"defaults": {"timeout": "long"}}',
    [
      'turnwise.config.json:1  defaults.timeout: invalid duration: expected a duration such as "30s", "5m", "1h" or a number of milliseconds, got "long"',
    ],
  ],
  [
    "what is not supported yet",
    "turnwise.config.json",
    '{"metrics": {}}',
    ['turnwise.config.json:1  metrics: "metrics" in the config is not supported yet'],
  ],
  [
    "hooks that are none",
    "turnwise.config.json",
    '{"hooks": {"before": "agents:a", "after_each": ["scripts:b"]}}',
    [
      'turnwise.config.json:1  hooks.before: expected a script, got "agents:a"',
      'turnwise.config.json:1  hooks.after_each[0]: there is no script "b"',
    ],
  ],
  [
    "a plugin that cannot be found",
    "turnwise.config.json",
    '{"plugins": ["./nope.ts"]}',
    ["turnwise.config.json:1  plugins: cannot load the plugin ./nope.ts: cannot load nope.ts: "],
  ],
])("refuses %s", async (_, name, text, expected) => {
  write(name, text);
  const problems = await problemsOf();
  expect(problems.length).toBe(expected.length);
  for (const [index, problem] of problems.entries()) expect(problem).toContain(expected[index]);
});

test("options of an agent are checked by the adapter's schema", async () => {
  write("turnwise.config.json", '{"agents": {"a": {"type": "const", "txt": "x"}}}');
  expect(await problemsOf({ plugins: [say("p")] })).toEqual([
    'turnwise.config.json:1  agents.a.text: required field is missing; agents.a.txt: there is no such field; did you mean "text"?',
  ]);
});

test("a config that was named and is not there", async () => {
  expect(await problemsOf({ config: "other.json" })).toEqual([
    "other.json  there is no such config file",
  ]);
});

test.each([
  ["agents:dsek", 'there is no agent "dsek"; did you mean "desk"?'],
  ["agents:desk.nope", 'there is no export "nope" in it'],
  ["agents:broken", "cannot load"],
  ["agents:number", "expected an agent"],
  ["agents:desk.toString", 'there is no export "toString" in it'],
  ["scripts:nope", 'there is no script "nope"'],
  ["agent:desk", 'did you mean "agents:desk"?'],
])("the reference %s: %s", async (reference, reason) => {
  write("agents/desk.ts", "export default () => 'desk';");
  write("agents/broken.ts", "export default (((;");
  write("agents/number.ts", "export default 5;");
  const project = await loadProject({ root, env: {} });
  const resolved = await project.resolveReference(reference);
  expect("problem" in resolved && resolved.problem.message).toContain(reason);
});

test("scripts resolve to a file", async () => {
  write("scripts/check/it.ts", "export default () => true;");
  const project = await loadProject({ root, env: {} });
  expect(await project.resolveReference("scripts:check.it?strict=true")).toEqual({
    kind: "scripts",
    id: "check.it",
    parameters: { strict: true },
    file: join(root, "scripts/check/it.ts"),
    exportName: "default",
  });
});

test("a path names an agent in the config, in JSON too", async () => {
  write("turnwise.config.json", '{"agents": {"a": "./lib/bot.ts", "b": "./nope.ts"}}');
  write("lib/bot.ts", "export default () => 'from a path';");
  expect(await problemsOf()).toEqual([
    "turnwise.config.json:1  agents.b: there is no such file: ./nope.ts",
  ]);
  write("nope.ts", "export default () => 'b';");
  expect(await ask("a")).toBe("from a path");
});

test("a class is refused when it is loaded, and says what to do", async () => {
  write("agents/bot.ts", "export default class Bot { respond() { return 'hi'; } }");
  const project = await loadProject({ root, env: {} });
  expect(await project.resolveReference("bot")).toMatchObject({
    problem: { message: "expected an agent, got a class; export an instance of it" },
  });
});

test.each([
  ["agents/desk.ts", 'did you mean the id "desk"?'],
  ["./agents/shop/sales.ts", 'did you mean the id "shop.sales"?'],
  ["desk.ts", "It exports default"],
])("who writes a file instead of an id is told: %s", async (text, hint) => {
  write("agents/desk.ts", "export default () => 'desk';");
  write("agents/shop/sales.ts", "export default () => 'sales';");
  const project = await loadProject({ root, env: {} });
  const resolved = await project.resolveReference(text);
  expect("problem" in resolved && formatProblem(resolved.problem)).toContain(hint);
});

test.each([
  [
    "a misspelt key",
    { name: "p", asertions: [] },
    'plugin 1: asertions: there is no such field; did you mean "assertions"?',
  ],
  [
    "assertions that are no list",
    { name: "p", assertions: 5 },
    "plugin 1: assertions: expected an array, got 5",
  ],
  [
    "an assertion without its parts",
    { name: "p", assertions: [{ type: "mine" }] },
    "plugin 1: assertions[0].schema: required field is missing (expected a zod schema)",
  ],
  ["no name", {}, "plugin 1: name: required field is missing"],
  [
    "no plugin at all",
    5,
    "plugin 1 is not made by definePlugin({ name, ... }): expected an object, got number",
  ],
])("a plugin with %s is refused", async (_, plugin, problem) => {
  expect(await problemsOf({ plugins: [plugin as never] })).toContain(problem);
});

test("defaults that have no effect yet are refused; a secret in a problem is masked", async () => {
  write(
    "turnwise.config.json",
    '{"defaults": {"retries": 3, "connector": "x", "parallel": "${API_KEY}"}, "scripts": {"x": 5}}',
  );
  const problems = await problemsOf({ env: { API_KEY: "sk-supersecret1" } });
  expect(problems.join("\n")).not.toContain("sk-supersecret1");
  expect(problems).toEqual([
    'turnwise.config.json:1  defaults.parallel: expected a number, got "***"',
    'turnwise.config.json:1  defaults.connector: there is no connector "x"\n    Add it under "connectors" in turnwise.config.*.',
    "turnwise.config.json:1  scripts.x: expected the path of a module, got number",
  ]);
});

test("where a module breaks is said", async () => {
  write("agents/syntax.ts", "export default () => {\n  const = 5;\n};\n");
  write("agents/throws.ts", "\n\nthrow new Error('no luck');\n");
  const project = await loadProject({ root, env: {} });
  const messages = await Promise.all(
    ["syntax", "throws"].map(async (id) => {
      const resolved = await project.resolveReference(id);
      return "problem" in resolved ? resolved.problem.message : "";
    }),
  );
  expect(messages[0]).toMatch(/^cannot load agents\/syntax\.ts: .*\(line 2, column \d+\)$/);
  expect(messages[1]).toBe("cannot load agents/throws.ts: no luck (agents/throws.ts:3)");
});

test("YAML anchors that multiply are a problem of the config, not a crash", async () => {
  const bomb = ["b", "c", "d", "e"]
    .map((key, index) => `${key}: &${key} [${`*${"abcd"[index]},`.repeat(9)}*${"abcd"[index]}]`)
    .join("\n");
  write("turnwise.config.yaml", `a: &a [${"x,".repeat(9)}x]\n${bomb}\n`);
  expect((await problemsOf())[0]).toContain("Excessive alias count");
});

test.each([
  [
    "only for import",
    '{"name": "acme", "type": "module", "exports": {".": {"import": "./index.js"}}}',
    "export default { name: 'acme' };",
  ],
  [
    "CommonJS",
    '{"name": "acme", "main": "index.js"}',
    "exports.__esModule = true; exports.default = { name: 'acme' };",
  ],
  ["plain CommonJS", '{"name": "acme"}', "module.exports = { name: 'acme' };"],
])("a plugin package that is %s", async (_, manifest, code) => {
  write("node_modules/acme/package.json", manifest);
  write("node_modules/acme/index.js", code);
  write("turnwise.config.json", '{"plugins": ["acme"]}');
  const project = await loadProject({ root, env: {} });
  expect(project.plugins.map(({ name }) => name)).toEqual(["acme"]);
});

test("a plugin package that is not there", async () => {
  write("turnwise.config.json", '{"plugins": ["acme-nope"]}');
  const [problem] = await problemsOf();
  expect(problem).toContain("cannot load the plugin acme-nope: ");
  expect(problem).not.toContain("\n");
});

test("a folder called .env is no environment", async () => {
  mkdirSync(join(root, ".env"));
  expect((await loadProject({ root, env: { A: "1" } })).env).toEqual({ A: "1" });
});
