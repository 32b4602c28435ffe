import type {
  AssertionContext,
  AssertionTurn,
  AssertionVerdict,
  PreparedAssertion,
  Subject,
} from "../contract/assertion.js";
import type { Message, ToolCall } from "../contract/agent.js";
import type { AssertionRow } from "../contract/result.js";
import type { JsonValue } from "../json.js";
import type { Cause } from "./verdict.js";
import { AgentError, AuthorError, TurnwiseError, UnjudgedError, errorMessage } from "../errors.js";
import { isObject, jsonCopy } from "../json.js";
import type { RoleCaller } from "../role/call-role.js";
import { toolCallRow } from "./record.js";
import { RoleError } from "../role/role-error.js";
import type { Deadline } from "./deadline.js";
import { interruptionOf, isThenable, within } from "./deadline.js";
import { blamed } from "./verdict.js";

/** What the assertions of one moment look at. */
export interface Moment {
  readonly scope: "turn" | "final";
  readonly turn: AssertionTurn;
  readonly turns: readonly AssertionTurn[];
  readonly messages: readonly Message[];
  readonly state: JsonValue | undefined;
  /** State shared by the mocks of the conversation. */
  readonly world: unknown;
  /** Whether a question that does not arise is none that failed. */
  readonly invariant?: boolean;
  readonly helpers: Helpers;
}

/** Whom assertions can ask. */
export interface Helpers {
  readonly roles: RoleCaller;
  readonly runScript: (reference: string, data: object, signal: AbortSignal) => Promise<unknown>;
}

/** The rows of a list of assertions, and what they mean for the case. */
export interface Checked {
  readonly rows: AssertionRow[];
  /** Texts of those that did not hold. */
  readonly failures: string[];
  readonly causes: Cause[];
}

/** How long one assertion may take. A judge that is asked has as much. */
const checkTimeout = 120_000;

/** Checks assertions one after the other. An assertion that throws cannot tell: an error, never a pass. */
export async function runAssertions(
  assertions: readonly PreparedAssertion[],
  moment: Moment,
  deadline: Deadline,
  /** Goes in front of what becomes the error of the case: where it happened. */
  prefix: string,
): Promise<Checked> {
  const checked: Checked = { rows: [], failures: [], causes: [] };
  for (const assertion of assertions) {
    const { row, cause } = await runAssertion(assertion, moment, deadline);
    checked.rows.push(row);
    if (row.status === "passed") continue;
    const text = assertion.message ?? row.reason;
    checked.failures.push(text);
    checked.causes.push(cause ?? { kind: "failed", blame: "agent", error: `${prefix}${text}` });
  }
  return checked;
}

async function runAssertion(
  assertion: PreparedAssertion,
  moment: Moment,
  deadline: Deadline,
): Promise<{ row: AssertionRow; cause?: Cause }> {
  const toolCalls =
    moment.scope === "turn"
      ? moment.turn.toolCalls
      : moment.turns.flatMap((turn) => turn.toolCalls);
  const { helpers } = moment;
  const base = { ...assertion.raw, type: assertion.type, label: labelOf(assertion) };
  const subject = subjectOf(assertion.on, moment, toolCalls);
  const context = (signal: () => AbortSignal): AssertionContext => ({
    scope: moment.scope,
    on: assertion.on,
    turn: moment.turn,
    conversation: { turns: moment.turns, messages: moment.messages },
    subject,
    toolCalls,
    state: moment.state,
    world: moment.world,
    // Made when it is looked at: most checks answer at once.
    get signal() {
      return signal();
    },
    // What does not arise inside of another assertion is for that one to say.
    run: async (nested) =>
      (await runAssertion(nested, { ...moment, invariant: false }, deadline)).row,
    callRole: (request) => helpers.roles.call(request, { outer: deadline, turn: moment.turn.turn }),
    runScript: (reference, data) => helpers.runScript(reference, data, signal()),
  });
  try {
    if (assertion.on === "state" && subject === undefined)
      throw new AgentError("the agent has returned no state");
    const verdict = await checkInTime(assertion, context, deadline);
    if (!isVerdict(verdict))
      throw new TypeError("its check returned no verdict { passed, message }");
    return { row: toRow(base, verdict, { negate: assertion.negate, invariant: moment.invariant }) };
  } catch (error) {
    return unjudged(assertion, base, late(error, helpers), deadline);
  }
}

/** The row of an assertion that could not be judged. Nothing to look at is no pass, for a negated one neither. */
function unjudged(
  { type }: PreparedAssertion,
  base: { type: string; label: string },
  error: unknown,
  deadline: Deadline,
): { row: AssertionRow; cause?: Cause } {
  const blame = TurnwiseError.isInstance(error) ? error.blame : "author";
  if (blame === "agent") {
    const reason = errorMessage(error);
    return { row: { ...base, passed: false, status: "failed", reason, blame } };
  }
  const interruption = interruptionOf(error);
  // A composite assertion gives the reason of what broke inside of it as it is.
  const reason =
    interruption !== undefined
      ? `the assertion "${type}" did not finish: ${interruption.message}`
      : UnjudgedError.isInstance(error) || RoleError.isInstance(error)
        ? error.message
        : `the assertion "${type}" broke: ${errorMessage(error)}`;
  return {
    row: { ...base, passed: false, status: "error", reason, blame },
    cause:
      interruption?.kind === "cancelled" || deadline.interruption?.kind === "cancelled"
        ? { kind: "cancelled" }
        : blamed(blame, reason),
  };
}

/** Time that runs out while a judge is asked is the judge's. */
function late(error: unknown, { roles: { running } }: Helpers): unknown {
  const interruption = interruptionOf(error);
  return interruption?.kind === "timeout" && running !== undefined
    ? new RoleError(running, `the ${running} was still at work: ${interruption.message}`)
    : error;
}

/** Only a check that does not answer at once gets a timer. */
async function checkInTime(
  assertion: PreparedAssertion,
  context: (signal: () => AbortSignal) => AssertionContext,
  deadline: Deadline,
): Promise<AssertionVerdict> {
  deadline.throwIfOver();
  let controller: AbortController | undefined;
  const verdict = assertion.check(context(() => (controller ??= new AbortController()).signal));
  if (!isThenable(verdict)) return verdict;
  // It may fail after it was given up.
  verdict.then(undefined, () => undefined);
  try {
    return await within("check", checkTimeout, () => verdict, deadline);
  } catch (error) {
    controller?.abort(error);
    throw error;
  }
}

function labelOf(assertion: PreparedAssertion): string {
  const { label, negate, on, raw } = assertion;
  const where = raw["on"] === undefined || on === "response" ? "" : ` (${on})`;
  return `${negate ? "not: " : ""}${label}${where}`;
}

function isVerdict(value: unknown): value is AssertionVerdict {
  return isObject(value) && typeof value["passed"] === "boolean";
}

function toRow(
  base: { type: string; label: string },
  verdict: AssertionVerdict,
  {
    negate,
    invariant = false,
  }: { readonly negate: boolean; readonly invariant?: boolean | undefined },
): AssertionRow {
  const applicable = verdict.applicable !== false;
  const passed = applicable ? verdict.passed !== negate : invariant;
  const reason =
    typeof verdict.message === "string" && verdict.message !== ""
      ? verdict.message
      : "its check gave no reason";
  return {
    ...base,
    passed,
    status: passed ? "passed" : "failed",
    ...(applicable ? {} : { applicable: false as const }),
    reason:
      negate && applicable
        ? `${passed ? "as wanted, it does not hold" : "expected not to hold"}: ${reason}`
        : reason,
    ...recorded("score", verdict.score),
    ...recorded("wanted", verdict.expected),
    ...recorded("actual", verdict.actual),
    ...recordedDetails(verdict.details),
  };
}

/** Longest text of a value in a row. A reply stands in its turn already, whole. */
const longestRecord = 10_000;

/** Verdicts go into reports, so they are kept as JSON; what is none is described, what is long is cut. */
function recorded(key: string, value: unknown): Record<string, unknown> {
  if (value === undefined) return {};
  if (typeof value === "string" && value.length > longestRecord) return { [key]: cut(value) };
  try {
    const text = JSON.stringify(value);
    if (text === undefined) return {};
    if (text.length <= longestRecord) return { [key]: JSON.parse(text) as JsonValue };
    return { [key]: cut(text) };
  } catch (error) {
    return { [key]: `(cannot be shown: ${errorMessage(error)})` };
  }
}

/** Longest JSON of the details in a row. What reports show of them is kept when the rest is too long. */
const longestDetails = 50_000;

function recordedDetails(details: AssertionVerdict["details"]): Pick<AssertionRow, "details"> {
  try {
    const text = JSON.stringify(details);
    if (text === undefined) return {};
    if (text.length <= longestDetails) return { details: JSON.parse(text) as JsonValue };
    const { diff, notes } = details as { diff?: unknown; notes?: unknown };
    return {
      details: {
        ...(typeof diff === "string" ? { diff: cut(diff) } : {}),
        ...(Array.isArray(notes)
          ? { notes: notes.slice(0, 20).map((note) => String(note).slice(0, 500)) }
          : {}),
        truncated: true,
      },
    };
  } catch (error) {
    return { details: { notes: [`the details cannot be shown: ${errorMessage(error)}`] } };
  }
}

function cut(text: string): string {
  return `${text.slice(0, longestRecord)}… (${text.length} characters)`;
}

function subjectOf(
  on: Subject,
  moment: Moment,
  toolCalls: readonly ToolCall[],
): JsonValue | undefined {
  switch (on) {
    case "response":
      return moment.turn.output;
    case "state":
      return moment.state;
    case "world":
      return plainCopy(moment.world);
    case "tools": {
      const newest = new Map<string, JsonValue>();
      for (const call of toolCalls)
        if (call.result !== undefined) newest.set(call.name, call.result);
      return { ...Object.fromEntries(newest), calls: toolCalls.map(callData) };
    }
    case "conversation":
      return {
        turns: moment.turns.map((turn) => ({
          turn: turn.turn,
          input: (turn.input ?? null) as JsonValue,
          output: turn.output,
          tool_calls: turn.toolCalls.map(callData),
          awaiting_input: turn.detection.awaiting,
        })),
        messages: moment.messages as unknown as JsonValue,
        tool_calls: moment.turns.flatMap((turn) => turn.toolCalls.map(callData)),
        last: moment.turn.output,
      };
  }
}

/** The world as data: scripts may put anything into it. */
function plainCopy(world: unknown): JsonValue | undefined {
  try {
    return jsonCopy(world);
  } catch (error) {
    throw new AuthorError(`the world of the mocks is no plain data: ${errorMessage(error)}`);
  }
}

/** A call as results hold it, which is plain data. */
function callData(call: ToolCall): { [key: string]: JsonValue } {
  return toolCallRow(call) as { [key: string]: JsonValue };
}
