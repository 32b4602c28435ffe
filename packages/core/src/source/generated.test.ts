import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { AgentRequest, LoadedSuite, TestCase } from "../index.js";
import { defineAssertion, definePlugin, loadProject, loadSuite, runSuite, z } from "../index.js";

const has = defineAssertion({
  type: "has",
  schema: z.strictObject({ value: z.unknown() }),
  label: () => "has",
  check: ({ turn }, { value }) => ({ passed: turn.content.includes(String(value)), message: "" }),
});
const regex = defineAssertion({
  type: "regex",
  schema: z.strictObject({ value: z.string(), engine: z.string().optional() }),
  label: () => "regex",
  check: () => ({ passed: true, message: "" }),
});

let root: string;
let requests: AgentRequest[];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "turnwise-generated-"));
  requests = [];
  for (const folder of ["scripts", "files"]) mkdirSync(join(root, folder));
  writeFileSync(join(root, "files/note.txt"), "inside");
  writeFileSync(join(root, "turnwise.config.json"), "{}");
});

const good = { id: "good", input: "Hello", assertions: [{ type: "has", value: "Hello" }] };

async function load(reply: unknown, ...inputs: readonly string[]): Promise<LoadedSuite> {
  const plugin = definePlugin({
    name: "p",
    assertions: [has, regex],
    agents: {
      desk: {
        description: "Repeats what it is told.",
        tools: [{ name: "look_up", description: "Finds things." }],
        respond: ({ input: said }) => String(said),
      },
      judge: () => "{}",
      maker: ((request: AgentRequest) => {
        requests.push(request);
        return reply;
      }) as never,
    },
  });
  const project = await loadProject({ root, plugins: [plugin] });
  return loadSuite(inputs.length === 0 ? ["agents:maker"] : inputs, { project, agent: "desk" });
}

async function idsOf({ suite }: LoadedSuite): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of suite!) ids.push(id);
  return ids;
}

test("the generator is told of the target, and its cases run", async () => {
  const loaded = await load(
    { cases: [good] },
    "agents:maker?count=3&focus=edge-cases&complexity=high",
  );
  expect(await idsOf(loaded)).toEqual(["good"]);
  expect(requests).toHaveLength(1);
  expect(requests[0]!.options.metadata).toMatchObject({
    test_mode: "generator",
    target_agent: "desk",
    target_description: "Repeats what it is told.",
    target_tools: [{ name: "look_up", description: "Finds things." }],
    count: 3,
    focus: "edge-cases",
    complexity: "high",
    case_schema: { title: "Turnwise test cases" },
  });
  const { suite } = loaded;
  const summary = await runSuite({ suite: suite!, agent: "desk" });
  expect(summary).toMatchObject({ passed: 1, total: 1, usage: { generator: { calls: 1 } } });
  expect(suite!.inputs).toEqual([
    { kind: "generated", name: "agents:maker?count=3&focus=edge-cases&complexity=high", cases: 1 },
  ]);
});

test.each([
  ["an array alone", [good]],
  ["text with a fence", "Here you are:\n```json\n" + JSON.stringify({ cases: [good] }) + "\n```"],
])("%s", async (_, reply) => {
  expect(await idsOf(await load(reply))).toEqual(["good"]);
});

test("a generated case gives way to one of a file with its id, wherever that is named", async () => {
  const file = join(root, "cases.jsonl");
  writeFileSync(file, JSON.stringify({ ...good, input: "Hello from a file" }));
  const loaded = await load([good, { ...good, id: "other" }], "agents:maker", file);
  expect(loaded.problems).toBeUndefined();
  const { suite } = loaded;
  const cases: [string, unknown][] = [];
  for await (const { id, turns } of suite!) cases.push([id, turns[0]!.input]);
  expect(cases).toEqual([
    ["other", "Hello"],
    ["good", "Hello from a file"],
  ]);
  expect(suite).toMatchObject({ count: 2, inputs: [{ cases: 1 }, { cases: 1 }] });
  expect(suite!.warnings.map(({ message }) => message).join("; ")).toContain(
    'the case "good" was left out: its id is taken already, by ',
  );
});

test("cases without ids get one, and turns may stand in the input", async () => {
  const { input, assertions } = good;
  const loaded = await load([
    { input, assertions },
    { ...good, id: "b", input: [{ input: "one" }, { input: "two" }], assertions: undefined },
  ]);
  const cases: TestCase[] = [];
  for await (const testCase of loaded.suite!) cases.push(testCase);
  expect(cases.map(({ id, turns }) => [id, turns.length])).toEqual([
    ["maker-1", 1],
    ["b", 2],
  ]);
});

test.each<[string, object, string]>([
  ["an unknown field", { inptu: "x" }, 'did you mean "input"?'],
  ["an unknown assertion", { assertions: [{ type: "hass" }] }, 'no assertion type "hass"'],
  ["an id that is taken", { id: "good" }, "its id is taken already"],
  ["a hook", { before: "scripts:x" }, '"before" runs a hook'],
  ["a hook after", { after: ["scripts:x"] }, '"after" runs a hook'],
  ["only", { only: true }, '"only" would leave out'],
  ["many repetitions", { repeat: 1_000_000 }, '"repeat" sets how often'],
  [
    "many judges",
    { final_assertions: Array.from({ length: 21 }, () => ({ type: "agent", criteria: "c" })) },
    "asks 21 times for the verdict",
  ],
  ["many turns", { max_turns: 5_000 }, "it asks for 5000 turns"],
  ["a long wait", { timeout: "10h" }, "longer than 10 minutes"],
  ["a script that simulates", { simulator: "scripts:x" }, 'runs the script "scripts:x"'],
  ["the same, longer", { simulator: { use: "scripts:x" } }, 'runs the script "scripts:x"'],
  ["a script that judges", { assertions: [{ type: "script", use: "scripts:x" }] }, "runs a script"],
  [
    "a script inside of others",
    { final_assertions: [{ type: "any", assertions: [{ type: "script", use: "x" }] }] },
    "runs a script",
  ],
  ["a mock by script", { mocks: { tools: { a: { use: "scripts:x" } } } }, "runs the script"],
  [
    "a pattern in JavaScript",
    { assertions: [{ type: "regex", value: "a", engine: "js" }] },
    "engine",
  ],
  [
    "a remote file",
    { attachments: [{ type: "file", source: "https://example.com/a" }] },
    "fetches",
  ],
  [
    "a file outside",
    { attachments: [{ type: "file", source: "file:///etc/hostname" }] },
    "outside",
  ],
  [
    "a way out",
    { attachments: [{ type: "file", source: "file://../../../../etc/hostname" }] },
    "outside",
  ],
  [
    "an encoded way out",
    { attachments: [{ type: "file", source: "file://%2e%2e/%2e%2e/etc/hostname" }] },
    "",
  ],
  [
    "a link that leads out",
    { attachments: [{ type: "file", source: "file://files/link" }] },
    "outside",
  ],
  [
    "a file outside, in a message",
    {
      input: [
        { type: "text", text: "x" },
        { type: "file", source: "file:///etc/hostname" },
      ],
    },
    "outside",
  ],
  ["keys", { attachments: [{ type: "file", source: "file://.env" }] }, "hidden"],
  ["an agent that is not there", { simulator: "agents:nobody" }, 'no agent "nobody"'],
])("of five cases the one with %s is left out", async (_, bad, why) => {
  writeFileSync(join(root, ".env"), "KEY=1");
  symlinkSync("/etc/hostname", join(root, "files/link"));
  writeFileSync(join(root, "scripts/x.js"), "export default () => true");
  const others = ["a", "b", "c"].map((id) => ({ ...good, id }));
  const loaded = await load({ cases: [good, ...others, { ...good, id: "bad", ...bad }] });
  expect(await idsOf(loaded)).toEqual(["good", "a", "b", "c"]);
  const { warnings } = loaded.suite!;
  expect(warnings.map(({ code }) => code)).toEqual(["refused_case"]);
  expect(warnings[0]!.message).toContain(why);
  expect(loaded.suite!.count).toBe(4);
});

test("a file inside of the project may be attached", async () => {
  const attachments = [{ type: "file", source: "file://files/note.txt" }];
  expect(await idsOf(await load([{ ...good, attachments }]))).toEqual(["good"]);
});

test.each<[string, unknown, string]>([
  ["nothing", { cases: [] }, "it made no case"],
  [
    "no cases that can be run",
    [{ id: "x" }, 7, { ...good, only: true }],
    "none of its 3 cases can be run",
  ],
  ["prose", "I cannot do that.", "no complete JSON object"],
])("a generator that makes %s is a problem", async (_, reply, message) => {
  const { problems } = await load(reply);
  expect(problems!.filter(({ severity }) => severity === "error")).toMatchObject([
    { code: "generator_failed", file: "agents:maker" },
  ]);
  expect(problems![0]!.message).toContain(message);
});

test("no more are taken than were wanted", async () => {
  const many = ["a", "b", "c", "d"].map((id) => ({ ...good, id }));
  const loaded = await load(many, "agents:maker?count=2");
  expect(await idsOf(loaded)).toEqual(["a", "b"]);
  expect(loaded.suite!.warnings[0]!.message).toContain("4 cases were made where 2 are taken");
  expect((await load(many, "agents:maker?count=0")).problems).toMatchObject([
    { message: "count: expected a whole number from 1 to 1000, got 0" },
  ]);
});

test("a script makes cases from the parameters of its reference", async () => {
  writeFileSync(
    join(root, "scripts/make.ts"),
    `export const many = ({ city, count, target_agent }: Record<string, unknown>) =>
       Array.from({ length: 12 }, (_, index) => ({
         id: \`\${city}-\${index}\`, input: String(target_agent), assertions: [{ type: "has", value: "desk" }],
       }));`,
  );
  const loaded = await load(undefined, "scripts:make.many?city=Rome");
  expect(await idsOf(loaded)).toHaveLength(12);
  expect(await runSuite({ suite: loaded.suite!, agent: "desk" })).toMatchObject({ passed: 12 });
  expect((await load(undefined, "scripts:make.few")).problems).toMatchObject([
    { code: "unknown_script" },
  ]);
});
