import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { AgentReply } from "../index.js";
import { detectAwaitingInput } from "../index.js";

const reply = (fields: Partial<AgentReply>): AgentReply => ({ content: "", ...fields });
const approval = { id: "a1", kind: "approval", prompt: "Delete the file?" } as const;

test.each<[string, AgentReply | string, boolean, string]>([
  ["declared waiting", reply({ content: "Done.", awaitingInput: true }), true, "agent_declared"],
  [
    "declared done",
    reply({ content: "What else?", awaitingInput: false }),
    false,
    "agent_declared",
  ],
  ["a pending request", reply({ pending: [approval] }), true, "agent_declared"],
  [
    "a pending request beats the opposite flag",
    reply({ pending: [approval], awaitingInput: false }),
    true,
    "agent_declared",
  ],
  [
    "an open ask tool",
    reply({ toolCalls: [{ name: "ask_user", arguments: { question: "Which one?" } }] }),
    true,
    "tool_requires_confirmation",
  ],
  [
    "an ask tool behind prefixes, in another spelling",
    reply({ toolCalls: [{ name: "mcp__desk__AskUserQuestion" }], finishReason: "tool_calls" }),
    true,
    "tool_requires_confirmation",
  ],
  [
    "an answered ask tool",
    reply({ content: "Thanks.", toolCalls: [{ name: "ask_user", result: "blue" }] }),
    false,
    "completed",
  ],
  [
    "a tool that only sounds like asking",
    reply({ content: "Sent.", toolCalls: [{ name: "message_notify_user" }] }),
    false,
    "completed",
  ],
  [
    "an ambiguous name without a question",
    reply({ content: "Looked up.", toolCalls: [{ name: "human", arguments: { id: 4 } }] }),
    false,
    "completed",
  ],
  [
    "an ambiguous name with a question",
    reply({ toolCalls: [{ name: "human", arguments: { question: "Go on?" } }] }),
    true,
    "tool_requires_confirmation",
  ],
  [
    "stopped for tools",
    reply({ content: "Which one?", finishReason: "tool_calls", toolCalls: [{ name: "search" }] }),
    false,
    "tool_pending",
  ],
  [
    "stopped for tools it does not name",
    reply({ content: "Looking it up?", finishReason: "tool-calls" }),
    false,
    "tool_pending",
  ],
  [
    "stopped for tools that have run",
    reply({
      content: "Which one?",
      finishReason: "tool_calls",
      toolCalls: [{ name: "search", result: [] }],
    }),
    true,
    "content_is_question",
  ],
  [
    "open calls and no text",
    reply({ toolCalls: [{ name: "create_order", arguments: {} }] }),
    false,
    "tool_pending",
  ],
  ["cut off", reply({ content: "Which one?", finishReason: "length" }), false, "truncated"],
  [
    "filtered",
    reply({ content: "Which one?", finishReason: "content_filter" }),
    false,
    "truncated",
  ],
  ["a question", "Which city?", true, "content_is_question"],
  ["a statement", "Your order has been placed.", false, "completed"],
  ["nothing", "", false, "completed"],
  [
    "a declaration as the whole text",
    '{"content": "Tell me more.", "awaiting_input": true}',
    true,
    "agent_declared",
  ],
  [
    "a declaration of the opposite as the whole text",
    '{"content": "Shall I?", "awaiting_input": false}',
    false,
    "agent_declared",
  ],
  [
    "a declaration with a hint that is no text",
    '{"content": "Name it.", "awaiting_input": true, "input_hint": null}',
    true,
    "agent_declared",
  ],
  [
    "a reply with empty lists beside arguments as text",
    {
      content: "",
      pending: [],
      toolCalls: [{ id: "1", name: "human", arguments: '{"question": "Go?"}' }],
    },
    true,
    "tool_requires_confirmation",
  ],
  [
    "a reply without text",
    { content: null, pending: [], toolCalls: [] } as never,
    false,
    "completed",
  ],
  [
    "JSON that is no declaration",
    '{"content": "Shall I?", "awaiting_input": "yes"}',
    true,
    "content_is_question",
  ],
])("%s", (_, given, awaiting, reason) => {
  expect(detectAwaitingInput(given)).toMatchObject({ awaiting, reason });
});

test.each([
  "What is the amount?\n",
  "This needs the approval of a manager. Please provide the PO number.",
  "Which one should I use?\n\n- the blue one\n- the green one",
  "I can book it for Monday. Shall I go ahead? (yes/no)",
  "**Which approach do you prefer?**",
  "Let me know which of the two fits.",
  "¿Cuál es su número de pedido?",
  "请提供您的订单号。",
  "ご予約の日付を教えてください。",
  "Пожалуйста, укажите номер заказа.",
  "ما هو رقم الطلب؟",
  "Ποιος είναι ο αριθμός παραγγελίας\u037E",
  `\`\`\`ts\n${"const a = 1;\n".repeat(1_200)}\`\`\`\nWhich file should I write it to?`,
])("waits: %j", (text) => {
  expect(detectAwaitingInput(text)).toMatchObject({ awaiting: true });
});

test.each([
  "Please find the receipt attached. Done.",
  "Your table is booked. Is there anything else I can help with?",
  "All done. Let me know if you need anything else.",
  "```\nconst ok = a ? b : c; // really?\n```",
  'The customer wrote "Where is my parcel?" and got an answer.',
  "See https://example.org/search?q=1",
  "Goodbye, have a nice day!",
  "I am sorry, I cannot help with that.",
  "> Where is my order?\n\nIt has been shipped.",
  "I have saved the file;",
  "SELECT 1;",
  `Here it is:\n\`\`\`ts\n${"const a = b ? 1 : 2;\n".repeat(800)}\`\`\``,
])("is done: %j", (text) => {
  expect(detectAwaitingInput(text)).toMatchObject({ awaiting: false });
});

test("says what decided and what was asked", () => {
  expect(detectAwaitingInput("Your cart is ready. Please provide the PO number.")).toEqual({
    awaiting: true,
    reason: "content_is_question",
    kind: "question",
    evidence: "Please provide the PO number.",
    hint: "Please provide the PO number",
    confidence: expect.any(Number),
  });
  expect(detectAwaitingInput(reply({ pending: [approval] }))).toEqual({
    awaiting: true,
    reason: "agent_declared",
    kind: "approval",
    evidence: "a1",
    hint: "Delete the file?",
    confidence: 1,
  });
  expect(
    detectAwaitingInput(
      reply({
        toolCalls: [
          { name: "ask_user", arguments: { questions: [{ question: "Tea or coffee?" }] } },
        ],
      }),
    ),
  ).toMatchObject({ evidence: "ask_user", hint: "Tea or coffee?" });
});

test("own ask tools are matched like the known ones", () => {
  const call = reply({ toolCalls: [{ name: "desk.Ping-Customer" }] });
  expect(detectAwaitingInput(call).awaiting).toBe(false);
  expect(detectAwaitingInput(call, { askTools: ["ping_customer"] }).awaiting).toBe(true);
});

test("a question stands above its options, however many they are", () => {
  const options = Array.from({ length: 60 }, (_, index) => `- plan ${index}`).join("\n");
  expect(detectAwaitingInput(`Which plan do you want?\n\n${options}`)).toMatchObject({
    awaiting: true,
    evidence: "Which plan do you want?",
  });
  expect(detectAwaitingInput(`These are the plans:\n\n${options}`).awaiting).toBe(false);
});

test.each([
  ["Is that correct?", "confirmation"],
  ["Shall I send it?", "confirmation"],
  ["¿Quieres que cancele el pedido?", "confirmation"],
  ["一共是三百元，可以吗？", "confirmation"],
  ["この内容でよろしいですか？", "confirmation"],
  ["Итого два билета, верно?", "confirmation"],
  ["Tea or coffee?", "choice"],
  ["Which one?", "choice"],
  ["您要红色还是蓝色？", "choice"],
  ["Какой размер вы носите?", "choice"],
  ["What is your password?", "auth"],
  ["Do I have your permission to delete it?", "approval"],
  ["How many people will come?", "question"],
])("%s waits for a %s", (text, kind) => {
  expect(detectAwaitingInput(text)).toMatchObject({ awaiting: true, kind });
});

test("the hint is the whole question", () => {
  expect(detectAwaitingInput("I am about to delete it. Proceed? (yes/no)").hint).toBe(
    "Proceed? (yes/no)",
  );
  expect(detectAwaitingInput("What is the output of `node -v`?").hint).toContain(
    "What is the output",
  );
});

test("a reply that is JSON as a whole asks what it has to say", () => {
  const asks = (value: unknown): boolean => detectAwaitingInput(JSON.stringify(value)).awaiting;
  expect(asks({ type: "confirm", message: "Delete the draft?" })).toBe(true);
  expect(asks({ status: "ok", message: "Deleted." })).toBe(false);
  expect(asks({ faq: ["Is it free?"] })).toBe(false);
  expect(detectAwaitingInput('```json\n{"prompt": "Which city?"}\n```').hint).toBe("Which city?");
});

const turns = readFileSync(new URL("turns.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map(
    (line) =>
      JSON.parse(line) as {
        text: string;
        label: "awaiting" | "completed";
        lang: string;
        kind: string;
      },
  );

/** Share of the turns that are judged as they are labelled. */
function accuracy(of: typeof turns): number {
  const right = of.filter(
    ({ text, label }) => detectAwaitingInput(text).awaiting === (label === "awaiting"),
  );
  return right.length / of.length;
}

test("the turns that were written for it, in fourteen languages", () => {
  expect(turns.length).toBeGreaterThan(600);
  expect(new Set(turns.map(({ lang }) => lang)).size).toBe(14);
  expect(accuracy(turns)).toBeGreaterThanOrEqual(0.97);
  for (const lang of ["en", "es", "zh", "ja", "ru"])
    expect({ lang, accuracy: accuracy(turns.filter((turn) => turn.lang === lang)) }).toEqual({
      lang,
      accuracy: expect.toSatisfy((share: number) => share >= 0.93),
    });
  // What offers more help waits for nothing, in any language.
  expect(accuracy(turns.filter(({ kind }) => kind === "courtesy_close"))).toBe(1);
  const unmarked = turns.filter(({ text, label }) => label === "awaiting" && !/[?？؟;]/.test(text));
  expect(unmarked.length).toBeGreaterThan(40);
  expect(accuracy(unmarked)).toBeGreaterThanOrEqual(0.95);
});

test("hostile text is judged without a throw", () => {
  const pieces = fc.constantFrom(
    "?",
    "? ",
    "please ",
    "```",
    "~~~\n",
    "> ",
    "- ",
    "1. ",
    "\n",
    "\n\n",
    '"',
    "“",
    "`",
    "[a](",
    "**",
    "\uD83D",
    "\uDC00",
    "您",
    "か",
    "ещё ",
    "you ",
    "a",
    "... ",
    "https://",
    "; ",
    "(",
    "\u0000",
  );
  fc.assert(
    fc.property(
      fc.array(pieces, { maxLength: 60 }),
      fc.integer({ min: 1, max: 40 }),
      (parts, times) => {
        const { awaiting, reason } = detectAwaitingInput(parts.join("").repeat(times));
        expect(typeof awaiting).toBe("boolean");
        expect(["completed", "content_is_question", "agent_declared"]).toContain(reason);
      },
    ),
    { numRuns: 2_000 },
  );
});

test("is deterministic and never throws on text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      expect(detectAwaitingInput(text)).toEqual(detectAwaitingInput(text));
    }),
  );
});

test.each([
  ["What size would you like, small or large?", "choice"],
  ["Would you like 1) red 2) blue", "choice"],
  ["What time would you like to come?", "question"],
])("%s waits for a %s", (text, kind) => {
  expect(detectAwaitingInput(text).kind).toBe(kind);
});
