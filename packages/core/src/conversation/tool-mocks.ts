import { setTimeout } from "node:timers/promises";
import type { PreparedMock, PreparedMocks } from "../case/prepare-mocks.js";
import type { ToolCall } from "../contract/agent.js";
import type { JsonValue } from "../json.js";
import type { Deadline } from "./deadline.js";
import { toolLeaf } from "../awaiting/ask-tools.js";
import { TurnwiseError, errorMessage } from "../errors.js";
import { isObject, isTooDeep, jsonCopy } from "../json.js";
import { formatReference } from "../project/reference.js";
import { interruptionOf, within } from "./deadline.js";

/** What a mock answers: a result, or the error that the tool is to have. */
export type MockAnswer = { readonly result: JsonValue } | { readonly error: string };

/** A mock that broke, which says nothing about the agent. */
export class MockError extends TurnwiseError {
  constructor(tool: string, reason: string, cause?: unknown) {
    super(`the mock of "${tool}" ${reason}`, { code: "mock_failed", blame: "mock", cause });
  }
}

/** How long a mock of a script may take. */
const mockTimeout = 10_000;

/** The mocks of one conversation: they keep their place from turn to turn. */
export class ToolMocks {
  /** Calls of each mock so far. A tool may be called by several names. */
  private readonly calls = new Map<PreparedMock, number>();
  /** State that the scripts of the conversation share. */
  readonly world: unknown = {};

  constructor(
    private readonly mocks: PreparedMocks | undefined,
    private readonly conversationId: string,
  ) {}

  /** Whether the case has mocks at all. */
  get present(): boolean {
    return this.mocks !== undefined;
  }

  /** Whether calls without a mock are none of our business. */
  get passthrough(): boolean {
    return this.mocks?.unmocked !== "error";
  }

  /** Whether there is a mock for the tool: under its full name, or under the part after server and module prefixes. */
  has(tool: string): boolean {
    return this.find(tool) !== undefined;
  }

  private find(tool: string): PreparedMock | undefined {
    return this.mocks?.tools.get(tool) ?? this.mocks?.tools.get(toolLeaf(tool));
  }

  /**
   * Answers a call of a tool that has a mock.
   * @throws MockError if the mock itself is broken, and the interruption of the deadline.
   */
  async answer(
    {
      name,
      arguments: args,
      argumentsInvalid,
    }: Pick<ToolCall, "name" | "arguments" | "argumentsInvalid">,
    turn: number,
    deadline: Deadline,
  ): Promise<MockAnswer> {
    const mock = this.find(name)!;
    const callIndex = this.calls.get(mock) ?? 0;
    this.calls.set(mock, callIndex + 1);
    try {
      if (mock.delay !== undefined) await pause(mock.delay, deadline);
    } catch (error) {
      throw asMockError(error, name);
    }
    // No tool runs on arguments that it cannot read.
    if (argumentsInvalid === true) return { error: "the arguments are not valid JSON" };
    if (mock.kind === "error") return { error: mock.error };
    if (mock.kind === "value") return { result: structuredClone(mock.value) };
    if (mock.kind === "sequence") {
      const value = mock.values[Math.min(callIndex, mock.values.length - 1)];
      return failing(value) ?? { result: structuredClone(value ?? null) };
    }
    const { reference } = mock;
    try {
      const result = await within(
        "hook",
        mockTimeout,
        async () =>
          mock.mock(structuredClone(args), {
            callIndex,
            turnIndex: turn,
            conversationId: this.conversationId,
            parameters: reference.parameters,
            world: this.world,
            get signal() {
              return deadline.signal;
            },
          }),
        deadline,
      );
      return { result: asJson(result) };
    } catch (error) {
      const script = formatReference(reference);
      const interruption = interruptionOf(error);
      if (deadline.interruption !== undefined) throw asMockError(error, name);
      if (interruption !== undefined)
        throw new MockError(name, `did not answer: ${script}: ${interruption.message}`, error);
      if (isBug(error)) throw new MockError(name, `broke: ${script}: ${String(error)}`, error);
      return { error: errorMessage(error) };
    }
  }
}

/** In a sequence, `{"error": "..."}` is a call that fails. */
function failing(value: JsonValue | undefined): MockAnswer | undefined {
  if (!isObject(value) || Object.keys(value).length !== 1) return undefined;
  const { error } = value;
  return typeof error === "string" ? { error } : undefined;
}

/** The agent was not at work when the time of its turn was up: the mock was. */
function asMockError(error: unknown, tool: string): unknown {
  const interruption = interruptionOf(error);
  return interruption?.kind === "timeout"
    ? new MockError(tool, `was still at work: ${interruption.message}`)
    : error;
}

/** Thrown for a value that no tool could return. */
class NotJsonError extends TypeError {}

function asJson(value: unknown): JsonValue {
  let copy: JsonValue | undefined;
  try {
    copy = jsonCopy(value) ?? null;
  } catch (error) {
    throw new NotJsonError(`it returned what JSON cannot hold: ${errorMessage(error)}`);
  }
  if (isTooDeep(copy)) throw new NotJsonError("it returned too many levels of nesting");
  return copy;
}

/** What only a mistake in the code throws. An `Error` is a tool that fails on purpose. */
function isBug(error: unknown): boolean {
  return (
    error instanceof TypeError || error instanceof ReferenceError || error instanceof SyntaxError
  );
}

/** Waits, and leaves no timer behind when the time of the turn is up. */
async function pause(milliseconds: number, deadline: Deadline): Promise<void> {
  await deadline.race(() => setTimeout(milliseconds, undefined, { signal: deadline.signal }));
}
