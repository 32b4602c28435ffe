import type { CaseResult, TestCase, TurnResult } from "@turnwise/core";

/** Fields that say who else has a say in a case, or how often it runs here. They have no meaning for a written script. */
const ofWhoWrote = [
  "id",
  "type",
  "simulator",
  "interactive",
  "on_missing_input",
  "only",
  "max_turns",
  "on_max_turns",
  "repeat",
  "retries",
];

/** A case as a file may hold it. */
type WrittenCase = Readonly<Record<string, unknown>>;

/**
 * The case with everything that was said in it as static turns, so that it runs without anybody. What the case says of its
 * own turns and of the end stays.
 */
export function savedCase(
  testCase: TestCase,
  result: CaseResult,
  { id, suggest }: { readonly id: string; readonly suggest: boolean },
): WrittenCase {
  const { name, turns, assertions = [], attachments, ...rest } = testCase;
  const fields = Object.entries(rest).filter(([key]) => !ofWhoWrote.includes(key));
  const sent = result.turns.filter((turn) => turn.input_source !== undefined);
  return {
    id,
    name,
    turns: sent.map((row, index) => {
      const own = turns[index];
      // What belongs to the input of a case that has none belongs to its first turn.
      const opening = index === 0 && turns.length === 0;
      const checks = own?.assertions ?? (opening ? assertions : []);
      const all = suggest ? suggestions(row, sent.slice(0, index)) : checks;
      const files = own?.attachments ?? (opening ? attachments : undefined);
      return {
        ...(own ?? (row.answer === undefined ? { input: row.input } : { answer: row.answer })),
        ...(files === undefined ? {} : { attachments: files }),
        assertions: all.length === 0 ? undefined : all,
      };
    }),
    ...Object.fromEntries(fields),
    // The talk ended here all the same.
    ...(sent.at(-1)?.awaiting_input === true ? { on_missing_input: "end" } : {}),
  };
}

/** Most facts of one reply that are suggested. */
const mostFacts = 3;

/**
 * Assertions that held in a turn and should hold again: the tools that were called, whether the agent waited, and facts of
 * the reply that come from the user or from a tool. How a model words the rest is another matter each time.
 */
export function suggestions(turn: TurnResult, earlier: readonly TurnResult[]): object[] {
  const calls = (turn.tool_calls ?? []).map(({ name, args }) => ({
    type: "tool_called",
    name,
    ...(isEmpty(args) ? {} : { arguments: args }),
  }));
  const waits =
    turn.awaiting_input === undefined
      ? []
      : [
          {
            type: "awaiting",
            value: turn.awaiting_input,
            // What kind of question a text is, is a guess that other words may change.
            ...(turn.awaiting_kind === undefined || turn.awaiting_reason === "content_is_question"
              ? {}
              : { kind: turn.awaiting_kind }),
          },
        ];
  const facts = factsOf(turn, earlier).map((value) => ({ type: "contains", value }));
  return [...calls, ...waits, ...facts];
}

function isEmpty(value: unknown): boolean {
  return typeof value !== "object" || value === null || Object.keys(value).length === 0;
}

/** Numbers, dates and codes in a reply that somebody else brought up before. */
function factsOf(turn: TurnResult, earlier: readonly TurnResult[]): string[] {
  if (typeof turn.output !== "string") return [];
  const sources = JSON.stringify([
    turn.input,
    turn.tool_calls,
    earlier.map(({ input, tool_calls: calls }) => [input, calls]),
  ]);
  const known = new Set(tokensOf(sources));
  return [...new Set(tokensOf(turn.output))]
    .filter((token) => known.has(token))
    .slice(0, mostFacts);
}

/** Words with a digit in them, of two characters and more. */
function tokensOf(text: string): string[] {
  return (
    text
      .match(/[\p{L}\p{N}](?:[\p{L}\p{N}.,:/_-]*[\p{L}\p{N}])/gu)
      ?.filter((token) => /\d/.test(token)) ?? []
  );
}
