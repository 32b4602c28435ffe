import type { AgentReply } from "@turnwise/core";

/** A turn to be judged. */
export interface LabelledTurn {
  readonly id: string;
  readonly reply: AgentReply;
  /** Whether it waits, if somebody says so. */
  readonly awaiting?: boolean;
  /** Groups it belongs to, such as its language. */
  readonly groups: Readonly<Record<string, string>>;
}

/** Fields by which figures are broken down. */
const groupFields = ["source", "kind", "lang"];

/**
 * The turns of a JSONL text: `{text, tool_calls?, finish_reason?, label?}` a line, or results of a run, of which every
 * turn with a reply is one.
 * @throws SyntaxError naming the line that is neither.
 */
export function readTurns(text: string): LabelledTurn[] {
  return text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .flatMap((line, index) => {
      if (line.trim() === "") return [];
      const place = `line ${index + 1}`;
      let row: unknown;
      try {
        row = JSON.parse(line);
      } catch {
        throw new SyntaxError(`${place} is not JSON`);
      }
      if (!isObject(row)) throw new SyntaxError(`${place} is not a turn {text, ...}`);
      return turnsOf(row, place);
    });
}

function turnsOf(row: Readonly<Record<string, unknown>>, place: string): LabelledTurn[] {
  const id = typeof row["id"] === "string" ? row["id"] : place;
  if (Array.isArray(row["turns"]))
    return row["turns"].flatMap((turn: unknown, index) =>
      isObject(turn) && "output" in turn
        ? turnsOf({ ...turn, id: `${id} turn ${index + 1}` }, place)
        : [],
    );
  const said = row["text"] ?? row["content"] ?? row["output"];
  if (said === undefined) throw new SyntaxError(`${place} has no "text"`);
  const awaiting = awaitingOf(row["label"] ?? row["awaiting"], place);
  const groups = groupFields.flatMap((field) =>
    typeof row[field] === "string" ? [[field, row[field]] as const] : [],
  );
  return [
    {
      id,
      reply: {
        ...(typeof said === "string" ? { content: said } : { content: "", data: said }),
        toolCalls: callsOf(row["tool_calls"], place),
        // What the agent declared in a run stands.
        ...(row["awaiting_reason"] === "agent_declared"
          ? { awaitingInput: row["awaiting_input"] === true }
          : {}),
        ...(typeof row["finish_reason"] === "string" ? { finishReason: row["finish_reason"] } : {}),
      },
      ...(awaiting === undefined ? {} : { awaiting }),
      groups: Object.fromEntries(groups),
    },
  ];
}

function awaitingOf(label: unknown, place: string): boolean | undefined {
  if (label === undefined || typeof label === "boolean") return label;
  if (label === "awaiting" || label === "completed") return label === "awaiting";
  throw new SyntaxError(
    `${place}: expected "awaiting" or "completed" as its label, got ${JSON.stringify(label)}`,
  );
}

/** Calls by their names, or as runs and model APIs record them. */
function callsOf(value: unknown, place: string): NonNullable<AgentReply["toolCalls"]> {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new SyntaxError(`${place}: expected a list as its tool_calls`);
  return value.map((call: unknown) => {
    if (typeof call === "string") return { name: call };
    const { name, args, result, error } = (
      isObject(call) && isObject(call["function"]) ? call["function"] : call
    ) as Record<string, unknown>;
    if (typeof name !== "string") throw new SyntaxError(`${place}: a tool call has no name`);
    return {
      name,
      ...(args === undefined ? {} : { arguments: args }),
      ...(result === undefined ? {} : { result }),
      ...(typeof error === "string" ? { error } : {}),
    };
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
