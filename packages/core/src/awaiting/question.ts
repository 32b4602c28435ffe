import type { AwaitingKind } from "../contract/agent.js";
import type { Sentence } from "./segment.js";
import {
  addressed,
  courtesy,
  done,
  farewell,
  followUp,
  inverted,
  notInverted,
  notRequest,
  orElse,
  request,
  rhetorical,
  strongRequest,
  unstopped,
} from "./acts.js";
import type { Cued } from "./cue.js";
import { cued, has } from "./cue.js";
import { isObject } from "../json.js";
import { probability } from "./model.js";
import { segment } from "./segment.js";

/** A question found in a text. */
export interface FoundQuestion {
  readonly kind: AwaitingKind;
  /** The sentence that asks. */
  readonly evidence: string;
  /** The same for people: on one line, without the full stop. */
  readonly hint: string;
  readonly confidence: number;
}

/** How many statements may follow a question that is still open, with its mark and without. */
const mostStatements = { marked: 2, unmarked: 1 };
const mostFollowUps = 4;

/** How sure the model must be to overrule the rules: so far from 0 or 1 at most. */
const sureness = 0.03;

/**
 * Whether a text asks: what the rules say, unless the model is very sure of the opposite.
 * @public for the script that trains the model
 */
export function corrected(ruled: boolean, likely: number): boolean {
  if (likely < sureness) return false;
  return likely > 1 - sureness || ruled;
}

/** The question with which a text leaves the turn to the user, if it does. Takes time linear in the text. */
export function findQuestion(text: string): FoundQuestion | undefined {
  const sentences = segment(spokenIn(text));
  if (sentences.length === 0) return undefined;
  const ruled = judge(sentences);
  const likely = probability(sentences);
  if (!corrected(ruled !== undefined, likely)) return undefined;
  if (ruled !== undefined) return { ...ruled, confidence: together(ruled.confidence, likely) };
  // The model has no idea which sentence it is.
  const asking = sentences.findLast(({ asks }) => asks) ?? sentences.at(-1)!;
  return found(asking.text, together(0.6, likely));
}

/** Longer JSON is nothing that a model writes to say a sentence. */
const longestEnvelope = 20_000;
const spokenFields = [
  "prompt",
  "question",
  "message",
  "text",
  "content",
  "ask",
  "reply",
  "response",
];

/** What a reply says that is JSON as a whole: the text in it that is meant for people, if there is one. */
function spokenIn(text: string): string {
  if (text.length > longestEnvelope) return text;
  let body = text.trim();
  if (body.startsWith("```") && body.endsWith("```"))
    body = body.slice(body.indexOf("\n") + 1, -3).trim();
  if (!body.startsWith("{") || !body.endsWith("}")) return text;
  try {
    const value: unknown = JSON.parse(body);
    if (!isObject(value)) return text;
    const spoken = spokenFields.map((field) => value[field]).find((one) => typeof one === "string");
    return typeof spoken === "string" ? spoken : "";
  } catch {
    return text;
  }
}

/** Rules know languages, the model knows what is usual: together they are surer than either. */
function together(rule: number, likely: number): number {
  return Math.round(100 * (0.75 * rule + 0.25 * likely)) / 100;
}

/**
 * What the rules say about the end of a reply.
 * @public for the script that trains the model
 */
export function judge(sentences: readonly Sentence[]): FoundQuestion | undefined {
  let statements = 0;
  let followUps = 0;
  for (let at = sentences.length - 1; at >= 0; at--) {
    const sentence = sentences[at]!;
    // Options, steps and details: what is asked for stands above them or below.
    if (sentence.listed && !sentence.asks) continue;
    const words = cued(sentence.text);
    const act = actOf(sentence, words);
    if (act === "close") continue;
    if (act === "ask" || act === "loose") {
      if (sentence.listed && isContent(sentences, at)) return undefined;
      if (act === "loose" && statements > 0) return undefined;
      if (!sentence.asks && statements > mostStatements.unmarked) return undefined;
      if (answered(sentences, at)) return undefined;
      return found(wholeQuestion(sentences, at), statements === 0 && followUps === 0 ? 0.95 : 0.8);
    }
    if (has(words, done)) return undefined;
    if (has(words, followUp)) followUps++;
    else if (/\p{L}/u.test(sentence.text)) statements++;
    // Too much has been said since.
    if (statements > mostStatements.marked || followUps > mostFollowUps) return undefined;
  }
  return undefined;
}

/** The sentence that asks; "(yes/no)" and the like with the one in front of it. */
function wholeQuestion(sentences: readonly Sentence[], at: number): string {
  const { text } = sentences[at]!;
  const before = sentences[at - 1];
  const bare = /^[([⋯?\s]/u.test(text) || text.length < 9;
  return bare && before !== undefined && !before.listed ? `${before.text} ${text}` : text;
}

/** Questions with their answers below: more than one, and the last word is an answer. */
function answered(sentences: readonly Sentence[], at: number): boolean {
  if (sentences[at + 1] === undefined) return false;
  let pairs = 0;
  for (let index = 0; index < sentences.length - 1; index++)
    if (sentences[index]!.asks && !sentences[index + 1]!.asks && !sentences[index + 1]!.listed)
      pairs++;
  return pairs > 1 && !sentences.at(-1)!.asks;
}

type Act = "ask" | "loose" | "close" | "tell";

/** What a sentence does. A question to nobody in particular is `loose`: what follows answers it. */
function actOf({ asks, listed }: Sentence, words: Cued): Act {
  if (has(words, courtesy)) return asksBeside(words, asks) ? "ask" : "close";
  if (has(words, farewell) && !(asks ? questionWord.test(words.lower) : has(words, request)))
    return "close";
  if (asks) {
    if (has(words, rhetorical)) return "tell";
    return has(words, addressed) || has(words, request) ? "ask" : "loose";
  }
  if (has(words, notRequest)) return "tell";
  if (has(words, request)) return "ask";
  if (listed) return "tell";
  return (has(words, inverted) || has(words, unstopped)) && !has(words, notInverted)
    ? "ask"
    : "tell";
}

const questionWord =
  /\b(?:would|do|does|can|could|shall|should|is|are|what|which|when|how|where|who)\b/;

/** Whether a sentence that offers more help asks for something besides. */
function asksBeside(words: Cued, asks: boolean): boolean {
  if (has(words, strongRequest)) return true;
  const [before = "", ...rest] = words.lower.split(orElse);
  if (rest.length === 0 || before.length <= 10) return false;
  const head = cued(before);
  if (has(head, courtesy)) return false;
  return (
    has(head, request) ||
    has(head, inverted) ||
    (asks && (has(head, addressed) || /\b(?:would|could|can|do|does|is|are) \p{L}+/u.test(before)))
  );
}

/** Whether the questions of a list are what was asked for, such as those of an interview. */
function isContent(sentences: readonly Sentence[], at: number): boolean {
  let head = at;
  while (head > 0 && sentences[head]!.listed) head--;
  const intro = sentences[head]!;
  return (
    /\b(?:questions|questionnaire|survey|form|checklist|todo|faq|examples?|prompts|quiz|interview|preguntas|вопрос)/iu.test(
      intro.text,
    ) && !/\b(?:need|answer|before|following)\b/i.test(intro.text)
  );
}

function found(sentence: string, confidence: number): FoundQuestion {
  return {
    kind: kindOf(sentence),
    evidence: sentence,
    hint: sentence.replaceAll(/\s+/g, " ").replace(/[.。．]+$/, ""),
    confidence,
  };
}

function kindOf(sentence: string): AwaitingKind {
  const text = sentence.toLowerCase();
  if (namesOptions.test(text)) return "choice";
  if (
    /^[^\p{L}]*(?:what|when|where|how|who|at what|may i have|can i have)\b/u.test(text) &&
    !/\b(?:password|code)\b/.test(text)
  )
    return "question";
  return kinds.find(([, pattern]) => pattern.test(text))?.[0] ?? "question";
}

/** "..., small or large?", "1) red 2) blue" */
const namesOptions =
  /[,:;–—] *(?:\p{L}+ ){0,2}\p{L}+ or (?:\p{L}+ ){0,2}\p{L}+ *\?\W*$|\b1[.)].{1,80}\b2[.)]/u;

/** What a sentence waits for; the first that fits. */
const kinds: readonly (readonly [AwaitingKind, RegExp])[] = [
  [
    "auth",
    /\b(?:password|passcode|one-time code|verification code|credentials?|log ?in|sign in|contraseña)\b|密码|驗證碼|验证码|パスワード|пароль/u,
  ],
  ["approval", /\b(?:approve|approval|permission|allow me)\b|批准|承認|разреш/u],
  [
    "confirmation",
    /\b(?:confirm|is (?:this|that) (?:correct|right|ok|okay)|correct\W*$|shall i|should i|may i|to proceed|go ahead\W*\?|yes\/no|y\/n|(?:would you like|do you want) me to)\b|\b(?:confirmo|es correcto|correcto\W*$|quieres? que|desea que)|确认|確認|(?:可以|行|好|对)吗|需要我|よろしい|しますか|подтвер|верно|правильно/u,
  ],
  [
    "choice",
    /\b(?:which|choose|select|pick|prefer|option|cuál|prefieres?|elige)\b|\bor\b.*\?|哪|还是|選|选择|どちら|どれ|どの|выберите|како[йе]|какую|\sили\s/u,
  ],
];
