import { short } from "./live-view.js";
import type { Answer, AwaitingKind, HumanMove, HumanView, PendingRequest } from "@turnwise/core";

/** What a person is asked, and how it can be answered. */
export interface Question {
  /** The agent's words, whole. Empty if it does not wait. */
  readonly text: string;
  /** What the agent waits for. Undefined if it does not. */
  readonly kind?: AwaitingKind;
  /** The request that an answer goes to. Without one, what is said is said. */
  readonly request?: PendingRequest;
  /** What can be picked. */
  readonly choices: readonly string[];
}

/** What a line that was typed comes to: a move, or something for whoever asks. */
export type Typed =
  | { readonly move: HumanMove }
  | { readonly save: string | undefined }
  | { readonly help: true }
  | { readonly wrong: string };

/** What is typed at the prompt instead of an answer, and what it does. */
const commands: readonly (readonly [string, string])[] = [
  ["/end", "end the case here (Ctrl-D); its final assertions decide"],
  ["/skip [reason]", "leave the case out"],
  ["/fail [reason]", "the agent has failed"],
  ["/save [file]", "write the turns of this case to a new file when it is over"],
  ["/help", "show this"],
];

/** What can be typed. In a talk nothing is judged. */
export function commandsOf(talk: boolean): readonly (readonly [string, string])[] {
  if (!talk) return commands;
  return [
    ["/end", "end the talk (Ctrl-D)"],
    ["/save [file]", "write the talk to a new file as a test case when it is over"],
    ["/help", "show this"],
  ];
}

/** The question that is to be asked first. */
export function questionOf({ pending, detection, turns }: HumanView): Question {
  const [request] = pending;
  if (request === undefined) {
    // Whoever is asked without being waited for has just read the reply.
    const text =
      detection?.awaiting === true ? (detection.hint ?? turns.at(-1)?.content) : undefined;
    return {
      text: text ?? "",
      ...(detection?.kind === undefined ? {} : { kind: detection.kind }),
      choices: [],
    };
  }
  const { kind, prompt, options = [] } = request;
  return { text: prompt, kind, request, choices: options };
}

/** Reads what was typed. A text that begins with `//` is said with one slash. */
export function read(
  typed: string,
  question: Question,
  { view, talk }: { readonly view: HumanView; readonly talk: boolean },
): Typed {
  const text = typed.trim();
  const [, word, rest = ""] = /^\/(?!\/)(\S*)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  const judges = word === "skip" || word === "fail";
  const command = talk && judges ? "" : word?.toLowerCase();
  const reason = rest.trim() === "" ? {} : { reason: rest.trim() };
  switch (command) {
    case undefined:
      break;
    case "end":
    case "quit":
      return { move: { kind: "end" } };
    case "skip":
      return { move: { kind: "skip", ...reason } };
    case "fail":
      return { move: { kind: "fail", ...reason } };
    case "save":
      return { save: reason.reason };
    case "help":
      return { help: true };
    default:
      return {
        wrong: `There is no command /${short(word!, 30)} here. /help lists them; // in front says it.`,
      };
  }
  if (text === "") return { wrong: "Say something, or /end, /skip or /fail." };
  const said = text.startsWith("//") ? text.slice(1) : text;
  const answer = answerOf(said, question, view);
  if (answer === undefined) return { move: { kind: "say", input: said } };
  if ("wrong" in answer) return answer;
  const wrong = view.wrongWith(answer);
  return wrong === undefined ? { move: { kind: "answer", answer } } : { wrong: `${wrong}.` };
}

/** An answer to the request, if there is one and the text is in its form. Other words are said. */
function answerOf(
  text: string,
  { request, choices }: Question,
  { pending }: HumanView,
): Answer | { readonly wrong: string } | undefined {
  if (request === undefined) return undefined;
  // Ids are often new in every conversation: a case that is saved must not hold one without need.
  const to = pending.length === 1 ? {} : { to: request.id };
  if (request.kind === "approval") {
    const [, yes, no, reason = ""] = /^(?:(y|yes)|(n|no))(?:[\s,:]+([\s\S]+))?$/i.exec(text) ?? [];
    if (yes === undefined && no === undefined) return undefined;
    const why = reason.trim() === "" ? {} : { reason: reason.trim() };
    return { ...to, approve: yes !== undefined, ...why };
  }
  if (choices.length > 0) {
    const number = /^\d+$/.test(text) ? Number(text) : 0;
    const choice =
      choices.find((one) => one.toLowerCase() === text.toLowerCase()) ?? choices[number - 1];
    return choice === undefined ? undefined : { ...to, choice };
  }
  if (request.schema === undefined) return undefined;
  try {
    return { ...to, payload: JSON.parse(text) as never };
  } catch {
    return /^[[{"]/.test(text) ? { wrong: "This is no JSON." } : undefined;
  }
}
