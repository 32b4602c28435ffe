import {
  InvalidCaseError,
  InvalidProjectError,
  formatProblems,
  normaliseCase,
  prepareCase,
  runCase,
} from "@turnwise/core";
import { expect, test } from "vitest";
import { fakeModel, outcome, projectOf } from "./openai.test-support.js";
import { temporaryProject } from "./support/cli.js";

/** Everything that can name a connector, and what is asked then. */
test.each<[string, { cli?: string; turn?: string; case?: string; agent?: string }, string]>([
  ["defaults", {}, "fallback agent-model"],
  ["agent", { agent: "a" }, "a agent-model"],
  ["case over agent", { agent: "a", case: "b" }, "b b-model"],
  ["turn over case", { agent: "a", case: "b", turn: "c" }, "c c-model"],
  ["-c over turn", { agent: "a", case: "b", turn: "c", cli: "d" }, "d d-model"],
  ["turn over agent", { agent: "a", turn: "c" }, "c c-model"],
  ["case over defaults", { case: "b" }, "b b-model"],
  ["-c names that of the agent", { agent: "a", case: "b", cli: "a" }, "a agent-model"],
  ["-c names that of the defaults", { cli: "fallback" }, "fallback fallback-model"],
  ["the chosen one has no model", { case: "bare" }, "bare agent-model"],
])("connector and model of %s", async (_, chosen, expected) => {
  const asked: string[] = [];
  const connectors: Record<string, object> = {};
  for (const name of ["fallback", "a", "b", "c", "d", "bare"]) {
    const model = await fakeModel((request) => {
      asked.push(`${name} ${request.model}`);
      return "Hello.";
    });
    connectors[name] = {
      baseURL: model.baseURL,
      ...(name === "bare" ? {} : { model: `${name}-model` }),
    };
  }
  const project = await projectOf({
    connectors,
    defaults: { connector: "fallback" },
    agents: {
      bot: {
        type: "openai",
        model: "agent-model",
        ...(chosen.agent && { connector: chosen.agent }),
      },
    },
  });
  const turn = chosen.turn === undefined ? {} : { options: { connector: chosen.turn } };
  const result = await runCase(
    {
      id: "c",
      turns: [{ input: "Hi", ...turn }],
      ...(chosen.case && { options: { connector: chosen.case } }),
    },
    { project, ...(chosen.cli && { connector: chosen.cli }) },
  );
  expect(outcome(result)).toBe("passed");
  expect(asked).toEqual([expected]);
});

test("the connector of a turn is for that turn only", async () => {
  const [one, two] = [await fakeModel(), await fakeModel()];
  const project = await projectOf({
    connectors: {
      one: { baseURL: one.baseURL, model: "m1" },
      two: { baseURL: two.baseURL, model: "m2" },
    },
    agents: { bot: { type: "openai", connector: "one" } },
  });
  const turns = [{ input: "1" }, { input: "2", options: { connector: "two" } }, { input: "3" }];
  await runCase({ id: "c", turns }, { project });
  expect([one.requests.length, two.requests.length]).toEqual([2, 1]);
});

/** What is wrong with a project or case, as it is shown. */
async function problemsOf(config: object, testCase: object, env = {}): Promise<string> {
  try {
    const project = await projectOf(config, {}, env);
    return outcome(await runCase({ id: "c", ...testCase }, { project }));
  } catch (error) {
    if (InvalidProjectError.isInstance(error) || InvalidCaseError.isInstance(error))
      return formatProblems(error.problems).replaceAll(/\/\S*\/(?=turnwise\.config)/g, "");
    throw error;
  }
}

const connectors = { main: { baseURL: "http://127.0.0.1:1/v1", model: "m" } };
const bot = { bot: { type: "openai" } };
test.each<[string, object, object, string[]]>([
  [
    "an agent",
    { connectors, agents: { bot: { type: "openai", connector: "mian" } } },
    {},
    ["turnwise.config.json", "agents.bot.connector", "mian", 'did you mean "main"?'],
  ],
  [
    "defaults",
    { connectors, defaults: { connector: "mian" }, agents: bot },
    {},
    ["turnwise.config.json", "defaults.connector", "mian", 'did you mean "main"?'],
  ],
  [
    "a case",
    { connectors, agents: bot },
    { input: "Hi", options: { connector: "mian" } },
    ["options.connector", 'there is no connector "mian"; did you mean "main"?'],
  ],
  [
    "a turn",
    { connectors, defaults: { connector: "main" }, agents: bot },
    { turns: [{ input: "Hi" }, { input: "Ho", options: { connector: "mian" } }] },
    ["turns[1].options.connector", 'there is no connector "mian"; did you mean "main"?'],
  ],
  [
    "a name that every object has",
    { connectors, agents: bot },
    { input: "Hi", options: { connector: "constructor" } },
    ['there is no connector "constructor"'],
  ],
])("an unknown connector of %s is a problem at its place", async (_, config, testCase, parts) => {
  const shown = await problemsOf(config, testCase);
  for (const part of parts) expect(shown).toContain(part);
});

const without = (connector: object | undefined, options: object = {}) => ({
  ...(connector && { connectors: { main: connector }, defaults: { connector: "main" } }),
  agents: { bot: { type: "openai", ...options } },
});
test.each<[string, object, object, string]>([
  [
    "key",
    without({ model: "m" }),
    {},
    'its connector has no "apiKey", and OPENAI_API_KEY is not set',
  ],
  [
    "connector",
    without(undefined, { model: "m" }),
    {},
    "it has no connector, and OPENAI_API_KEY is not set",
  ],
  ["key that is empty", without({ model: "m" }), { OPENAI_API_KEY: "" }, 'has no "apiKey"'],
  ["model", without({ apiKey: "k-123456789" }), {}, 'nothing says which model; set "model"'],
  [
    "endpoint of another provider",
    without({ provider: "acme", model: "m", apiKey: "k-123456789" }),
    { OPENAI_API_KEY: "k-environment" },
    'its connector is of the provider "acme"',
  ],
])("a missing %s is a problem before anything runs", async (_, config, env, message) => {
  expect(await problemsOf(config, { input: "Hi" }, env)).toContain(message);
});

test.each<[string, object]>([
  ["apiKey", { apiKey: "", model: "m" }],
  ["baseURL", { baseURL: "", model: "m" }],
])("an empty %s is a problem", async (_, connector) => {
  // Only looked at, and not run: nobody but OpenAI would be asked.
  const project = await projectOf(without(connector));
  const { testCase } = normaliseCase({ id: "c", input: "Hi" });
  const { problems } = await prepareCase(testCase!, project);
  expect(formatProblems(problems)).toContain("cannot call its model");
});

test("-c of an unknown connector: exit 2, nothing runs; validate needs no key", async () => {
  const model = await fakeModel();
  const project = temporaryProject({
    "turnwise.config.json": JSON.stringify({
      connectors: { main: { baseURL: model.baseURL, model: "m" }, cloud: { model: "m" } },
      agents: {
        bot: { type: "openai", connector: "main" },
        keyless: { type: "openai", connector: "cloud" },
      },
    }),
    "c.jsonl": '{"id": "c", "input": "Hi"}\n',
  });
  const wrong = await project.run("test", "-i", "c.jsonl", "-n", "bot", "-c", "mian");
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('there is no connector "mian"; did you mean "main"?');
  const keyless = await project.run("test", "-i", "c.jsonl", "-n", "keyless");
  expect(keyless.code).toBe(2);
  expect(keyless.stderr).toContain("OPENAI_API_KEY is not set");
  expect(model.requests).toEqual([]);
  expect(await project.run("validate", "-i", "c.jsonl", "-n", "keyless")).toMatchObject({
    code: 0,
  });
  const right = await project.run("test", "-i", "c.jsonl", "-n", "keyless", "-c", "main");
  expect(right.code).toBe(0);
  expect(model.requests).toHaveLength(1);
});
