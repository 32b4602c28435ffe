import { describe, expect, test } from "vitest";
import { outcome, replies, said, talk } from "./openai.test-support.js";

const asks = { approval: { name: "wipe_disk", arguments: { disk: 1 }, server_label: "ops" } };
const opened = {
  kind: "approval",
  prompt: 'May I call wipe_disk({"disk":1})?',
  tool_name: "wipe_disk",
};
const ways = [
  ["in one piece", { api: "responses" }],
  ["streamed", { api: "responses", stream: true }],
] as const;

describe.each(ways)("approvals, %s", (_, agent) => {
  test.each<[string, object, object]>([
    ["approve", { answer: { approve: true } }, { approve: true }],
    [
      "refuse with a reason",
      { answer: { approve: false, reason: "not now" } },
      { approve: false, reason: "not now" },
    ],
    ["by name of the tool", { answer: { to: "wipe_disk", approve: true } }, { approve: true }],
    ["plain yes", { input: "  Yes! " }, { approve: true }],
    ["plain no", { input: "no" }, { approve: false }],
  ])("%s", async (_name, turn, response) => {
    const { result, bodies, statuses } = await talk(
      agent,
      {
        conversations: [
          {
            answers: [{ when: { tool: "wipe_disk", result: "^approved" }, reply: "Wiped." }],
            replies: [asks, "Left alone.", "Bye."],
          },
        ],
      },
      { turns: [{ input: "Wipe it" }, turn, { input: "Bye" }] },
    );
    expect(statuses).toEqual([200, 200, 200]);
    expect(result.turns[0]).toMatchObject({
      awaiting_input: true,
      awaiting_kind: "approval",
      pending: [opened],
    });
    expect(result.turns[1]).not.toHaveProperty("pending");
    expect(result.turns.map(({ output }) => output)).toEqual([
      "",
      "approve" in response && response.approve === true ? "Wiped." : "Left alone.",
      "Bye.",
    ]);
    expect((said(bodies[1]!) as unknown[]).slice(1)).toEqual([
      {
        id: "#1",
        type: "mcp_approval_request",
        server_label: "ops",
        name: "wipe_disk",
        arguments: '{"disk":1}',
      },
      {
        type: "mcp_approval_response",
        approval_request_id: result.turns[0]!.pending![0]!.id,
        ...response,
      },
    ]);
  });

  test.each<[string, object]>([
    ["other text", { input: "Which disk is that?" }],
    ["text that only begins with yes", { input: "yes, but keep the logs" }],
    ["no text", { input: "" }],
    ["a payload", { answer: { payload: true } }],
  ])("%s is no approval: author, and nothing is sent", async (_name, turn) => {
    const { result, statuses } = await talk(agent, replies(asks, "Wiped."), {
      turns: [{ input: "Wipe it" }, turn],
    });
    expect(statuses).toEqual([200]);
    expect(outcome(result)).toBe(
      'error (author): the model waits for an approval of wipe_disk, which takes yes or no; answer it with {"answer": {"approve": true}}',
    );
  });

  test("an answer to a request that is not open names the one that is", async () => {
    const { result, statuses } = await talk(agent, replies(asks, "Wiped."), {
      turns: [{ input: "Wipe it" }, { answer: { to: "wipe_dis", approve: true } }],
    });
    expect(statuses).toEqual([200]);
    expect(outcome(result)).toMatch(
      /^error \(author\): the agent has no request "wipe_dis" open; did you mean "wipe_disk"\? \(open: mcpr_\w+ \(wipe_disk\), approval\)$/,
    );
  });

  test("yes as the only part of an input is a yes", async () => {
    const { result } = await talk(agent, replies(asks, "Wiped."), {
      turns: [{ input: "Wipe it" }, { input: [{ type: "text", text: "yes" }] }],
    });
    expect(outcome(result)).toBe("passed");
  });

  test("an attachment beside a plain yes arrives or is refused", async () => {
    const source = "data:image/png;base64,AAAA";
    const { result, bodies } = await talk(agent, replies(asks, "Wiped."), {
      turns: [{ input: "Wipe it" }, { input: "yes", attachments: [{ type: "image", source }] }],
    });
    const arrived = bodies[1] !== undefined && JSON.stringify(bodies[1]).includes(source);
    expect(arrived || result.blame === "author").toBe(true);
  });

  test("an approval beside a mocked call in one response stays open", async () => {
    const { result, statuses } = await talk(
      agent,
      replies({ ...asks, tool_calls: [{ name: "size_of", arguments: {} }] }, "A", "B", "C"),
      {
        turns: [{ input: "Wipe it" }, { input: "yes" }, { input: "Bye" }],
        mocks: { tools: { size_of: { returns: 3 } } },
      },
    );
    expect(statuses).not.toContain(400);
    expect(result.turns[0]).toMatchObject({ pending: [opened] });
  });

  test("an approval beside a question to the user does not end in a 400", async () => {
    const { result, statuses } = await talk(
      agent,
      replies(
        { ...asks, tool_calls: [{ name: "ask_user", arguments: { question: "Why?" } }] },
        "A",
        "B",
      ),
      { turns: [{ input: "Wipe it" }, { input: "It is old" }, { input: "Bye" }] },
    );
    expect(statuses).not.toContain(400);
    expect(result.error ?? "").not.toContain("mcp_approval_response");
  });

  test("a typed approval beside a question to the user closes both", async () => {
    const { result, statuses } = await talk(
      agent,
      replies(
        { ...asks, tool_calls: [{ name: "ask_user", arguments: { question: "Why?" } }] },
        "A",
        "B",
      ),
      { turns: [{ input: "Wipe it" }, { answer: { approve: true } }, { input: "Bye" }] },
    );
    expect(statuses).toEqual([200, 200, 200]);
    expect(result.turns.map(({ output }) => output)).toEqual(["", "A", "B"]);
  });

  test("a typed answer to the question beside an approval leaves that open", async () => {
    const { result, statuses } = await talk(
      agent,
      replies(
        { ...asks, tool_calls: [{ name: "ask_user", arguments: { question: "Why?" } }] },
        "A",
        "B",
      ),
      {
        turns: [
          { input: "Wipe it" },
          { answer: { to: "ask_user", payload: "old" } },
          { answer: { approve: false } },
          { input: "Bye" },
        ],
      },
    );
    expect(statuses).toEqual([200, 200, 200]);
    expect(result.turns[1]).toMatchObject({ output: "", pending: [opened] });
  });
});
