import type { AwaitingKind } from "../contract/agent.js";

/** A question found in a text. */
export interface FoundQuestion {
  readonly kind: AwaitingKind;
  /** The sentence that asks. */
  readonly evidence: string;
  /** The same for people: on one line, without the full stop. */
  readonly hint: string;
  readonly confidence: number;
}

/** Only the end of a reply can ask: what stands before has been followed by something else. Also bounds the cost. */
const tailLength = 2_000;
/** How many sentences from the end may hold the question. */
const tailSentences = 4;

/**
 * The question with which a text leaves the turn to the user, if it does. Works on the last sentences of the prose:
 * code, quotes, links and option lists are set aside. Takes time linear in the text.
 */
export function findQuestion(text: string): FoundQuestion | undefined {
  const sentences = sentencesOf(prose(text));
  let after = 0;
  for (const sentence of sentences.slice(-tailSentences).toReversed()) {
    if (courtesy.test(sentence)) continue;
    const asks = questionMark.test(sentence);
    if (asks && !rhetorical.test(sentence) && (after === 0 || addressed.test(sentence)))
      return found(sentence, after === 0 ? 0.9 : 0.7);
    if (!asks && request.test(sentence) && !notRequest.test(sentence)) return found(sentence, 0.85);
    if (wordy.test(sentence)) after++;
    // An answer of its own: two statements after a question close it.
    if (after > 1) return undefined;
  }
  return undefined;
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
  if (/\b(password|passcode|one-time code|credentials?|log ?in|sign in)\b/i.test(sentence))
    return "auth";
  if (/\b(approve|approval|permission|allow me)\b/i.test(sentence)) return "approval";
  if (
    /\b(confirm|is (this|that) (correct|right|ok|okay)|shall i|should i|may i|proceed|go ahead|yes\/no|y\/n|would you like me to|do you want me to)\b/i.test(
      sentence,
    ) ||
    /确认|確認|よろしいでしょうか|подтвер|¿(confirma|es correcto)/i.test(sentence)
  )
    return "confirmation";
  if (/\b(which|choose|select|pick|prefer|option)\b/i.test(sentence)) return "choice";
  return "question";
}

/** The question marks of all scripts; the Greek one only at the end, since it looks like a semicolon. */
const questionMark = /[?？؟⸮]|\u037E["'”’»)\]*_\s]*$/u;
/** One pattern that matches where any of these does. Case is ignored. */
function union(...patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map((pattern) => pattern.source).join("|"), "iu");
}

const wordy = /\p{L}/u;

/** A close that offers more help waits for nothing. */
const courtesy = union(
  // English: else, further, more; help and assistance with nothing said of what.
  /\b(anything|something|any(thing)? other|what|nothing) (else|more|further)\b|\belse (i|we) can\b|\bfeel free\b|\blet me know if\b/,
  /\b(how|what) (else )?(can|could|may) i (help|assist)|\b(can|could|may|shall) i (further |also )?(help|assist)( you)?( (with|further|today|then|in any|any|anything)\b|[?.]|$)/,
  /\b(of|need|want|require|with) (any |my |further |more |some )*(assistance|help|service)\b|\bany (other|further|more) (questions?|help|assistance|requests?)\b|\bwill that be all\b|\banything (you need|i can|to)\b/,
  /\b(algo|alguna cosa|otra cosa) (más|mas)\b|\ben qu[ée] (más )?(puedo|podemos) ayudar|\balguna otra (pregunta|consulta|duda)/,
  /还有(什么|其他|别的|其它)|還有(什麼|其他|別的)|还(需要|能|可以).{0,8}(帮|为您)|能(帮|为)您(什么|做)|什么(别的)?(帮助|忙)/,
  /(他|ほか|その他)に(も)?(何か|なにか|ご|お|御)|御用件|ご用件/,
  /(что|чем|ч[её]м)-?(нибудь|либо|то)? ?(ещ[её] )?.{0,12}помочь|могу я .{0,8}(чем|помочь)|что-?(нибудь|либо) ещ[её]|что ещ[её] (я могу|вам)/,
  /(sonst|weitere) noch|kann ich (sonst|noch).{0,12}helfen|autre chose|vous aider|qualcos'altro|altro\?|mais alguma coisa/,
);

const rhetorical =
  /^(guess what|why not|who knows|right|isn't (it|that) (great|nice)|see|remember)\b[^?]*\?$/i;

/** Said to the reader, so that a question further up still stands. */
const addressed =
  /\b(you|your|yours|shall i|should i|may i|can i|could i|which|what|when|where|usted|tu|su|quieres?|desea|prefieres?)\b|[您你]|ます|ください|\b(вы|вас|вам|ваш\p{L}*)(?!\p{L})/iu;

/** Requests that need no question mark. */
const request = union(
  /\b(please|kindly|por favor|bitte|s'il vous plaît|per favore)\b[^.!?]{0,80}\b(provide|enter|tell|give|specify|confirm|choose|select|pick|send|share|type|say|state|indicate|supply|upload|clarify|reply|respond|let me know|describe|indiqu\p{L}*|proporcion\p{L}*|confirm\p{L}*|dime|dígame|dame|envíe\p{L}*)(?!\p{L})/u,
  /^(\W*\w+,)?\s*(provide|enter|tell me|give me|specify|confirm|choose|select|pick|type|clarify)\b/,
  /\blet me know (which|what|when|where|who|how|whether|your|the)\b|\b(i|we)('ll| will)? (just |still |also |only )*need (you to|your|to know|the|a few|some more|more)\b|\b(waiting (on|for) your?|your call|which one|awaiting your)\b/,
  /\b(how|what) about (?!you\b)\p{L}/u,
  /\bnecesito (que|saber|el|la|los|las|su|tu|un|una)\b|\b(indíca|dí|proporcióna|confírma)(me|nos)\b/,
  /请(您)?(提供|告诉|告知|输入|确认|选择|说明|问)|請(您)?(提供|告訴|輸入|確認|選擇)|我?(需要|想)(知道|了解)您?/,
  /(教えて|知らせて|お知らせ|入力して|ご入力|選んで|お選び|ご確認|指定して|ご指定|お聞かせ)(いただけますか|ください)|でしょうか|いかが(でしょう|です|なさいます|いたします)か?|どうされますか|ございますか|お願い(いた|致)します/,
  /(?<!\p{L})(укажите|сообщите|введите|подтвердите|выберите|уточните|назовите|скажите|напишите|предоставьте)(?!\p{L})|мне (просто |также )?(нужно|нужен|нужна|нужны)(?!\p{L})/u,
  /(press|hit) (enter|return|any key)/,
);

const notRequest =
  /\bplease (find|note|see|be aware|keep|remember|wait|hold|allow|stand by|enjoy|visit|refer|arrive|contact)\b|\bif you (need|want|have|would)\b|\b(thank|thanks)\b|;\s*$/i;

/** The prose of the end of a text: without code, quotes, links, markdown and the options below a question. */
function prose(text: string): string {
  const withoutFences: string[] = [];
  let fence: string | undefined;
  // Fences are counted from the beginning: cutting first would take code for prose.
  for (const line of text.split("\n")) {
    const marker = /^ {0,3}(```|~~~)/.exec(line)?.[1];
    if (marker !== undefined) {
      fence = fence === undefined ? marker : fence === marker ? undefined : fence;
      continue;
    }
    if (fence === undefined && !/^ {0,3}>/.test(line)) withoutFences.push(line);
  }
  const listItem = /^\s*([-*•·]|\(?\w{1,2}[.)])\s+/;
  while (withoutFences.length > 0) {
    const last = withoutFences.at(-1)!;
    if (last.trim() !== "" && !(listItem.test(last) && !questionMark.test(last))) break;
    withoutFences.pop();
  }
  return tailOf(withoutFences)
    .replaceAll(/`[^`\n]*`/g, " ")
    .replaceAll(/https?:\/\/\S+/g, " ")
    .replaceAll(/["“«「『][^"”»」』\n]{1,300}["”»」』]/g, " … ")
    .replaceAll(/\[([^\]\n]{0,200})\]\([^)\n]{0,300}\)/g, "$1")
    .replaceAll(/[*_#]+/g, "");
}

/** The last lines, as many as fit. */
function tailOf(lines: readonly string[]): string {
  let from = lines.length;
  for (let length = 0; from > 0 && length < tailLength; from--)
    length += lines[from - 1]!.length + 1;
  return lines.slice(from).join("\n").slice(-tailLength);
}

function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?。！？؟；⸮\u037E][)”"'’]{0,2})(?:\s+|(?<=[。！？]))|\n+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}
