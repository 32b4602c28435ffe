import type { AgentReply, Detection } from "@turnwise/core";
import { awaitingKinds, awaitingReasons, isObject } from "@turnwise/core";

/** A turn to be judged. */
export interface LabelledTurn {
  readonly id: string;
  readonly reply: AgentReply;
  /** What was decided in the run that it comes from. */
  readonly recorded?: Detection;
  /** Whether it waits, if somebody says so. */
  readonly awaiting?: boolean;
  /** Groups it belongs to, such as its language. */
  readonly groups: Readonly<Record<string, string>>;
}

/** Fields by which figures are broken down. */
const groupFields = ["source", "kind", "lang"];

/** Problems that are listed at most. */
const listed = 20;

/**
 * The turns of a JSONL text: `{text, tool_calls?, finish_reason?, label?}` a line, or results of a run, of which every
 * turn with a reply is one.
 * @throws SyntaxError naming every line that is neither, each on a line of its own.
 */
export function readTurns(text: string, source: string): LabelledTurn[] {
  const problems: string[] = [];
  const turns = text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .flatMap((line, index) => {
      if (line.trim() === "") return [];
      try {
        return turnsOf(rowOf(line), `line ${index + 1}`);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        problems.push(`${source}:${index + 1}: ${error.message}`);
        return [];
      }
    });
  if (problems.length > listed)
    problems.splice(listed, Infinity, `and ${problems.length - listed} more lines`);
  if (problems.length > 0) throw new SyntaxError(problems.join("\n"));
  return turns;
}

function rowOf(line: string): Readonly<Record<string, unknown>> {
  let row: unknown;
  try {
    row = JSON.parse(line);
  } catch {
    throw new SyntaxError("this is not JSON");
  }
  if (!isObject(row)) throw new SyntaxError("this is not a turn {text, ...}");
  return row;
}

function turnsOf(row: Readonly<Record<string, unknown>>, nameless: string): LabelledTurn[] {
  const id = typeof row["id"] === "string" ? row["id"] : nameless;
  if (Array.isArray(row["turns"]))
    return row["turns"].flatMap((turn: unknown, index) =>
      isObject(turn) && "output" in turn
        ? turnsOf({ ...turn, id: `${id} turn ${index + 1}` }, nameless)
        : [],
    );
  const said = row["text"] ?? row["content"] ?? row["output"];
  if (said === undefined) throw new SyntaxError('the turn has no "text"');
  const awaiting = awaitingOf(row["label"] ?? row["awaiting"]);
  const recorded = recordOf(row);
  const groups = groupFields.flatMap((field) =>
    typeof row[field] === "string" ? [[field, row[field]] as const] : [],
  );
  return [
    {
      id,
      reply: {
        ...(typeof said === "string" ? { content: said } : { content: "", data: said }),
        toolCalls: callsOf(row["tool_calls"]),
        ...(typeof row["awaiting_input"] === "boolean" && recorded === undefined
          ? { awaitingInput: row["awaiting_input"] }
          : {}),
        ...(typeof row["finish_reason"] === "string" ? { finishReason: row["finish_reason"] } : {}),
      },
      ...(recorded === undefined ? {} : { recorded }),
      ...(awaiting === undefined ? {} : { awaiting }),
      groups: Object.fromEntries(groups),
    },
  ];
}

/** The detection in the row of a turn, as a run writes it. */
function recordOf(row: Readonly<Record<string, unknown>>): Detection | undefined {
  const awaiting = row["awaiting_input"];
  const reason = awaitingReasons.find((one) => one === row["awaiting_reason"]);
  if (typeof awaiting !== "boolean" || reason === undefined) return undefined;
  const kind = awaitingKinds.find((one) => one === row["awaiting_kind"]);
  const evidence = row["evidence"];
  const hint = row["input_hint"];
  return {
    awaiting,
    reason,
    ...(kind === undefined ? {} : { kind }),
    ...(typeof evidence === "string" ? { evidence } : {}),
    ...(typeof hint === "string" ? { hint } : {}),
    confidence: 1,
  };
}

function awaitingOf(label: unknown): boolean | undefined {
  if (label === undefined || typeof label === "boolean") return label;
  if (label === "awaiting" || label === "completed") return label === "awaiting";
  throw new SyntaxError(
    `expected "awaiting" or "completed" as its label, got ${JSON.stringify(label)}`,
  );
}

/** Calls by their names, or as runs and model APIs record them. */
function callsOf(value: unknown): NonNullable<AgentReply["toolCalls"]> {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new SyntaxError("expected a list as its tool_calls");
  return value.map((call: unknown) => {
    if (typeof call === "string") return { name: call };
    const { name, args, result, error } = (
      isObject(call) && isObject(call["function"]) ? call["function"] : call
    ) as Record<string, unknown>;
    if (typeof name !== "string") throw new SyntaxError("a tool call has no name");
    return {
      name,
      ...(args === undefined ? {} : { arguments: args }),
      ...(result === undefined ? {} : { result }),
      ...(typeof error === "string" ? { error } : {}),
    };
  });
}
