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
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    const place = `line ${index + 1}`;
    let row: unknown;
    try {
      row = JSON.parse(line);
    } catch {
      throw new SyntaxError(`${place} is not JSON`);
    }
    if (typeof row !== "object" || row === null || Array.isArray(row))
      throw new SyntaxError(`${place} is not a turn {text, ...}`);
    return turnsOf(row as Record<string, unknown>, place);
  });
}

function turnsOf(row: Readonly<Record<string, unknown>>, place: string): LabelledTurn[] {
  const id = typeof row["id"] === "string" ? row["id"] : place;
  if (Array.isArray(row["turns"]))
    return (row["turns"] as Record<string, unknown>[]).flatMap((turn, index) =>
      "output" in turn ? turnsOf({ ...turn, id: `${id} turn ${index + 1}` }, place) : [],
    );
  const said = row["text"] ?? row["content"] ?? row["output"];
  if (said === undefined) throw new SyntaxError(`${place} has no "text"`);
  const awaiting = awaitingOf(row["label"] ?? row["awaiting"], place);
  const calls = Array.isArray(row["tool_calls"]) ? (row["tool_calls"] as unknown[]) : [];
  const groups = groupFields.flatMap((field) =>
    typeof row[field] === "string" ? [[field, row[field]] as const] : [],
  );
  return [
    {
      id,
      reply: {
        ...(typeof said === "string" ? { content: said } : { content: "", data: said }),
        toolCalls: calls.map((call) =>
          typeof call === "string" ? { name: call } : (call as { name: string }),
        ),
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
