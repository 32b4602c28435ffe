import { styleText } from "node:util";
import type { AssertionTurn, HumanView, Message, PendingRequest } from "@turnwise/core";
import { agentText, plainText, userText } from "@turnwise/core";

/** Most characters of one message on the screen. */
const longest = 4_000;

/** Whether to colour. */
export interface Style {
  readonly color: boolean;
}

/** A case of which a person is asked something, as a heading. */
export function headingText({ id, name }: HumanView, { color }: Style): string {
  const title = plainText(`── [${id}]${name === undefined ? "" : ` ${name}`} `).replaceAll(
    "\n",
    " ",
  );
  return `\n${color ? styleText("bold", title) : title}${"─".repeat(Math.max(3, 50 - title.length))}\n`;
}

/** Messages from before the first turn. */
export function historyText(history: readonly Message[], style: Style): string {
  return history
    .map((message) => {
      const who =
        message.role === "user" ? "User" : message.role === "assistant" ? "Agent" : message.role;
      return said(who, userText(message.content), style);
    })
    .join("");
}

/** What the user said in a turn. */
export function inputText(
  { input }: Pick<AssertionTurn, "input">,
  style: Style,
  who = "User",
): string {
  return said(who, userText(input), style);
}

/** What the agent replied, what its tools did, and whether it waits. */
export function replyText(
  turn: Pick<AssertionTurn, "toolCalls" | "output" | "detection">,
  style: Style,
): string {
  return `${said("Agent", agentText(turn), style)}${dim(`       ${detectionText(turn.detection)}\n`, style)}`;
}

/** What the agent has asked for in another form than words. */
export function requestText({
  kind,
  prompt,
  options = [],
  toolName,
  schema,
}: PendingRequest): string {
  const what = toolName === undefined ? kind : `${kind}, ${toolName}`;
  const choices = options.length === 0 ? "" : ` [${options.join(" / ")}]`;
  const form =
    schema === undefined ? "" : `\n       as JSON: ${JSON.stringify(schema).slice(0, 500)}`;
  return `       wants (${what}): ${plainText(`${prompt}${choices}`.slice(0, longest)).replaceAll("\n", "\n       ")}${plainText(form)}\n`;
}

function detectionText({ awaiting, kind, reason, evidence }: AssertionTurn["detection"]): string {
  const why =
    evidence === undefined ? reason : `${reason}: ${JSON.stringify(evidence.slice(0, 120))}`;
  return plainText(awaiting ? `→ waits: ${kind ?? "question"} (${why})` : `→ done (${why})`);
}

function said(who: string, text: string, { color }: Style): string {
  const cut =
    text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text;
  const label = `${who}:`.padEnd(7);
  const lines = plainText(cut).trimEnd().split("\n").join("\n       ");
  return `${color ? styleText(who === "Agent" ? "cyan" : "green", label) : label}${lines}\n`;
}

function dim(text: string, { color }: Style): string {
  return color ? styleText("dim", text) : text;
}
