import type { HumanMove, HumanView } from "@turnwise/core";
import { plainText } from "@turnwise/core";
import { Box, Text, useInput } from "ink";
import type { Key } from "ink";
import type { ReactNode } from "react";
import { useEffect, useReducer, useRef } from "react";
import stringWidth from "string-width";
import { clock, short } from "./live-view.js";
import type { Question } from "./question.js";
import { commandsOf, read } from "./question.js";
import type { Edit, TextState } from "./text-editor.js";
import { edit, isAtEdge, written } from "./text-editor.js";

/** Rows for what is running, the heading, a notice and the last line. */
const restOfScreen = 10;

/** Asks a person, and reads what is typed. */
export function Prompt({
  view,
  question,
  until,
  history,
  columns,
  rows,
  color,
  talk,
  onMove,
  onSave,
  now = Date.now,
}: {
  readonly view: HumanView;
  readonly question: Question;
  /** When nobody waits any more, in milliseconds of `now`. */
  readonly until: number;
  /** What was typed before, the oldest first. */
  readonly history: readonly string[];
  /** Size of the screen. What does not fit on it would scroll away with every key. */
  readonly columns: number;
  readonly rows: number;
  /** Whether a character can be shown in reverse. */
  readonly color: boolean;
  /** Whether it is a talk, which nobody judges. */
  readonly talk: boolean;
  readonly onMove: (move: HumanMove, typed: string) => void;
  /** Returns what to tell the person. */
  readonly onSave: (file: string | undefined) => string;
  readonly now?: () => number;
}): ReactNode {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  // Not in the state of the component: several keys may come before it is drawn once more.
  const at = useRef({
    state: written(""),
    notice: "",
    picked: 0,
    past: history.length,
    draft: "",
    done: false,
  }).current;
  useEffect(() => {
    const timer = setInterval(redraw, 1_000);
    return () => clearInterval(timer);
  }, []);

  const { choices } = question;
  const change = (...edits: readonly Edit[]): void => {
    at.state = edits.reduce(edit, at.state);
  };
  const move = (made: HumanMove, typed: string): void => {
    at.done = true;
    onMove(made, typed);
  };
  const submit = (): void => {
    const typed = at.state.text;
    const text = typed.trim() === "" && choices.length > 0 ? String(at.picked + 1) : typed;
    const result = read(text, question, { view, talk });
    if ("move" in result) return move(result.move, typed);
    if ("wrong" in result) {
      at.notice = result.wrong;
      // A command that is none is not the beginning of the next one.
      if (typed.startsWith("/")) change({ kind: "clear" });
      return;
    }
    change({ kind: "clear" });
    at.notice =
      "help" in result
        ? commandsOf(talk)
            .map(([name, what]) => `${name.padEnd(16)} ${what}`)
            .join("\n")
        : onSave(result.save);
  };
  const recall = (by: -1 | 1): void => {
    const next = at.past + by;
    if (next < 0 || next > history.length) return;
    if (at.past === history.length) at.draft = at.state.text;
    at.past = next;
    change({ kind: "clear" }, { kind: "insert", text: history[next] ?? at.draft });
  };
  const press = (input: string, key: Key): void => {
    // That is the run's.
    if (key.ctrl && input === "c") return;
    const { text } = at.state;
    if (key.ctrl && input === "d" && text === "") return move({ kind: "end" }, "");
    if (key.return && !key.meta && !key.shift) {
      if (!text.endsWith("\\")) return submit();
      return change({ kind: "line-end" }, { kind: "backspace" }, { kind: "insert", text: "\n" });
    }
    if (key.upArrow || key.downArrow) {
      const by = key.upArrow ? -1 : 1;
      if (text === "" && choices.length > 0)
        at.picked = (at.picked + by + choices.length) % choices.length;
      else if (isAtEdge(at.state, by === -1 ? "first" : "last")) recall(by);
      else change({ kind: key.upArrow ? "up" : "down" });
      return;
    }
    const edited = editOf(input, key);
    if (edited === undefined) return;
    at.notice = "";
    change(edited);
  };
  useInput((input, key) => {
    if (at.done) return;
    press(input, key);
    redraw();
  });

  const { id, name, turn } = view;
  // Each of the three parts that may be long has its share of the screen; the conversation above has the whole.
  const most = Math.max(1, Math.min(8, Math.floor((rows - restOfScreen) / 3)));
  const helps = at.notice.includes("\n");
  const firstChoice = Math.max(0, Math.min(at.picked - 1, choices.length - most));
  const left = (until - now()) / 1_000;
  return (
    <Box flexDirection="column" marginTop={1}>
      <Text bold wrap="truncate">
        {`[${short(id, 40)}] turn ${turn}: ${stateOf(question, turn)}${name === undefined ? "" : ` · ${short(name, 80)}`}`}
      </Text>
      {question.text !== "" && <Text color="cyan">{shortLines(question.text, most, columns)}</Text>}
      {(helps ? [] : choices.slice(firstChoice, firstChoice + most)).map((choice, index) => (
        <Text
          key={index}
          wrap="truncate"
          inverse={color && index + firstChoice === at.picked && at.state.text === ""}
        >
          {`${index + firstChoice === at.picked ? "›" : " "} ${index + firstChoice + 1}. ${short(choice, 200)} `}
        </Text>
      ))}
      {choices.length > most && <Text dimColor>{` of ${choices.length}`}</Text>}
      {question.request?.schema !== undefined && !helps && (
        <Text dimColor wrap="truncate">
          {short(JSON.stringify(question.request.schema), 500)}
        </Text>
      )}
      <Typing state={at.state} most={most} columns={columns} color={color} />
      {at.notice !== "" && <Text color="yellow">{at.notice}</Text>}
      <Text dimColor wrap="truncate">
        {[hintOf(question), "/help", ...(left > 3_600 ? [] : [clock(Math.max(0, left))])].join(
          " · ",
        )}
      </Text>
    </Box>
  );
}

function stateOf({ kind }: Question, turn: number): string {
  if (kind !== undefined) return `the agent waits for you (${kind})`;
  return turn === 1 ? "you begin" : "the agent is done, and you?";
}

function hintOf({ request, choices }: Question): string {
  if (request?.kind === "approval") return "y approves, n refuses: n, too dear";
  if (choices.length > 0) return "↑↓ and Enter pick, or type";
  if (request?.schema !== undefined) return "JSON, or words";
  return "Enter sends, Alt+Enter: new line";
}

/** Rows that a line takes. */
function rowsOf(line: string, columns: number): number {
  return Math.max(1, Math.ceil(stringWidth(line) / columns));
}

/** The beginning of a text, on so many rows. */
function shortLines(text: string, most: number, columns: number): string {
  const lines = plainText(text.slice(0, 10_000)).trim().split("\n");
  const shown: string[] = [];
  let left = most;
  for (const line of lines) {
    const rows = rowsOf(line, columns);
    // A character may take two columns.
    if (rows > left) shown.push(short(line, Math.floor((columns * left) / 2)));
    else shown.push(line);
    left -= rows;
    if (left <= 0) break;
  }
  return shown.length < lines.length ? `${shown.join("\n")} …` : shown.join("\n");
}

/** The text with its cursor: what is around that, if there is much. */
function Typing({
  state: { text, cursor },
  most,
  columns,
  color,
}: {
  readonly color: boolean;
  readonly state: TextState;
  readonly most: number;
  readonly columns: number;
}): ReactNode {
  const next = text.slice(cursor, cursor + 1);
  const inLine = next !== "" && next !== "\n";
  const character = inLine ? String.fromCodePoint(text.codePointAt(cursor)!) : "";
  // Where nothing can be shown in reverse, the cursor is a character of its own.
  const under = color ? character || " " : `▏${character}`;
  const head = text.slice(0, cursor).split("\n");
  const tail = text.slice(cursor + character.length).split("\n");
  const lines = [...head, ...tail.slice(1)];
  const line = head.length - 1;
  /** Characters of a line before and behind the cursor. */
  const room = Math.max(8, Math.floor((columns * most) / 4) - 2);
  const before = lastOf(lines[line]!, room);
  const behind = firstOf(tail[0]!, room);
  const shown = Math.max(1, most + 1 - rowsOf(`  ${before}${under}${behind}`, columns));
  const from = Math.max(0, Math.min(line - shown + 2, lines.length - shown));
  return (
    <Box flexDirection="column">
      {lines.slice(from, from + shown).map((content, index) => (
        <Text key={index} wrap={index + from === line ? "wrap" : "truncate"}>
          <Text color="green">{index + from === 0 ? "› " : "  "}</Text>
          {index + from === line ? (
            <>
              {before}
              <Text inverse={color}>{under}</Text>
              {behind}
            </>
          ) : (
            content
          )}
        </Text>
      ))}
    </Box>
  );
}

function firstOf(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

function lastOf(text: string, most: number): string {
  return text.length > most ? `…${text.slice(-most)}` : text;
}

/** What a key does to the text, if anything. The names are those of Emacs and of every shell. */
function editOf(input: string, key: Key): Edit | undefined {
  if (key.leftArrow) return { kind: "left" };
  if (key.rightArrow) return { kind: "right" };
  if (key.home) return { kind: "line-start" };
  if (key.end) return { kind: "line-end" };
  // Terminals send what is "delete" to Ink for the backspace key.
  if (key.backspace || key.delete) return { kind: "backspace" };
  if (key.return) return { kind: "insert", text: "\n" };
  if (key.escape || key.tab || key.pageUp || key.pageDown) return undefined;
  if (key.ctrl)
    switch (input) {
      case "a":
        return { kind: "line-start" };
      case "e":
        return { kind: "line-end" };
      case "b":
        return { kind: "left" };
      case "f":
        return { kind: "right" };
      case "d":
        return { kind: "delete" };
      case "u":
        return { kind: "delete-to-start" };
      case "w":
        return { kind: "delete-word" };
      case "j":
        return { kind: "insert", text: "\n" };
      default:
        return undefined;
    }
  // Alt+Enter, as most terminals send it.
  if (input === "\r") return { kind: "insert", text: "\n" };
  return input === "" || key.meta ? undefined : { kind: "insert", text: input };
}
