import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { AuthorError } from "../index.js";
import { ScriptProcesses } from "./script-processes.js";

const root = realpathSync(mkdtempSync(join(tmpdir(), "turnwise-scripts-")));
let scripts = new ScriptProcesses({ root });
afterEach(async () => {
  await scripts.dispose();
  scripts = new ScriptProcesses({ root });
});

function script(name: string, text: string): string {
  writeFileSync(join(root, name), text);
  return join(root, name);
}
let made = 0;
const run = (
  text: string,
  more: Partial<Parameters<ScriptProcesses["run"]>[0]> = {},
  extension = "ts",
): Promise<unknown> =>
  scripts.run({
    file: script(`check-${++made}.${extension}`, text),
    exportName: "default",
    label: "scripts:check",
    data: { amount: 3 },
    ...more,
  });

test.each([
  ["TypeScript", "export default ({ amount }: { amount: number }): boolean => amount > 2;", "ts"],
  ["JavaScript", "export default ({ amount }) => amount > 2;", "js"],
  ["CommonJS", "module.exports = ({ amount }) => amount > 2;", "cjs"],
  ["a promise", "export default async ({ amount }) => amount > 2;", "mjs"],
])("%s", async (_, text, extension) => {
  expect(await run(text, {}, extension)).toBe(true);
});

test("a named export, and a result that is an object", async () => {
  const text = "export const total = ({ amount }) => ({ passed: false, score: amount });";
  expect(await run(text, { exportName: "total" })).toEqual({ passed: false, score: 3 });
});

test.each<[string, string, string | RegExp]>([
  [
    "throws",
    "export default () => {\n  throw new Error('no way');\n};",
    /threw: no way \(check-\d+\.ts:2\)$/,
  ],
  ["throws a text", "export default () => {\n  throw 'no';\n};", "threw: no"],
  ["throws an object", "export default () => {\n  throw { code: 4 };\n};", 'threw: {"code":4}'],
  [
    "throws what has no text",
    "export default () => {\n  throw Object.assign(Object.create(null), { self: 1n });\n};",
    "threw: a value that cannot be shown",
  ],
  [
    "throws for a reason",
    "export default () => {\n  throw new Error('no price', { cause: new Error('no shop') });\n};",
    "threw: no price: no shop",
  ],
  ["rejects", "export default async () => {\n  throw new RangeError('far');\n};", "threw: far"],
  [
    "never ends",
    "export default () => { while (true) {} };",
    "did not come to an end within 300ms: it never gives control back (an endless loop?)",
  ],
  [
    "never settles",
    "export default () => new Promise(() => {});",
    "did not settle the promise that it returned within 300ms",
  ],
  [
    "loops after a while",
    "export default async () => { await null; for (;;) {} };",
    "it never gives control back",
  ],
  ["leaves", "export default () => process.exit(3);", "ended its process with process.exit(3)"],
  ["leaves without an error", "export default () => process.exit(0);", "process.exit(0)"],
  [
    "throws from a timer",
    "export default () => new Promise(() => setTimeout(() => { throw new Error('late'); }));",
    "threw outside of its call, in a timer or a promise that nobody waits for: late",
  ],
  ["returns a function", "export default () => () => 1;", "returned what cannot be handed on"],
  ["exports nothing", "export const chekc = () => true;", 'has no export "default"'],
  ["exports no function", "export default 3;", 'its export "default" is not a function'],
  ["does not parse", "export default (", "cannot be loaded"],
  ["breaks when it is loaded", "throw new Error('not today');", "cannot be loaded: not today"],
])(
  "a script that %s: an error of the author with a message of its own",
  async (_, text, message) => {
    const error: unknown = await run(text, { timeout: 300 }).catch((thrown: unknown) => thrown);
    expect(error).toSatisfy((thrown) => AuthorError.isInstance(thrown));
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message).toMatch(/^scripts:check /);
    // The next one is none the worse.
    expect(await run("export default () => true;")).toBe(true);
  },
);

test.each([
  ["arrays", "const all = []; for (;;) all.push(new Array(10_000).fill(all.length));"],
  ["a map", "const all = new Map(); for (let i = 0; ; i++) all.set(i, i);"],
  ["an object", "const all = {}; for (let i = 0; ; i++) all['k' + i] = i;"],
  ["large arrays", "const all = []; for (;;) all.push(new Array(3e7).fill(0.5));"],
  ["buffers", "const all = []; for (;;) all.push(Buffer.alloc(1e7, 1));"],
  [
    "promises",
    "for (let all = Promise.resolve(); ; ) all = Promise.all([all, all.then(() => 1)]);",
  ],
])("a script that takes all the memory for %s", async (_, bomb) => {
  const text = `export default () => { ${bomb} };`;
  await expect(run(text, { timeout: 60_000 })).rejects.toThrow("took more than 256 MB of memory");
  expect(await run("export default () => true;")).toBe(true);
});

test("data that cannot be cloned", async () => {
  await expect(run("export default () => 1;", { data: { now: () => 1 } })).rejects.toThrow(
    "scripts:check cannot be given its data",
  );
});

test("a process and its modules are kept", async () => {
  const file = script("count.ts", "let count = 0;\nexport default () => ++count;");
  const again = (): Promise<unknown> =>
    scripts.run({ file, exportName: "default", label: "scripts:count", data: {} });
  expect([await again(), await again(), await again()]).toEqual([1, 2, 3]);
});

test("a bad one among good ones, more than there are processes", async () => {
  const good = script("good.ts", "export default ({ n }) => n * 2;");
  const bad = script("bad.ts", "export default () => { while (true) {} };");
  const runs = Array.from({ length: 12 }, async (_, n) =>
    scripts.run({
      file: n === 5 ? bad : good,
      exportName: "default",
      label: "scripts:mixed",
      data: { n },
      ...(n === 5 ? { timeout: 300 } : {}),
    }),
  );
  const settled = await Promise.allSettled(runs);
  expect(settled.map((one) => (one.status === "fulfilled" ? one.value : "broke"))).toEqual(
    Array.from({ length: 12 }, (_, n) => (n === 5 ? "broke" : n * 2)),
  );
});

test("who gives up waiting, or is at work when the run ends, gets the reason of the signal", async () => {
  const loop = "export default () => { while (true) {} };";
  const controller = new AbortController();
  const runs = Array.from({ length: 8 }, () => run(loop, { signal: controller.signal }));
  const settled = Promise.allSettled(runs);
  controller.abort(new Error("enough"));
  for (const one of await settled)
    expect(one).toMatchObject({ status: "rejected", reason: { message: "enough" } });
  await expect(run(loop, { signal: controller.signal })).rejects.toThrow("enough");
});

test("what a script prints goes to standard error", async () => {
  const errors = vi.spyOn(process.stderr, "write").mockImplementation(() => true);
  const output = vi.spyOn(process.stdout, "write").mockImplementation(() => true);
  await run(
    "export default () => { console.log('printed'); return new Promise((resolve) => setTimeout(resolve, 0)); };",
  );
  await vi.waitFor(() => expect(errors.mock.calls.join("")).toContain("printed"));
  expect(output.mock.calls.join("")).not.toContain("printed");
});

test("what a script prints before it leaves is not lost", async () => {
  const errors = vi.spyOn(process.stderr, "write").mockImplementation(() => true);
  const text = "export default () => { console.error('last words'); process.exit(1); };";
  await expect(run(text)).rejects.toThrow("process.exit(1)");
  expect(errors.mock.calls.join("")).toContain("last words");
});

test("one that ends just too late does not harm the next in its process", async () => {
  const slow =
    "export default () => { const end = Date.now() + 450; while (Date.now() < end); return true; };";
  await expect(run(slow, { timeout: 300 })).rejects.toThrow("did not come to an end within 300ms");
  expect(await run("export default () => true;")).toBe(true);
});

test.each([
  ["throws", "setTimeout(() => { throw new Error('left over'); });"],
  ["leaves", "setTimeout(() => process.exit(2));"],
  ["fills the memory", "for (let i = 0; i < 200; i++) kept.push(new Array(1e5).fill(0.5));"],
])("a script is not blamed for one before it that later %s", async (_, rest) => {
  expect(
    await run(`const kept: unknown[] = [];\nexport default () => { ${rest} return true; };`),
  ).toBe(true);
  const innocent =
    "export default () => { const own = []; for (let i = 0; i < 200; i++) own.push(new Array(1e5).fill(0.5)); return new Promise((resolve) => setTimeout(resolve, 20, own.length)); };";
  expect(await run(innocent)).toBe(200);
});

test("a module that is never there", async () => {
  scripts = new ScriptProcesses({ root, loadTimeout: 300 });
  await expect(run("await new Promise(() => {});\nexport default () => true;")).rejects.toThrow(
    "scripts:check was not loaded within 300ms",
  );
});

test("nobody waits for the end of a system call that a script is in", async () => {
  const released = join(root, "released");
  const child = script(
    "child.cjs",
    `const { existsSync } = require("node:fs");
     setInterval(() => existsSync(${JSON.stringify(released)}) && process.exit(), 5);`,
  );
  const blocked = `import { execFileSync } from "node:child_process";
    export default () => { execFileSync(process.execPath, [${JSON.stringify(child)}]); return true; };`;
  try {
    await expect(run(blocked, { timeout: 300 })).rejects.toThrow("it never gives control back");
    expect(await run("export default () => true;")).toBe(true);
  } finally {
    writeFileSync(released, "");
  }
});

test("a process without work does not hold the one that started it", async () => {
  vi.spyOn(process.stderr, "write").mockImplementation(() => true);
  // Node lists only what holds the process.
  const holding = (): string[] =>
    process
      .getActiveResourcesInfo()
      .filter((name) => /^(MessagePort|Worker|ProcessWrap|PipeWrap)$/.test(name));
  // Those of the test before may be on their way out.
  await vi.waitFor(() => expect(holding()).not.toContain("ProcessWrap"));
  const before = holding();
  await run("export default () => { console.log('kept'); console.error('kept'); return true; };");
  await vi.waitFor(() => expect(holding()).toEqual(before));
});

test("a process that an earlier script keeps busy, or has ended, is not used again", async () => {
  const busy = "export default () => { setTimeout(() => { for (;;); }, 20); return true; };";
  expect(await run(busy)).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(await run("export default () => true;")).toBe(true);
  const gone =
    'import { spawn } from "node:child_process";\nexport default () => { spawn(process.execPath, ["-e", "setTimeout(() => {}, 5000)"], { stdio: "inherit" }); setTimeout(() => process.exit(7), 5); return true; };';
  expect(await run(gone)).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(await run("export default () => true;", { timeout: 2_000 })).toBe(true);
});

test("a script cannot answer in our place, or close the channel", async () => {
  await expect(
    run(
      "export default () => { process.send({ kind: 'returned', result: true }); return false; };",
    ),
  ).rejects.toThrow("process.send is not a function");
  expect(await run("process.send?.('ready');\nexport default () => process.connected;")).toBe(true);
});

test("everything that a script prints arrives", async () => {
  const errors = vi.spyOn(process.stderr, "write").mockImplementation(() => true);
  const text =
    "export default () => { for (let i = 0; i < 5000; i++) console.log(`line ${i}`); process.exit(4); };";
  await expect(run(text)).rejects.toThrow("process.exit(4)");
  expect(errors.mock.calls.join("").match(/line /g)).toHaveLength(5_000);
});
