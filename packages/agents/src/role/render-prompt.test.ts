import type { Role } from "@turnwise/core";
import { roles } from "@turnwise/core";
import { describe, expect, test } from "vitest";
import { builtInPrompt } from "../prompts.js";
import { renderPrompt } from "./render-prompt.js";

type Metadata = Readonly<Record<string, unknown>>;

async function promptOf(role: Role, metadata: Metadata): Promise<string> {
  return renderPrompt(role, await builtInPrompt(role), { test_mode: role, ...metadata });
}

/** What core always says. */
const smallest: Readonly<Record<Role, Metadata>> = {
  simulator: {
    test_id: "t",
    session_id: "s",
    turn_number: 2,
    turn_count: 2,
    max_turns: 20,
    tool_results: {},
    last_response: "",
    awaiting: { awaiting: false },
    pending: [],
  },
  validator: { test_id: "t", criteria: "It names a day" },
  generator: { target_agent: "clerk", case_schema: { type: "object" }, count: 5 },
};

/** Everything that can be said, with what would be read as part of a template if it were one. */
const fullest: Readonly<Record<Role, Metadata>> = {
  simulator: {
    ...smallest.simulator,
    persona: 'Ann, "in a hurry"\nand <tired>',
    goal: "a ticket & a seat",
    language: "English",
    knowledge: ["two people", { seat: "12A" }],
    tool_results: { find_ticket: { price: 30 } },
    last_response: "Which day?",
    awaiting: { awaiting: true, kind: "form" },
    pending: [
      {
        id: "request-1",
        kind: "form",
        prompt: "Who travels?",
        schema: { type: "object", required: ["name"] },
        toolName: "book",
      },
      { id: "request-2", kind: "choice", prompt: "Which day?", options: ["Friday", "Sunday"] },
    ],
    age: 40,
  },
  validator: {
    ...smallest.validator,
    criteria: 'It says "Friday"\nand nothing else',
    expected_intent: "booking",
    tone: ["kind", "brief"],
  },
  generator: {
    ...smallest.generator,
    target_description: "Sells tickets.",
    target_tools: [
      { name: "book", description: "Books a seat.", parameters: { type: "object" } },
      { name: "cancel" },
    ],
    focus: "edge-cases",
    complexity: "high",
    city: "Rome",
  },
};

/** Texts that the fullest metadata must bring into the prompt. */
const told: Readonly<Record<Role, readonly string[]>> = {
  simulator: [
    'Who you are: Ann, "in a hurry"\nand <tired>',
    "What you want: a ticket & a seat",
    "Write in this language: English",
    "What you know: two people",
    'What you know: {"seat":"12A"}',
    'More about you: {"age":40}',
    "The assistant is waiting for you (form).",
    "Who travels?",
    '{"type":"object","required":["name"]}',
    "request-1",
    "request-2",
    "Which day?\n- Friday\n- Sunday\n",
  ],
  validator: [
    'The criteria: It says "Friday"\nand nothing else',
    '{"expected_intent":"booking","tone":["kind","brief"]}',
  ],
  generator: [
    "What it does: Sells tickets.",
    'book: Books a seat., with the parameters {"type":"object"}',
    "One of its tools: cancel\n",
    "Their focus: edge-cases",
    "Their complexity: high",
    '{"city":"Rome"}',
    'The JSON Schema of a case: {"type":"object"}',
  ],
};

describe.each(roles)("the prompt of the %s", (role) => {
  test.each([
    ["the smallest", smallest[role]],
    ["the fullest", fullest[role]],
  ])("is whole with %s metadata", async (_, metadata) => {
    const text = await promptOf(role, metadata);
    expect(text).not.toMatch(/\{\{|undefined|\[object|\n{3}/);
    expect(text).toContain("Answer with one JSON object alone");
  });

  test("says what the metadata say", async () => {
    const text = await promptOf(role, fullest[role]);
    for (const part of told[role]) expect(text).toContain(part);
  });
});

test("what the metadata hold is no template", async () => {
  const persona = "{{goal}} {{#goal}} {{{goal}}} {{> goal}} {{=<% %>=}}";
  const text = await promptOf("simulator", { ...smallest.simulator, persona, goal: "secret plan" });
  expect(text).toContain(`Who you are: ${persona}\n`);
});

test("a tool or a request does not take what it lacks from the metadata around it", async () => {
  const generator = await promptOf("generator", {
    ...smallest.generator,
    target_tools: [{ name: "cancel" }],
    description: "of the suite",
    parameters: "of the suite",
  });
  expect(generator).toContain("One of its tools: cancel\n");
  const simulator = await promptOf("simulator", {
    ...smallest.simulator,
    pending: [{ id: "r", kind: "approval", prompt: "May I?" }],
    options: ["of the user"],
    schema: "of the user",
    toolName: "of the user",
  });
  expect(simulator.match(/of the user/g)).toHaveLength(3);
  expect(simulator).toContain(
    'More about you: {"options":["of the user"],"schema":"of the user","toolName":"of the user"}',
  );
});

test("what is no text is told whole", async () => {
  const simulator = await promptOf("simulator", {
    ...smallest.simulator,
    persona: { persona: "Ann", age: 40 },
    goal: ["a ticket", "a seat"],
    others: "two",
    city: "Rome",
  });
  for (const part of [
    'Who you are: {"persona":"Ann","age":40}',
    "What you want: a ticket\nWhat you want: a seat\n",
    'More about you: {"others":"two","city":"Rome"}',
  ])
    expect(simulator).toContain(part);
});

test("a prompt of the project may look into the metadata", async () => {
  const text = await renderPrompt("simulator", "You are {{persona.name}}, {{persona}}.", {
    persona: { name: "Ann" },
  });
  expect(text).toMatch(/^You are Ann, \{"name":"Ann"\}\.\n\nAnswer/);
});
