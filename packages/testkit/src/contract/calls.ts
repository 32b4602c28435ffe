import type { CaseResult, JsonValue } from "@turnwise/core";
import type { Exchange } from "./bench.js";
import { deepEqual, toolLeaf } from "@turnwise/core";
import { expectAnswered, expectReply } from "./bench.js";
import { given } from "./check.js";

/** What a tool answers that fails. */
const failure = "the tool is out of order";

function mocked(tool: string, mock: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { mocks: { tools: { [tool]: mock }, unmocked: "passthrough" } };
}

/** The ids of the calls that a reply of an agent leaves open, as the agent gives them. */
function openIds({ reply }: Exchange): string[] {
  if (typeof reply !== "object") return [];
  return (reply.toolCalls ?? []).flatMap(({ id, result, error }) =>
    id === undefined || result !== undefined || error !== undefined ? [] : [id],
  );
}

/** @throws Error if the tool was not called, or its call has got no result. */
function expectCalled(
  result: CaseResult,
  { tool, input, sent }: { tool: string; input: string; sent?: JsonValue },
): void {
  const calls = result.turns[0]?.tool_calls ?? [];
  const call = calls.find(({ name }) => name === tool || toolLeaf(name) === tool);
  if (call === undefined) {
    expectAnswered(result, JSON.stringify(input));
    const names = calls.map(({ name }) => name).join(", ");
    throw new Error(
      `the agent did not call ${tool} upon ${JSON.stringify(input)}; it called ${names === "" ? "nothing" : names}`,
    );
  }
  if (sent !== undefined && call.result !== undefined && !deepEqual(call.result, sent))
    throw new Error(
      `the call of ${tool} has another result than it was sent: ${JSON.stringify(call.result)}`,
    );
}

export const calls = given("calls", {
  "a tool call gets its result": async (bench, { input, tool, result: sent, reply }) => {
    const result = await bench.talk([input], { fields: mocked(tool, { returns: sent }) });
    expectCalled(result, { tool, input, sent });
    const after = `the result of ${tool}`;
    expectAnswered(result, after);
    expectReply(result, { turn: 1, reply, after });
  },
  "a tool call that failed is survived": async (bench, { input, tool }) => {
    const result = await bench.talk([input], { fields: mocked(tool, { error: failure }) });
    expectCalled(result, { tool, input });
    expectAnswered(result, `an error as the result of ${tool}`);
  },
  "a message that leaves a tool call without result is answered": async (
    bench,
    { input, tool },
  ) => {
    const result = await bench.talk([input, bench.says.input]);
    expectCalled(result, { tool, input });
    expectAnswered(result, `a message that came with "not executed" for the call of ${tool}`);
  },
  "tool calls have ids of their own": async (bench, { input, tool, result: sent }) => {
    const sessionId = bench.newSession();
    const fields = mocked(tool, { returns: sent });
    const result = await bench.talk([input, input], { sessionId, fields });
    expectCalled(result, { tool, input });
    const ids = bench.of(sessionId).flatMap(openIds);
    const twice = ids.find((id, index) => ids.indexOf(id) !== index);
    if (twice !== undefined)
      throw new Error(
        `two tool calls of one conversation have the id ${JSON.stringify(twice)}: a result could belong to either; leave the id out if you have none`,
      );
  },
});
