// A harness of one's own needs only core: the whole of it is between the two lines.
// ---
import { runSuite } from "@turnwise/core";
import type { CaseResult } from "@turnwise/core";

async function harness(): Promise<string[]> {
  const lines: string[] = [];
  const summary = await runSuite({
    cases: [
      { id: "asks", turns: [{ input: "I want a table" }], on_missing_input: "end" },
      { id: "books", turns: [{ input: "I want a table" }, { input: "tonight, for two" }] },
    ],
    agent: ({ turn }) => (turn === 1 ? "For how many, and when?" : "Your table is booked."),
    onEvent: (event) => void (event.type === "case-end" && lines.push(line(event.result))),
  });
  return [...lines, `${summary.passed} of ${summary.total} passed`];
}
const line = ({ id, turns }: CaseResult) => `${id}: ${turns.map((t) => t.awaiting_input)}`;
// ---

import { expect, test } from "vitest";

test("a harness that imports only core", async () => {
  expect(await harness()).toEqual(["asks: true", "books: true,false", "2 of 2 passed"]);
});
