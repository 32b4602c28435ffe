import { existsSync, readFileSync } from "node:fs";
import type { AgentReply } from "@turnwise/core";
import { InvalidCaseError, detectAwaitingInput, runCase } from "@turnwise/core";
import { describe, expect, test } from "vitest";
import assertions from "./index.js";

/*
 * Rows of the conformance table that stands beside the repository. Strangers do not have it: then these tests are
 * skipped, and say so.
 */
const table = new URL("../../../../shared/data/conformance/assertions.jsonl", import.meta.url);
const here = existsSync(table);
if (!here) console.warn("SKIPPED: the conformance table (../shared/data/conformance) is not here");

interface Row {
  readonly id: string;
  readonly group: string;
  readonly why?: string;
  readonly given: Readonly<Record<string, unknown>>;
  readonly expect: "pass" | "fail" | "error" | "awaiting" | "complete";
}

const later = ["agent"];
const rows = here
  ? readFileSync(table, "utf8")
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => JSON.parse(line) as Row)
      .filter(
        (row) => !later.some((type) => JSON.stringify(row.given).includes(`"type":"${type}"`)),
      )
  : [];

/** The reply that a row describes: `output` is text or data, `tools` are calls. */
function replyOf({ output, content, tools }: Row["given"]): AgentReply {
  return {
    content: typeof content === "string" ? content : typeof output === "string" ? output : "",
    ...(output === undefined || typeof output === "string" ? {} : { data: output }),
    toolCalls: ((tools ?? []) as Record<string, unknown>[]).map((call) => ({
      name: String(call["tool"]),
      arguments: call["arguments"],
      ...(call["result"] === undefined ? {} : { result: call["result"] }),
      ...(call["error"] === undefined ? {} : { error: String(call["error"]) }),
    })),
  };
}

/** What becomes of a row: a problem at load and an assertion that breaks are both `error`. */
async function outcomeOf(row: Row): Promise<string> {
  const { assert, expected } = row.given;
  try {
    const result = await runCase(
      {
        id: row.id,
        input: "hi",
        ...(assert === undefined ? {} : { assert }),
        ...(expected === undefined ? {} : { expected }),
      },
      { agent: () => replyOf(row.given), plugins: [assertions] },
    );
    return { passed: "pass", failed: "fail", error: "error", skipped: "skip" }[result.status];
  } catch (error) {
    if (InvalidCaseError.isInstance(error)) return "error";
    throw error;
  }
}

describe.skipIf(!here)("conformance rows", () => {
  test("the table is the one these tests were written for", () => {
    expect(rows.length).toBeGreaterThan(50);
  });

  test.each(rows.filter((row) => row.group !== "awaiting"))("$id: $expect ($why)", async (row) => {
    expect(await outcomeOf(row)).toBe(row.expect);
  });

  test.each(rows.filter((row) => row.group === "awaiting"))("$id: $expect ($why)", (row) => {
    expect(detectAwaitingInput(replyOf(row.given)).awaiting).toBe(row.expect === "awaiting");
  });
});
