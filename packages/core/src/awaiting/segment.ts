/** One sentence of the prose at the end of a reply. */
export interface Sentence {
  readonly text: string;
  /** It ends with a question mark. */
  readonly asks: boolean;
  /** It is an entry of a list. */
  readonly listed: boolean;
}

/** Only the end of a reply can ask: what stands before has been followed by something else. Also bounds the cost. */
const tailLength = 2_400;

/** The question marks of all scripts; the Greek one only at the end, since it looks like a semicolon. */
const questionMark =
  /(?:[\p{L}\p{M}\p{N})\]"'”»%….!*_]\s*|^|。)[?？؟⸮՞፧]+["'”’»)\]*_\s.!…]*$|[;\u037E]["'”’»)\]*_\s]*$/u;
const greek = /\p{Script=Greek}/u;

/** Entries of lists, rows of tables, and details such as "Price: 12 €". */
const listItem =
  /^\s*(?:[-*•·–—]\s|[✅☑✔➡→]|\*{0,2}(?:\(?\d{1,2}[.)、]|\(?[a-zA-Z][.)]|[①-⑳]|q\d{1,2}[.:]|\d\uFE0F?\u20E3|option \S{1,3}:))\s*(?=\S)/iu;
const detail = /^\s*\**\p{L}[\p{L} /_-]{1,30}\**\s?[:：]\**\s+\S[^?？]*$/u;
const asksInLabel = /\b(?:please|choose|select|confirm|pick|enter)\b|[请請]/iu;
const signature =
  /^(?:(?:best|kind|warm|many|with)\s+)*(?:best|regards|wishes|sincerely|cheers|yours(?: truly| sincerely)?|saludos|atentamente|un saludo|mit freundlichen grüßen|cordialement|cordiali saluti|с уважением)[,!.]?$/iu;

/** The prose of the end of a text, in sentences: without code, quotes, links, markdown and the signature. */
export function segment(text: string): Sentence[] {
  const lines = withoutSignature(withoutDraft(proseLines(text)));
  const sentences: Sentence[] = [];
  for (const line of tailOf(lines)) {
    // A row of a table.
    if (/^\s*\|/.test(line)) continue;
    const item = listItem.test(line);
    const listed =
      item ||
      (line.length < 100 && detail.test(line) && !asksInLabel.test(line) && !/[.!]\s*$/.test(line));
    const clean = plain(item ? line.replace(listItem, "") : line);
    for (const sentence of split(clean)) {
      const trimmed = sentence.trim();
      if (trimmed === "") continue;
      sentences.push({ text: trimmed, asks: isQuestion(trimmed), listed });
    }
  }
  return sentences;
}

function isQuestion(sentence: string): boolean {
  if (!questionMark.test(sentence)) return false;
  return !/[;\u037E]["'”’»)\]*_\s]*$/u.test(sentence) || greek.test(sentence);
}

/** How much of the end of a text is looked at, code and quotes included. */
const longestTail = 16_000;

/** Lines of the end of a text that are prose. */
function proseLines(text: string): string[] {
  const cut = text.length > longestTail ? text.indexOf("\n", text.length - longestTail) : -1;
  const lines: string[] = [];
  const quoted: string[] = [];
  let fence = cut === -1 ? undefined : fenceAt(text.slice(0, cut));
  const tail = cut === -1 ? text.slice(-longestTail) : text.slice(cut + 1);
  for (const line of tail.split("\n")) {
    const marker = /^\s*(```|~~~)/.exec(line)?.[1];
    if (marker !== undefined) fence = afterMarker(fence, marker);
    else if (fence === undefined) {
      if (/^ {0,3}>/.test(line)) quoted.push(line.replace(/^[\s>]+/, ""));
      else lines.push(line);
    }
  }
  // A reply that is nothing but a quote says it.
  return lines.some((line) => /\p{L}/u.test(line)) ? lines : quoted;
}

/** The fence that is open at the end of a text. They are counted from its beginning: what looks like prose may be code. */
function fenceAt(text: string): string | undefined {
  let fence: string | undefined;
  for (const [, marker] of text.matchAll(/^[ \t]*(```|~~~)/gm)) fence = afterMarker(fence, marker!);
  return fence;
}

function afterMarker(open: string | undefined, marker: string): string | undefined {
  if (open === undefined) return marker;
  return open === marker ? undefined : open;
}

const salutation =
  /^\s*(?:dear|hi|hello|hey|hola|estimad[oa]s?|liebe[rs]?|bonjour|здравствуйте)\b[^,:!]{0,40}[,:!]\s*$/iu;

/** A letter that was written for somebody: what it asks, it asks them. */
function withoutDraft(lines: string[]): string[] {
  let announced = false;
  const begin = lines.findIndex((line) => {
    if (announced && salutation.test(line)) return true;
    if (line.trim() !== "") announced = /:\s*$/.test(line);
    return false;
  });
  if (begin === -1) return lines;
  const end = lines.findIndex((line, at) => at > begin && signature.test(line.trim()));
  return [...lines.slice(0, begin), ...(end === -1 ? [] : lines.slice(end + 2))];
}

/** "Best regards, / Maya from Support" says nothing. */
function withoutSignature(lines: string[]): string[] {
  let end = lines.length;
  while (end > 0 && lines[end - 1]!.trim() === "") end--;
  for (let at = end - 1; at >= Math.max(0, end - 4); at--)
    if (signature.test(lines[at]!.trim())) return lines.slice(0, at);
  return lines.slice(0, end);
}

/** The last lines, as many as fit. */
function tailOf(lines: readonly string[]): string[] {
  const tail: string[] = [];
  let left = tailLength;
  for (let at = lines.length - 1; at >= 0 && left > 0; at--) {
    const line = lines[at]!;
    tail.push(line.length > left ? line.slice(-left) : line);
    left -= line.length + 1;
  }
  return tail.toReversed();
}

/** A line without what is not said: code, links, markdown, quoted speech. */
function plain(line: string): string {
  return line
    .replaceAll(/`[^`]*`/g, " ⋯ ")
    .replaceAll(/<\/?[a-z][^<>]{0,80}>/gi, " ")
    .replaceAll(/https?:\/\/\S+/g, " ")
    .replaceAll(/\[([^\]]{0,200})\]\([^)]{0,300}\)/g, "$1")
    .replaceAll(/[*_#]+/g, "")
    .replaceAll(/["“«「『„][^"”»」』“]{2,300}["”»」』“]/g, " ⋯ ")
    .replaceAll(/(?<=^|[\s:(])'[^']{2,200}[?.!]'/g, " ⋯ ")
    .replaceAll(/\s+/g, " ");
}

const boundary =
  /(?<=[.!?…][)”"'’]{0,2})(?<!(?:^|[\s:：(])(?:\d{1,2}|\p{L}|dr|mr|mrs|ms|st|no|vs|etc|approx|sr|sra|dra|prof|e\.g|i\.e)\.)\s+|(?<=[。！？؟；⸮])|(?<=\p{Ll}\.)(?=\p{Lu}\p{Ll})/iu;

function split(line: string): string[] {
  return line.split(boundary);
}
