/*
 * Rules of thumb for what a simulated user should not say. They speak only where they are sure: what they find is a
 * warning by default.
 */

/** A text without what does not matter: case, blanks, and quotes and punctuation around it. */
export function plain(text: string): string {
  const spaced = text.normalize("NFC").toLowerCase().replaceAll(/\s+/g, " ");
  let start = 0;
  let end = spaced.length;
  // A pattern for the end of a text takes quadratic time on what an agent may say.
  while (start < end && edges.has(spaced[start]!)) start++;
  while (end > start && edges.has(spaced[end - 1]!)) end--;
  return spaced.slice(start, end);
}

/** What may stand around a message without changing it. */
const edges = new Set(" \"'“”.!。！");

/** What assistants say to users, and users never to assistants. */
const assistantPhrases = [
  /\b(how|what) (can|may|could) i (help|assist|do for) you\b/i,
  /\bas an ai\b/i,
  /\bi('m| am) (happy|here|glad) to (help|assist)\b/i,
  /\b(anything|something) else (that )?i can (help|assist|do)\b/i,
  /\bi('d| would) be (happy|glad) to (help|assist)\b/i,
  /^(en qué|cómo) puedo (ayudarte|ayudarle)/i,
  /(有什么|有什麼|什么).{0,4}(可以|能).{0,4}(帮|幫)(您|你|到)/,
  /(чем|как) (я )?могу (вам |тебе )?помочь/i,
  /(ご用件は|お手伝いできること)/,
];

/** A text of some length that the user only has from the agent. */
const shortestCopy = 25;

/** Whether the user speaks as the assistant would: in its phrases, or by repeating what it has just said. */
export function speaksAsAssistant(text: string, lastReply: string): boolean {
  if (text.length >= shortestCopy && plain(text) === plain(lastReply)) return true;
  return assistantPhrases.some((phrase) => phrase.test(text));
}

/** Whether a message is the first one of the conversation over again, if in slightly other words. */
export function restarts(text: string, first: string): boolean {
  const [now, then] = [wordsOf(text), wordsOf(first)];
  // "Yes" and "thanks" are said twice for good reasons.
  if (then.size < 3) return false;
  const common = [...now].filter((word) => then.has(word)).length;
  return common / (now.size + then.size - common) >= 0.8;
}

function wordsOf(text: string): Set<string> {
  return new Set(plain(text).match(/[\p{L}\p{N}]+/gu) ?? []);
}

/**
 * Numbers, dates and ids of a text that stand nowhere in what the user can know. Single digits are let pass: they are
 * written as words as well. Separators do not count: 3,500 is 3500, and 2026-03-14 is known where all its parts are.
 */
export class KnownNumbers {
  private readonly parts = new Set<string>();

  /** The user has read this. */
  learn(text: string): void {
    for (const token of digitsOf(text)) for (const part of partsOf(token)) this.parts.add(part);
  }

  /** The user has read all of this. */
  learnAll(value: unknown): void {
    if (typeof value === "string") this.learn(value);
    else if (typeof value === "number") this.learn(String(value));
    else if (typeof value === "object" && value !== null)
      for (const [key, item] of Object.entries(value)) {
        this.learn(key);
        this.learnAll(item);
      }
  }

  /** What it cannot know. */
  unknownIn(text: string): string[] {
    const unknown = digitsOf(text).filter((token) =>
      partsOf(token).some((part) => part.length > 1 && !this.parts.has(part)),
    );
    return [...new Set(unknown)];
  }
}

/** Words with a digit in them, with the separators that belong to them. */
function digitsOf(text: string): string[] {
  const tokens = text.match(/[\p{L}\p{N}]+(?:[.,:/_-][\p{L}\p{N}]+)*/gu) ?? [];
  return tokens.filter((token) => /\p{N}/u.test(token));
}

/**
 * The numbers of a token, as they are written without separators of thousands and idle zeros. Letters around them do not
 * count: some scripts put no blank between a number and its unit.
 */
function partsOf(token: string): string[] {
  const number = token.replaceAll(/(?<=\d),(?=\d{3}(?!\d))/g, "").replace(/\.0+$/, "");
  return (number.match(/\p{N}+/gu) ?? []).map((part) => part.replace(/^0+(?=\d)/, ""));
}
