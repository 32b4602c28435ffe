import type { AssertionRow, CaseResult, ToolCallRow, TurnResult } from "@turnwise/core";
import type { Colors } from "picocolors/types.js";
import { isObject, plainText } from "@turnwise/core";
import { oneLine } from "./plain.js";

/** How cases are drawn. */
export interface TreeStyle {
  readonly colors: Colors;
  /** Show replies whole, and all turns. */
  readonly verbose: boolean;
  /** Show what tools have said. */
  readonly detailed?: boolean;
  /** Columns of the screen. */
  readonly columns?: number;
  /** Draws a diff in two columns, if there is room. */
  readonly sideBySide?: (diff: string, width: number, colors: Colors) => string[] | undefined;
  /** The command that runs a case again. */
  readonly rerun?: (result: CaseResult) => string | undefined;
}

/** Columns where nobody knows how many there are, as in a file. */
const usualColumns = 100;
/** What stands in front of a diff: the tree, the turn, the assertion. */
const indentOfDiffs = 18;

type Invariants = NonNullable<CaseResult["invariants"]>;

const shortReply = 300;

/** A duration for people: `12ms`, `2.1s`, `1m 05s`. */
export function seconds(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)}ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1_000).toFixed(1)}s`;
  const whole = Math.round(milliseconds / 1_000);
  return `${Math.floor(whole / 60)}m ${String(whole % 60).padStart(2, "0")}s`;
}

/** `1 turn`, `3 turns`. */
export function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}

/** A passed case on one line. */
export function caseLine(result: CaseResult, { colors }: TreeStyle): string {
  const name = result.name === undefined ? "" : ` ${oneLine(result.name, 80)}`;
  const facts = [
    ...trialOf(result),
    count(result.total_turns, "turn"),
    seconds(result.duration_ms),
  ].join(", ");
  const flaky = result.flaky === true ? colors.yellow(` flaky: ${attemptsText(result)}`) : "";
  return `${colors.green("✓")} [${oneLine(result.id, 80)}]${name} ${colors.dim(`(${facts})`)}${flaky}\n`;
}

/** `trial 2 of 3`, for a case that is repeated. */
export function trialOf({ trial, trials }: CaseResult): string[] {
  return trials === undefined ? [] : [`trial ${trial} of ${trials}`];
}

function attemptsText({ status, attempts = [] }: CaseResult): string {
  const first = oneLine(attempts[0]?.error ?? "", 200);
  const outcome =
    status === "passed"
      ? `attempt ${attempts.length + 1} passed`
      : `none of ${attempts.length + 1} attempts passed`;
  return `${outcome}; the first: ${first}`;
}

/** A case as a tree of its turns. */
export function caseTree(result: CaseResult, given: TreeStyle): string {
  const style = { ...given, detailed: result.status !== "passed" };
  const { colors } = style;
  const name = result.name === undefined ? "" : ` ${oneLine(result.name, 120)}`;
  const { simulator } = result;
  const facts = [
    ...(simulator === undefined ? [] : [`simulator: ${simulator.replace(/^agents:/, "")}`]),
    ...trialOf(result),
    ...(result.total_turns > 1 ? [count(result.total_turns, "turn")] : []),
  ];
  const turns = facts.length > 0 ? colors.dim(` (${facts.join(", ")})`) : "";
  const branches: string[][] = [];
  if (result.attempts !== undefined)
    branches.push([`${colors.yellow("Retried:")} ${attemptsText(result)}`]);
  const simulated = result.turns.some((turn) => turn.input_source === "simulator");
  const lastSent = result.turns.findLast((turn) => turn.input_source !== undefined);
  const turnBranches = result.turns.map((turn) => {
    // What broke the case on somebody else's account is no failure of the agent in this turn.
    const broken = result.status === "error" && turn.error === result.error;
    const rows = turn.assertions ?? [];
    const unjudged =
      turn.status === "failed" &&
      turn.error === undefined &&
      rows.some((row) => row.status === "error") &&
      !rows.some((row) => row.status === "failed");
    const status = (broken && turn.error !== undefined) || unjudged ? "error" : turn.status;
    const branch = turnBranch(
      turn,
      { status, invariants: result.invariants ?? [], opens: simulated && turn.turn === 1 },
      style,
    );
    if (turn === lastSent && result.goal !== undefined)
      branch.push(`${" ".repeat(`Turn ${turn.turn}: `.length)}${goalText(result.goal, style)}`);
    return branch;
  });
  branches.push(...(style.verbose ? turnBranches : whatMatters(result, turnBranches, style)));
  if (result.checkpoints !== undefined) branches.push(checkpointBranch(result.checkpoints, style));
  if (result.invariants !== undefined) branches.push(invariantBranch(result.invariants, style));
  if (result.final_assertions.length > 0) branches.push(finalBranch(result, style));
  for (const warning of result.warnings ?? [])
    branches.push([`${colors.yellow("Warning:")} ${oneLine(warning.message, 300)}`]);
  if (result.status !== "passed" || branches.length === 0)
    branches.push(resultBranch(result, style));
  const lines = [`${colors.bold("►")} [${oneLine(result.id, 80)}]${name}${turns}`];
  for (const [index, branch] of branches.entries()) {
    const last = index === branches.length - 1;
    for (const [row, text] of branch.entries()) {
      if (row === 0) lines.push(`  ${last ? "└─" : "├─"} ${text}`);
      else lines.push(`  ${last ? " " : "│"}  ${text}`);
    }
    if (!last) lines.push("  │");
  }
  return `${lines.join("\n")}\n\n`;
}

/** Turns in front of one that went wrong that are shown with it. */
const turnsBefore = 2;

/** Of a case that did not pass the turns that went wrong, with two before each; of any other case all. */
function whatMatters(
  { status, turns, final_assertions: finals }: CaseResult,
  branches: readonly string[][],
  { colors }: TreeStyle,
): string[][] {
  if (status === "passed") return [...branches];
  const wrong = turns.flatMap((turn, index) =>
    turn.status === "failed" || turn.status === "skipped" ? [index] : [],
  );
  // What is wrong with the end is seen in the last turns.
  const atEnd = wrong.length === 0 || finals.some((row) => row.status !== "passed");
  if (atEnd) wrong.push(turns.findLastIndex((turn) => turn.status !== "not_sent"));
  const shown = turns.map((_, index) =>
    wrong.some((place) => place >= index && place - index <= turnsBefore),
  );
  const kept: string[][] = [];
  for (let index = 0; index < branches.length;) {
    let end = index;
    while (end < branches.length && shown[end] === false) end++;
    const hidden = end - index;
    if (hidden > 1) {
      const what = turns[index]!.status === "not_sent" ? "not sent" : "-v shows them";
      kept.push([colors.dim(`… ${count(hidden, "turn")} (${what})`)]);
      index = end;
    } else kept.push(branches[index++]!);
  }
  return kept;
}

function statusText(status: string, colors: Colors): string {
  const text = status === "not_sent" ? "NOT SENT" : status.toUpperCase();
  if (status === "passed") return colors.green(text);
  if (status === "failed" || status === "error") return colors.red(text);
  return colors.yellow(text);
}

function turnBranch(
  turn: TurnResult,
  {
    status,
    invariants,
    opens,
  }: { readonly status: string; readonly invariants: Invariants; readonly opens: boolean },
  style: TreeStyle,
): string[] {
  const { colors } = style;
  const head = `Turn ${turn.turn}: `;
  const silent = turn.input === undefined && turn.answer === undefined;
  const said = silent ? "" : `${inputText(turn, style, opens)} → `;
  const took = turn.duration_ms === undefined ? "" : colors.dim(` (${seconds(turn.duration_ms)})`);
  const lines = [`${head}${said}${statusText(status, colors)}${took}`];
  const indent = " ".repeat(head.length);
  const add = (text: string): void => {
    lines.push(`${indent}${text}`);
  };
  if (turn.output !== undefined || turn.tool_calls !== undefined)
    replyLines(turn, style).forEach(add);
  for (const request of turn.pending ?? []) add(requestText(request));
  if (turn.awaiting_reason === "tool_pending" && turn.status === "failed")
    add('The agent waits for results of its tools, which nobody ran: give them in "mocks".');
  for (const row of turn.assertions ?? []) assertionLines(row, style).forEach(add);
  const reasons = (turn.assertion_errors ?? []).filter((text) => text.startsWith("invariant: "));
  for (const { label } of invariants.filter(({ turns }) => turns.includes(turn.turn))) {
    add(colors.red(`✗ invariant: ${oneLine(label, 200)}`));
    const reason = reasons.shift();
    if (reason !== undefined) add(`  ${oneLine(reason.replace("invariant: ", ""), 500)}`);
  }
  if (turn.error !== undefined) {
    if (turn.error === "awaiting input") waitingLines(turn).forEach(add);
    else add(colors.red(`Error: ${oneLine(turn.error, 500)}`));
  }
  if (turn.skip_reason === "awaiting input") waitingLines(turn).forEach(add);
  else if (turn.skip_reason !== undefined) add(`Reason: ${oneLine(turn.skip_reason, 300)}`);
  if (turn.log !== undefined && (style.verbose || turn.error !== undefined))
    logLines(turn.log, style).forEach(add);
  return lines;
}

/** How much of what the agent wrote beside its reply is shown: the end of it. */
const shownLog = 10;

function logLines(log: string, { colors }: TreeStyle): string[] {
  const lines = log.split("\n");
  const cut = lines.length > shownLog ? [`… ${count(lines.length - shownLog, "line")} before`] : [];
  return [...cut, ...lines.slice(-shownLog)].map(
    (line, index) =>
      `${colors.dim(index === 0 ? "Log:   " : "       ")}${plainText(line).slice(0, 300)}`,
  );
}

/** What the agent wants from its user. */
function requestText(request: NonNullable<TurnResult["pending"]>[number]): string {
  const { kind, options = [], prompt, tool_name: tool } = request;
  const who = tool === undefined ? kind : `${kind}, ${tool}`;
  const choices = options.length === 0 ? "" : ` [${options.join(" / ")}]`;
  return oneLine(`Wants (${who}): ${prompt}${choices}`, 300);
}

function waitingLines(turn: TurnResult): string[] {
  const policy =
    turn.status === "failed"
      ? ' or change "on_missing_input"'
      : ', or set "on_missing_input" to "end" if the case ends here';
  return [
    "Reason: the agent is awaiting input, and there is no next turn",
    ...(turn.input_hint === undefined ? [] : [`Agent asked: "${oneLine(turn.input_hint, 200)}"`]),
    `Hint: add a turn that answers${policy}`,
  ];
}

const sources = { static: "", simulator: "[Simulated] ", interactive: "[Human] " };

function inputText(turn: TurnResult, style: TreeStyle, opens: boolean): string {
  const written = turn.input_source ?? "static";
  // Beside turns that somebody made up, one wants to see which one was written.
  const source = opens && written === "static" ? "[Initial] " : sources[written];
  if (turn.answer !== undefined) return `${source}${answerText(turn.answer)}`;
  const text =
    typeof turn.input === "string"
      ? turn.input
      : Array.isArray(turn.input)
        ? turn.input
            .map((part: { text?: string; type?: string }) => part.text ?? `[${part.type}]`)
            .join(" ")
        : JSON.stringify(turn.input);
  return `${source}"${oneLine(text, style.verbose ? 500 : 120)}"`;
}

/** What the simulated user said of its goal last. */
function goalText(goal: NonNullable<CaseResult["goal"]>, { colors }: TreeStyle): string {
  const why = goal.reasoning === undefined ? "" : `: ${oneLine(goal.reasoning, 300)}`;
  return goal.achieved
    ? colors.green(`Goal achieved${why}`)
    : colors.yellow(`Goal not achieved${why}`);
}

/** An answer to a request of the agent, in words. */
function answerText(answer: unknown): string {
  const { approve, choice, payload, reason, to } = answer as {
    readonly approve?: boolean;
    readonly choice?: string;
    readonly payload?: unknown;
    readonly reason?: string;
    readonly to?: string;
  };
  const verb = approve === undefined ? "answers" : approve ? "approves" : "refuses";
  const what = approve === undefined ? JSON.stringify(choice ?? payload) : reason;
  const whom = to === undefined ? "" : ` ${to}`;
  return oneLine(`[${verb}${whom}${what === undefined ? "" : `: ${what}`}]`, 200);
}

function replyLines(turn: TurnResult, style: TreeStyle): string[] {
  const { colors, verbose } = style;
  const { output = "" } = turn;
  const text = typeof output === "string" ? output : JSON.stringify(output);
  // Where something is wrong one wants to know what the tools have said.
  const calls = (turn.tool_calls ?? []).map((call) =>
    toolText(call, verbose || style.detailed === true),
  );
  const parts = [...calls];
  if (text !== "" || calls.length === 0)
    parts.unshift(`"${verbose ? plainText(text) : oneLine(text, shortReply)}"`);
  return parts.flatMap((part, index) => {
    const [first = "", ...rest] = part.split("\n");
    const label = index === 0 ? "Agent: " : "       ";
    return [`${colors.cyan(label)}${first}`, ...rest.map((line) => `       ${line}`)];
  });
}

/** A tool call the way one would write it in code. */
function toolText(call: ToolCallRow, verbose: boolean): string {
  const args =
    typeof call.args === "object" && call.args !== null && !Array.isArray(call.args)
      ? `{${Object.entries(call.args)
          .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
          .join(", ")}}`
      : JSON.stringify(call.args);
  const result = verbose && call.result !== undefined ? ` → ${JSON.stringify(call.result)}` : "";
  const outcome = call.error === undefined ? result : ` failed: ${call.error}`;
  return oneLine(`[tool: ${call.name}(${args})${outcome}]`, 300);
}

function assertionLines(row: AssertionRow, style: TreeStyle): string[] {
  const { colors } = style;
  const label = oneLine(row.label, 200);
  if (row.status === "passed") return [`${colors.green("✓")} ${label}`];
  const message = row["message"];
  // Beside a diff the sentence need not hold both values whole.
  const longest = hasDiff(row.details) ? 160 : 500;
  const reason = oneLine(typeof message === "string" ? message : row.reason, longest);
  return [
    colors.red(`${row.status === "failed" ? "✗" : "!"} ${label}`),
    `  ${reason}`,
    ...detailLines(row.details, style).map((line) => `  ${line}`),
  ];
}

/** Whether an assertion shows how two values differ. Other plugins may put anything there. */
export function hasDiff(details: unknown): boolean {
  return isObject(details) && typeof details["diff"] === "string";
}

/** What assertions say in `diff` and `notes` of their details. Other plugins may put anything there. */
function detailLines(details: unknown, style: TreeStyle): string[] {
  if (typeof details !== "object" || details === null) return [];
  const { diff, notes } = details as { readonly diff?: unknown; readonly notes?: unknown };
  return [
    ...(Array.isArray(notes) ? notes.map((note) => `- ${oneLine(String(note), 300)}`) : []),
    ...(typeof diff === "string" ? diffLines(diff, style) : []),
  ];
}

/** A diff in two columns, or one line below the other where there is no room. */
function diffLines(
  diff: string,
  { colors, columns = usualColumns, sideBySide }: TreeStyle,
): string[] {
  return (
    sideBySide?.(diff, columns - indentOfDiffs, colors) ?? [
      colors.dim("- expected  + actual"),
      ...diff.split("\n").map((line) => diffLine(line, colors)),
    ]
  );
}

function diffLine(line: string, colors: Colors): string {
  const text = plainText(line);
  if (text.startsWith("-")) return colors.red(text);
  return text.startsWith("+") ? colors.green(text) : colors.dim(text);
}

function checkpointBranch(
  checkpoints: NonNullable<CaseResult["checkpoints"]>,
  style: TreeStyle,
): string[] {
  const { colors } = style;
  const reached = checkpoints.filter((checkpoint) => checkpoint.reached_at !== null);
  return [
    `Checkpoints: ${reached.length} of ${checkpoints.length} reached`,
    ...checkpoints.map(({ id, required, reached_at, reason }) => {
      const name = oneLine(id, 80);
      if (reached_at !== null) return `${colors.green("✓")} ${name} (turn ${reached_at})`;
      const why = reason === undefined ? "" : `: ${oneLine(reason, 300)}`;
      return required
        ? colors.red(`✗ ${name}${why}`)
        : colors.dim(`- ${name} (not required)${why}`);
    }),
  ];
}

function invariantBranch(invariants: Invariants, style: TreeStyle): string[] {
  const { colors } = style;
  const worst = ["failed", "error"].find((one) => invariants.some(({ status }) => status === one));
  return [
    `Invariants: ${statusText(worst ?? "passed", colors)}`,
    ...invariants.flatMap(({ label, turns, assertion, checked }) => {
      if (assertion === undefined)
        return [`${colors.green("✓")} ${oneLine(label, 200)} (${count(checked, "turn")})`];
      const [first = "", ...rest] = assertionLines(assertion, style);
      return [`${first} (${turns.length === 1 ? "turn" : "turns"} ${turns.join(", ")})`, ...rest];
    }),
  ];
}

function finalBranch(result: CaseResult, style: TreeStyle): string[] {
  const rows = result.final_assertions;
  const status = rows.some((row) => row.status === "failed")
    ? "failed"
    : rows.some((row) => row.status === "error")
      ? "error"
      : "passed";
  return [
    `Final Assertions: ${statusText(status, style.colors)}`,
    ...rows.flatMap((row) => assertionLines(row, style)),
  ];
}

function resultBranch(result: CaseResult, { colors, rerun }: TreeStyle): string[] {
  const status = statusText(result.status, colors);
  if (result.skip_reason !== undefined && result.skip_reason !== "awaiting input")
    return [`Result: ${status} (${oneLine(result.skip_reason, 200)})`];
  const blame = result.blame === undefined ? "" : colors.dim(` (blame: ${result.blame})`);
  // With turns, the reason stands at its turn already.
  const atNoTurn = result.turns.length === 0 || /^(max turns|the hook )/.test(result.error ?? "");
  const reason = result.error === undefined || !atNoTurn ? [] : [oneLine(result.error, 500)];
  const command = result.status === "skipped" ? undefined : rerun?.(result);
  const again = command === undefined ? [] : [`Run again: ${command}`];
  return [`Result: ${status}${blame}`, ...reason, ...again];
}
