import { expect, test, vi } from "vitest";
import type { AgentLike, RunCaseOptions } from "../index.js";
import {
  InvalidCaseError,
  definePlugin,
  detectAwaitingInput,
  loadProject,
  runCase,
} from "../index.js";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { compileDetection } from "./settings.js";

/** The verdict on the first turn of a case with these settings. */
async function verdict(detection: unknown, agent: AgentLike, options: RunCaseOptions = {}) {
  const result = await runCase(
    { id: "a", turns: [{ input: "hi" }], on_missing_input: "end", detection },
    { agent, ...options },
  );
  const [turn] = result.turns;
  return { result, turn: turn!, said: `${turn!.awaiting_input} ${turn!.awaiting_reason}` };
}

test("own tools ask the user", async () => {
  const agent: AgentLike = () => ({ content: "", toolCalls: [{ name: "desk__ring_bell" }] });
  expect((await verdict({}, agent)).said).toBe("false tool_pending");
  const { said, turn } = await verdict({ ask_tools: ["ring_bell"] }, agent);
  expect(said).toBe("true tool_requires_confirmation");
  expect(turn.evidence).toBe("desk__ring_bell");
});

test("own patterns win over the rules for texts, in both directions", async () => {
  const patterns = { awaiting: ["(?i)over to you"], completed: ["^END\\b"] };
  const { said, turn } = await verdict({ patterns }, () => "That is it. Over to you!");
  expect(said).toBe("true content_is_question");
  expect(turn).toMatchObject({ evidence: "Over to you", input_hint: "Over to you" });
  expect((await verdict({ patterns }, () => "END. Which one?")).said).toBe("false completed");
  // Not over what the agent declares.
  const declared: AgentLike = () => ({ content: "END", awaitingInput: true });
  expect((await verdict({ patterns }, declared)).said).toBe("true agent_declared");
});

test("signals can be switched off", async () => {
  const off = ["content_is_question"];
  expect((await verdict({ off }, () => "Which one?")).said).toBe("false completed");
  const declared: AgentLike = () => ({ content: "Which one?", awaitingInput: false });
  expect((await verdict({ off: ["agent_declared"] }, declared)).said).toBe(
    "true content_is_question",
  );
});

test.each([
  [{ patterns: { awaiting: ["("] } }, "detection.patterns.awaiting[0]: invalid pattern"],
  [{ off: ["completed"] }, "detection.off[0]: expected one of"],
  [{ ask_tool: ["x"] }, 'detection.ask_tool: there is no such field; did you mean "ask_tools"?'],
  [{ detect: "agents:nobody" }, 'detection.detect: there is no agent "nobody"'],
])("%j is refused", async (detection, message) => {
  const agent = vi.fn();
  const error: unknown = await verdict(detection, agent).catch((thrown: unknown) => thrown);
  expect(InvalidCaseError.isInstance(error)).toBe(true);
  expect((error as Error).message).toContain(message);
  expect(agent).not.toHaveBeenCalled();
});

test("a pattern that does not compile throws where nobody takes problems", async () => {
  await expect(compileDetection({ patterns: { completed: ["("] } })).rejects.toThrow("invalid");
  expect(
    detectAwaitingInput("ok", await compileDetection({ patterns: { awaiting: ["ok"] } })).awaiting,
  ).toBe(true);
});

test("the config gives settings, a case replaces each of them", async () => {
  const root = mkdtempSync(join(tmpdir(), "turnwise-detection-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  writeFileSync(
    join(root, "turnwise.config.json"),
    '{"detection": {"patterns": {"awaiting": ["ping"]}, "off": ["content_is_question"]}}',
  );
  const project = await loadProject({ root });
  const agent: AgentLike = () => "ping, which one?";
  expect((await verdict(undefined, agent, { project })).said).toBe("false completed");
  expect((await verdict({ off: [] }, agent, { project })).said).toBe("true content_is_question");
  writeFileSync(
    join(root, "turnwise.config.json"),
    '{"detection": {"patterns": {"awaiting": ["("]}}}',
  );
  await expect(loadProject({ root })).rejects.toThrow(
    "detection.patterns.awaiting[0]: invalid pattern",
  );
});

const asked = vi.fn();
const judges = definePlugin({
  name: "judges",
  agents: {
    says_yes: (request) => {
      asked(request);
      return 'I think: {"awaiting": true, "kind": "choice", "hint": "Which of them?"}';
    },
    says_no: () => ({ content: "", data: { awaiting: false } }),
    says_nothing: () => "maybe",
    breaks: () => {
      throw new Error("out of order");
    },
  },
});

test("an agent can be asked about texts; what is declared needs no asking", async () => {
  const options = { plugins: [judges] };
  const yes = await verdict({ detect: "agents:says_yes" }, () => "There are two.", options);
  expect(yes.turn).toMatchObject({
    awaiting_input: true,
    awaiting_kind: "choice",
    input_hint: "Which of them?",
  });
  const request = asked.mock.calls[0]![0] as { input: string; options: { metadata: object } };
  expect(request.input).toContain("There are two.");
  expect(request.options.metadata).toMatchObject({
    test_mode: "detector",
    reply: "There are two.",
  });
  expect((await verdict({ detect: "agents:says_no" }, () => "Which?", options)).said).toBe(
    "false completed",
  );
  // Patterns and switches come before it, too.
  const patterns = { awaiting: ["over to you"] };
  expect(
    (await verdict({ detect: "agents:says_no", patterns }, () => "over to you", options)).said,
  ).toBe("true content_is_question");
  asked.mockClear();
  const off = ["content_is_question"];
  expect((await verdict({ detect: "agents:says_yes", off }, () => "Which?", options)).said).toBe(
    "false completed",
  );
  const declared: AgentLike = () => ({ content: "Hm.", awaitingInput: false });
  expect((await verdict({ detect: "agents:says_yes" }, declared, options)).said).toBe(
    "false agent_declared",
  );
  expect(asked).not.toHaveBeenCalled();
});

test.each(["says_nothing", "breaks"])(
  "an agent that %s is an error of the detector",
  async (id) => {
    const { result } = await verdict({ detect: `agents:${id}` }, () => "Which?", {
      plugins: [judges],
    });
    expect(result).toMatchObject({ status: "error", blame: "detector" });
    expect(result.error).toContain("the agent that was asked");
  },
);
