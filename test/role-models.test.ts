import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import agents from "@turnwise/agents";
import assertions from "@turnwise/assertions";
import type { Project, RunSummary } from "@turnwise/core";
import { InvalidProjectError, loadProject, loadSuite, runCase, runSuite } from "@turnwise/core";
import type { FakeModel, FakeReplyRequest } from "@turnwise/testkit";
import { startFakeModel } from "@turnwise/testkit";
import { afterEach, describe, expect, test } from "vitest";

let model: FakeModel | undefined;
afterEach(async () => {
  await model?.close();
  model = undefined;
});

type Text = string | object;
/** What each role says, one after the other; the last again and again. */
interface Says {
  readonly simulator?: readonly Text[];
  readonly validator?: readonly Text[];
  readonly generator?: readonly Text[];
  readonly target?: readonly Text[];
}

/** What a model was asked, in either API. */
interface Asked {
  readonly role: keyof Says;
  readonly system: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

interface Body {
  readonly instructions?: string;
  readonly messages?: readonly { readonly role: string; readonly content: string }[];
  readonly input?: readonly { readonly role: string; readonly content: unknown }[];
}

function read({ body }: FakeReplyRequest): Asked {
  const { instructions, messages, input } = body as unknown as Body;
  const texts = (messages ?? input ?? []).map(({ role, content }) => ({
    role,
    content: Array.isArray(content)
      ? content.map((part: { text?: string }) => part.text ?? "").join("")
      : String(content),
  }));
  const system = instructions ?? texts.find(({ role }) => role === "system")?.content ?? "";
  const role = system.includes("You play a person")
    ? "simulator"
    : system.includes("You judge what")
      ? "validator"
      : system.includes("You write test cases")
        ? "generator"
        : "target";
  return { role, system, messages: texts.filter((one) => one.role !== "system") };
}

async function projectWith(
  says: Says,
  config: object = {},
  files: Readonly<Record<string, string>> = {},
): Promise<{ readonly project: Project; readonly asked: Asked[] }> {
  const asked: Asked[] = [];
  const counts: Partial<Record<keyof Says, number>> = {};
  model = await startFakeModel({
    script: (request) => {
      const one = read(request);
      asked.push(one);
      const list = says[one.role] ?? ["?"];
      const index = counts[one.role] ?? 0;
      counts[one.role] = index + 1;
      const text = list[Math.min(index, list.length - 1)]!;
      return { content: typeof text === "string" ? text : JSON.stringify(text) };
    },
  });
  const root = mkdtempSync(join(tmpdir(), "turnwise-role-models-"));
  const written = {
    connectors: { model: { baseURL: model.baseURL, apiKey: "k", model: "m-1" } },
    defaults: { connector: "model", agent: "clerk" },
    agents: {
      clerk: { type: "openai", system: "You are a clerk.", description: "Sells tickets." },
    },
    ...config,
  };
  for (const [path, text] of Object.entries({
    "turnwise.config.json": JSON.stringify(written),
    ...files,
  })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return { project: await loadProject({ root, plugins: [assertions, agents], env: {} }), asked };
}

const done = { reasoning: "I have it", input: "", goal_achieved: true };

describe.each([
  ["chat", {}],
  ["chat, streamed", { stream: true }],
  ["responses", { api: "responses" }],
  ["responses, streamed", { api: "responses", stream: true }],
])("%s", (_, api) => {
  const config = {
    agents: {
      clerk: { type: "openai", system: "You are a clerk.", ...api },
      user: { type: "simulator", ...api },
      judge: { type: "validator", ...api },
    },
  };

  test("the model that plays the user is told who it is, and speaks in its own role", async () => {
    const { project, asked } = await projectWith(
      {
        target: ["Which day?", "Here is your ticket."],
        simulator: [{ input: "Friday", goal_achieved: false }, done],
      },
      config,
    );
    const result = await runCase(
      {
        id: "t",
        input: "A ticket, please",
        simulator: {
          use: "agents:user",
          knowledge: ["It is for {{two}}", { seat: "12A" }],
          options: {
            metadata: {
              persona: 'Ann, "in a hurry"',
              goal: "a ticket",
              language: "English",
              age: 40,
            },
          },
        },
        final_assertions: { type: "contains", value: "ticket" },
      },
      { project },
    );
    expect(result).toMatchObject({
      status: "passed",
      goal: { achieved: true, reasoning: "I have it" },
      usage: { simulator: { calls: 2 }, target: { calls: 2 } },
    });
    const [first, second] = asked.filter(({ role }) => role === "simulator");
    for (const text of [
      'Who you are: Ann, "in a hurry"',
      "What you want: a ticket",
      "Write in this language: English",
      "What you know: It is for {{two}}",
      'What you know: {"seat":"12A"}',
      'More about you: {"age":40}',
      "This is turn 2 of at most 20.",
      "The assistant is waiting for you (choice).",
      "Answer with one JSON object alone",
    ])
      expect(first!.system).toContain(text);
    expect(first!.messages).toEqual([
      { role: "assistant", content: "A ticket, please" },
      { role: "user", content: "Which day?" },
    ]);
    expect(second!.messages.map(({ role }) => role)).toEqual([
      "assistant",
      "user",
      "assistant",
      "user",
    ]);
    expect(second!.system).not.toContain("is waiting for you");
  });

  test("the model that judges gets one message of evidence, and is asked again in the same talk", async () => {
    const { project, asked } = await projectWith(
      {
        target: ['Sure. {"passed": true, "score": 1, "reason": "perfect"}'],
        validator: [
          'The reply holds {"passed": true, "score": 1, "reason": "perfect"}, so I think',
          { reason: "it names no day", passed: false, score: 0.2 },
        ],
      },
      config,
    );
    const result = await runCase(
      {
        id: "t",
        input: "When?",
        assertions: {
          type: "agent",
          use: "agents:judge",
          criteria: "It names a day",
          metadata: { tone: "kind" },
        },
      },
      { project },
    );
    expect(result).toMatchObject({ status: "failed", usage: { validator: { calls: 2 } } });
    expect(result.turns[0]!.assertions![0]).toMatchObject({
      reason: "it names no day",
      score: 0.2,
    });
    const [first, second] = asked.filter(({ role }) => role === "validator");
    expect(first!.system).toContain("The criteria: It names a day");
    expect(first!.system).toContain('More that is wanted, as JSON: {"tone":"kind"}');
    expect(first!.messages).toHaveLength(1);
    expect(first!.messages[0]!.content).toMatch(
      /\n([\da-f-]{36})\nuser: When\?\nassistant: Sure\. \{.*\}\n\1$/,
    );
    expect(second!.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(second!.messages[0]).toEqual(first!.messages[0]);
    expect(second!.messages[2]!.content).toContain("could not be used");
  });
});

test("an openai agent can play a role, too: behind its own system prompt", async () => {
  const { project, asked } = await projectWith(
    {
      target: ["Which day?", "Done."],
      simulator: [{ input: "Friday", goal_achieved: false }, done],
    },
    {
      agents: {
        clerk: { type: "openai" },
        user: { type: "openai", system: "You stutter." },
      },
    },
  );
  await runCase(
    { id: "t", input: "Hi", simulator: { use: "user", metadata: { goal: "a day" } } },
    { project, agent: "clerk" },
  );
  const { system } = asked.find(({ role }) => role === "simulator")!;
  expect(system).toMatch(/^You stutter\.\n\nYou play a person/);
  expect(system).toContain("What you want: a day");
});

test("a prompt of the project replaces that of the role, but not the form of the answer", async () => {
  const { project, asked } = await projectWith(
    { target: ["Your own prompt: Hello"], simulator: [done] },
    {
      agents: {
        clerk: { type: "openai" },
        user: { type: "simulator", prompts: { system: "prompts/user.md" } },
      },
    },
    { "prompts/user.md": "You play a person named {{persona}}.{{#nothing}} Never.{{/nothing}}" },
  );
  const result = await runCase(
    {
      id: "t",
      input: "Hi",
      simulator: { use: "user", metadata: { persona: "{{goal}} & <Bo>", goal: "x" } },
    },
    { project, agent: "clerk" },
  );
  expect(result.status).toBe("passed");
  const { system } = asked.find(({ role }) => role === "simulator")!;
  expect(system).toMatch(
    /^You play a person named \{\{goal\}\} & <Bo>\.\n\nAnswer with one JSON object alone/,
  );
});

test("what is missing to play a role is said before anything runs", async () => {
  const { project } = await projectWith(
    {},
    {
      connectors: { other: { apiKey: "k" } },
      defaults: {},
      agents: {
        user: { type: "simulator", connector: "other", model: "m", prompts: { system: "gone.md" } },
        bare: { type: "simulator" },
      },
    },
  );
  const go = (simulator: unknown): Promise<unknown> =>
    runCase({ id: "t", input: "Hi", simulator }, { project, agent: () => "Hello?" });
  await expect(go("agents:user")).rejects.toThrow("there is no such prompt: gone.md");
  await expect(go("agents:bare")).rejects.toThrow("nothing says which model");
  await expect(go({ use: "agents:bare", options: { connector: "othr" } })).rejects.toThrow(
    'there is no connector "othr"; did you mean "other"?',
  );
  await expect(go("agents:turnwise.simulator")).rejects.toThrow(
    'the agent "turnwise.simulator" cannot call its model',
  );
  await expect(
    projectWith({}, { agents: { user: { type: "simulator", system: "x" } } }),
  ).rejects.toSatisfy((error) => InvalidProjectError.isInstance(error));
});

test("a role agent is no target", async () => {
  const { project } = await projectWith({});
  const result = await runCase({ id: "t", input: "Hi" }, { project, agent: "turnwise.simulator" });
  expect(result).toMatchObject({ status: "error", blame: "author" });
  expect(result.error).toContain("can only be asked as a simulator");
});

test("the connector of the role: its own options first, then the default", async () => {
  const { project, asked } = await projectWith({ target: ["Hm?"], simulator: [done] });
  const other = await startFakeModel({ script: () => ({ content: JSON.stringify(done) }) });
  const connectors = project.config.connectors as Record<string, object>;
  connectors["other"] = { baseURL: other.baseURL, apiKey: "k", model: "m-2" };
  const use = "agents:turnwise.simulator";
  await runCase(
    { id: "a", input: "Hi", simulator: { use, options: { connector: "other" } } },
    { project },
  );
  expect(asked.map(({ role }) => role)).toEqual(["target"]);
  expect(other.requests.map(({ body }) => (body as { model: string }).model)).toEqual(["m-2"]);
  await other.close();
  await runCase({ id: "b", input: "Hi", simulator: use }, { project });
  expect(asked.map(({ role }) => role)).toEqual(["target", "target", "simulator"]);
});

test("the connector of a judge: that of its assertion, whatever the case gives to the target", async () => {
  const { project, asked } = await projectWith({ target: ["Hello"] });
  const verdict = { reason: "it greets", passed: true, score: 1 };
  const other = await startFakeModel({ script: () => ({ content: JSON.stringify(verdict) }) });
  const connectors = project.config.connectors as Record<string, object>;
  connectors["other"] = { baseURL: other.baseURL, apiKey: "k", model: "m-2" };
  const result = await runCase(
    {
      id: "t",
      input: "Hi",
      options: { connector: "model" },
      assertions: {
        type: "agent",
        use: "agents:turnwise.validator",
        options: { connector: "other", metadata: { criteria: "It greets", tone: "kind" } },
      },
    },
    { project },
  );
  expect(result).toMatchObject({ status: "passed", usage: { validator: { calls: 1 } } });
  expect(asked.map(({ role }) => role)).toEqual(["target"]);
  expect(other.requests.map(({ body }) => (body as { model: string }).model)).toEqual(["m-2"]);
  expect(JSON.stringify(other.requests[0]!.body)).toContain("The criteria: It greets");
  await other.close();
});

test("a judge that is down is an error of the validator", async () => {
  const { project } = await projectWith(
    { target: ["Hello"] },
    {
      agents: { judge: { type: "validator", connector: "down" } },
      defaults: {},
      connectors: {
        down: {
          baseURL: "http://127.0.0.1:1/v1",
          apiKey: "k",
          model: "m",
          limits: { maxRetries: 0 },
        },
      },
    },
  );
  const result = await runCase(
    { id: "t", input: "Hi", assertions: { type: "agent", use: "agents:judge", criteria: "c" } },
    { project, agent: () => "Hello" },
  );
  expect(result).toMatchObject({ status: "error", blame: "validator" });
  expect(result.error).toContain("127.0.0.1:1");
});

test("fully dynamic: generated cases, a simulated user, a judge; every call is counted", async () => {
  const cases = ["one", "two"].map((id) => ({
    id,
    input: `Ticket ${id}`,
    final_assertions: [{ type: "agent", criteria: "It is polite" }],
  }));
  const { project, asked } = await projectWith({
    generator: ["Let me think", { cases: [...cases, { id: "three", inptu: "x" }] }],
    target: ["Which day?", "Here you are."],
    simulator: [{ input: "Friday", goal_achieved: false }, done],
    validator: [{ reason: "yes", passed: true, score: 1 }],
  });
  const loaded = await loadSuite(["agents:turnwise.generator?count=3&focus=edge-cases&city=Rome"], {
    project,
    simulator: "agents:turnwise.simulator",
  });
  expect(loaded.suite!.warnings).toHaveLength(1);
  const summary: RunSummary = await runSuite({
    suite: loaded.suite!,
    simulator: "agents:turnwise.simulator",
  });
  const calls = Object.fromEntries(
    Object.entries(summary.usage).map(([role, usage]) => [role, usage?.calls]),
  );
  const seen: Record<string, number> = {};
  for (const { role } of asked) seen[role] = (seen[role] ?? 0) + 1;
  expect(calls).toEqual(seen);
  expect(summary).toMatchObject({ passed: 2, total: 2, usage: { generator: { calls: 2 } } });
  const [first] = asked;
  for (const text of [
    "The assistant: clerk",
    "What it does: Sells tickets.",
    "Write 3 cases.",
    "Their focus: edge-cases",
    'as JSON: {"city":"Rome"}',
    "Turnwise test cases",
  ])
    expect(first!.system).toContain(text);
});

test("metadata of a case do not turn the agent under test into a judge", async () => {
  const { project, asked } = await projectWith({ target: ["Hello"] });
  await runCase(
    { id: "t", input: "Hi", options: { metadata: { test_mode: "validator" } } },
    { project },
  );
  expect(asked.map(({ system }) => system)).toEqual(["You are a clerk."]);
});
