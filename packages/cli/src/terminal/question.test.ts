import type { HumanView, PendingRequest } from "@turnwise/core";
import { expect, test } from "vitest";
import { questionOf, read } from "./question.js";

const approval: PendingRequest = { id: "r1", kind: "approval", prompt: "Pay 30?" };
const choice: PendingRequest = {
  id: "r2",
  kind: "choice",
  prompt: "Where?",
  options: ["inside", "Outside", "10"],
};
const form: PendingRequest = { id: "r3", kind: "form", prompt: "Who?", schema: { type: "object" } };

function view(pending: readonly PendingRequest[], more: Partial<HumanView> = {}): HumanView {
  return {
    id: "t",
    sessionId: "s",
    turn: 2,
    history: [],
    turns: [],
    detection: {
      awaiting: true,
      reason: "completed",
      confidence: 1,
      kind: "question",
      hint: "Which day?",
    },
    pending,
    wrongWith: (answer) =>
      "choice" in answer && answer.choice === "10" ? "ten is too many" : undefined,
    timeout: 1_000,
    signal: new AbortController().signal,
    ...more,
  };
}
const readAt = (text: string, ...pending: PendingRequest[]): unknown => {
  const seen = view(pending);
  return read(text, questionOf(seen), { view: seen, talk: false });
};

test.each<[string, PendingRequest[], object]>([
  [" Friday \n", [], { move: { kind: "say", input: "Friday" } }],
  ["two\nlines", [], { move: { kind: "say", input: "two\nlines" } }],
  ["/end", [], { move: { kind: "end" } }],
  ["/skip", [], { move: { kind: "skip" } }],
  ["/skip no time", [], { move: { kind: "skip", reason: "no time" } }],
  ["/fail rude,\nand wrong", [], { move: { kind: "fail", reason: "rude,\nand wrong" } }],
  ["/save", [], { save: undefined }],
  ["/save tests/a.yaml ", [], { save: "tests/a.yaml" }],
  ["/help", [], { help: true }],
  ["//etc/hosts", [], { move: { kind: "say", input: "/etc/hosts" } }],
  [
    "/etc/hosts",
    [],
    { wrong: "There is no command /etc/hosts here. /help lists them; // in front says it." },
  ],
  ["/END", [], { move: { kind: "end" } }],
  [
    "/ednd",
    [],
    { wrong: "There is no command /ednd here. /help lists them; // in front says it." },
  ],
  ["  ", [], { wrong: "Say something, or /end, /skip or /fail." }],
  ["y", [approval], { move: { kind: "answer", answer: { approve: true } } }],
  ["YES", [approval], { move: { kind: "answer", answer: { approve: true } } }],
  [
    "n, too dear",
    [approval],
    { move: { kind: "answer", answer: { approve: false, reason: "too dear" } } },
  ],
  ["no", [approval, choice], { move: { kind: "answer", answer: { to: "r1", approve: false } } }],
  ["not yet", [approval], { move: { kind: "say", input: "not yet" } }],
  ["2", [choice], { move: { kind: "answer", answer: { choice: "Outside" } } }],
  ["outside", [choice], { move: { kind: "answer", answer: { choice: "Outside" } } }],
  // What is called so comes before what stands in that place.
  ["10", [choice], { wrong: "ten is too many." }],
  ["4", [choice], { move: { kind: "say", input: "4" } }],
  ["on the roof", [choice], { move: { kind: "say", input: "on the roof" } }],
  ['{"name": "Ann"}', [form], { move: { kind: "answer", answer: { payload: { name: "Ann" } } } }],
  ['{"name": Ann}', [form], { wrong: "This is no JSON." }],
  ["Ann", [form], { move: { kind: "say", input: "Ann" } }],
])("%j %j", (text, pending, wanted) => {
  expect(readAt(text, ...pending)).toEqual(wanted);
});

test("the question is that of the first request, else what the agent asks, else nothing", () => {
  expect(questionOf(view([choice, approval]))).toMatchObject({
    text: "Where?",
    kind: "choice",
    choices: ["inside", "Outside", "10"],
  });
  expect(questionOf(view([]))).toEqual({ text: "Which day?", kind: "question", choices: [] });
  expect(questionOf(view([], { detection: undefined }))).toEqual({ text: "", choices: [] });
  const done = { awaiting: false, reason: "completed", confidence: 1 } as const;
  expect(questionOf(view([], { detection: done }))).toEqual({ text: "", choices: [] });
});

test("in a talk nothing is skipped or failed", () => {
  const seen = view([]);
  expect(read("/skip it", questionOf(seen), { view: seen, talk: true })).toMatchObject({
    wrong: expect.stringContaining("no command /skip here") as string,
  });
  expect(read("/end", questionOf(seen), { view: seen, talk: true })).toMatchObject({ move: {} });
});
