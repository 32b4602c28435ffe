import type { HumanMove, HumanView, PendingRequest } from "@turnwise/core";
import { render } from "ink-testing-library";
import { afterEach, expect, test, vi } from "vitest";
import { Choices } from "./ask-choices.js";
import { Prompt } from "./prompt.js";
import { questionOf } from "./question.js";

const open: { unmount(): void }[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.unmount();
});

const view: HumanView = {
  id: "order",
  name: "A cup of tea",
  sessionId: "s",
  turn: 2,
  history: [],
  turns: [],
  detection: {
    awaiting: true,
    reason: "content_is_question",
    confidence: 1,
    kind: "question",
    hint: "How many?",
  },
  pending: [],
  wrongWith: () => undefined,
  timeout: 90_000,
  signal: new AbortController().signal,
};

interface Asked {
  /** Types what terminals send for these keys, one after the other. */
  readonly type: (...keys: string[]) => Promise<void>;
  readonly screen: () => string;
  readonly moves: HumanMove[];
  readonly saved: (string | undefined)[];
}

function ask(pending: readonly PendingRequest[] = [], history: readonly string[] = []): Asked {
  const moves: HumanMove[] = [];
  const saved: (string | undefined)[] = [];
  const seen = { ...view, pending };
  const app = render(
    <Prompt
      view={seen}
      question={questionOf(seen)}
      until={90_000}
      history={history}
      columns={80}
      rows={24}
      color
      talk={false}
      onMove={(move) => moves.push(move)}
      onSave={(file) => {
        saved.push(file);
        return "it will be saved";
      }}
      now={() => 0}
    />,
  );
  open.push(app);
  return {
    moves,
    saved,
    screen: () => `\n${app.lastFrame()}\n`,
    async type(...keys) {
      for (const key of keys) {
        // Ink reads keys when it has drawn.
        await new Promise((resolve) => setTimeout(resolve, 5));
        app.stdin.write(key);
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    },
  };
}

const enter = "\r";
const up = "\u001B[A";
const down = "\u001B[B";
const left = "\u001B[D";
const escape = "\u001B";

test("a question, and what is typed", async () => {
  const { type, screen, moves } = ask();
  expect(screen()).toMatchInlineSnapshot(`
    "

    [order] turn 2: the agent waits for you (question) · A cup of tea
    How many?
    ›
    Enter sends, Alt+Enter: new line · /help · 1:30
    "
  `);
  await type("tw", "ox", left, "\u007F", enter);
  await vi.waitFor(() => expect(moves).toEqual([{ kind: "say", input: "twx" }]));
});

test("several lines: Alt+Enter, a backslash, Ctrl-J, and what is pasted", async () => {
  const { type, screen, moves } = ask();
  await type("a", `${escape}${enter}`, "b\\", enter, "c", "\n", "d\ne");
  await vi.waitFor(() => expect(screen()).toContain("  e"));
  expect(moves).toEqual([]);
  await type(enter);
  await vi.waitFor(() => expect(moves).toEqual([{ kind: "say", input: "a\nb\nc\nd\ne" }]));
});

test("what was typed before comes back, and what was being typed is not lost", async () => {
  const { type, screen, moves } = ask([], ["first", "second"]);
  await type("new", up, up);
  await vi.waitFor(() => expect(screen()).toContain("› first"));
  await type(down, down);
  await vi.waitFor(() => expect(screen()).toContain("› new"));
  await type(up, enter);
  await vi.waitFor(() => expect(moves).toEqual([{ kind: "say", input: "second" }]));
});

test("a choice is picked with keys, by its number or by its name", async () => {
  const choice: PendingRequest = {
    id: "r",
    kind: "choice",
    prompt: "Which?",
    options: ["red", "blue"],
  };
  const picked = ask([choice]);
  expect(picked.screen()).toMatchInlineSnapshot(`
    "

    [order] turn 2: the agent waits for you (choice) · A cup of tea
    Which?
    › 1. red
      2. blue
    ›
    ↑↓ and Enter pick, or type · /help · 1:30
    "
  `);
  await picked.type(down, enter);
  await vi.waitFor(() =>
    expect(picked.moves).toEqual([{ kind: "answer", answer: { choice: "blue" } }]),
  );
  const named = ask([choice]);
  await named.type("RED", enter);
  await vi.waitFor(() =>
    expect(named.moves).toEqual([{ kind: "answer", answer: { choice: "red" } }]),
  );
});

test("an approval is answered y or n", async () => {
  const { type, screen, moves } = ask([{ id: "r", kind: "approval", prompt: "Pay 30?" }]);
  expect(screen()).toContain("y approves, n refuses");
  await type("n too dear", enter);
  await vi.waitFor(() =>
    expect(moves).toEqual([{ kind: "answer", answer: { approve: false, reason: "too dear" } }]),
  );
});

test("commands do not leave the question, unless they end it", async () => {
  const { type, screen, moves, saved } = ask();
  await type("/help", enter);
  await vi.waitFor(() => expect(screen()).toContain("/skip [reason]"));
  await type("/save a.yaml", enter);
  await vi.waitFor(() => expect(screen()).toContain("it will be saved"));
  expect(saved).toEqual(["a.yaml"]);
  await type("/slip", enter);
  await vi.waitFor(() => expect(screen()).toContain("There is no command /slip here."));
  expect(moves).toEqual([]);
});

test("Ctrl-D ends the case when nothing is typed, Ctrl-C is the run's", async () => {
  const { type, screen, moves } = ask();
  await type("ab", "\u0004", "\u0003", "c");
  await vi.waitFor(() => expect(screen()).toContain("› abc"));
  expect(moves).toEqual([]);
  await type("\u0015", "\u0004");
  await vi.waitFor(() => expect(moves).toEqual([{ kind: "end" }]));
});

test("what the agent says cannot disturb the screen", () => {
  const prompt = "\u001B[2J\u001B]0;owned\u0007Pay\r\u202Eevil\u202C\u0008 now?";
  const { screen } = ask([
    { id: "r", kind: "choice", prompt, options: ["\u001B[31mred\u0007", "x".repeat(10_000)] },
  ]);
  // oxlint-disable-next-line no-control-regex -- control characters are the point
  expect(screen()).not.toMatch(/[\u0007\u0008\r\u202A-\u202E]|\u001B\]|\u001B\[2J/);
  expect(screen().split("\n").length).toBeLessThan(12);
});

test("questions of a new project: keys, numbers, and giving up", async () => {
  const choices = [
    {
      key: "a",
      question: "One?",
      options: [
        ["x", "the first"],
        ["y", "the second"],
      ],
    },
    { key: "b", question: "Two?", options: [["z", "it"]] },
  ] as const;
  const answered: (readonly string[] | undefined)[] = [];
  const app = render(<Choices choices={choices} onDone={(values) => answered.push(values)} />);
  open.push(app);
  expect(`\n${app.lastFrame()}\n`).toMatchInlineSnapshot(`
    "
    ? One?
    › 1. x         the first
      2. y         the second
    ↑↓ and Enter, or the number
    "
  `);
  for (const key of [down, enter, "1"]) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    app.stdin.write(key);
  }
  await vi.waitFor(() => expect(answered).toEqual([["y", "z"]]));
  const other = render(<Choices choices={choices} onDone={(values) => answered.push(values)} />);
  open.push(other);
  await new Promise((resolve) => setTimeout(resolve, 5));
  other.stdin.write("\u0003");
  await vi.waitFor(() => expect(answered).toEqual([["y", "z"], undefined]));
});
