import type { PreparedAnswer, PreparedSimulator } from "../case/prepare-simulator.js";
import type { AwaitingKind, PendingRequest } from "../contract/agent.js";
import type { SimulatedUser, UserMove, UserView } from "./simulated-user.js";

type Answers = Extract<PreparedSimulator, { kind: "answers" }>;

/** One thing that the agent asks for, in all the words there are for it, the most telling first. */
interface Question {
  readonly kind: AwaitingKind | undefined;
  readonly texts: readonly string[];
  readonly request?: PendingRequest;
}

/** A user without a model: the question picks the answer, whatever the order in which the agent asks. */
export class AnsweringUser implements SimulatedUser {
  readonly result = {};
  private readonly used = new Map<PreparedAnswer, number>();
  private readonly asked = new Map<string, number>();

  constructor(
    private readonly simulator: Answers,
    private readonly warn: (code: string, message: string) => void,
  ) {}

  async next({ turns, detection, pending }: UserView): Promise<UserMove> {
    const last = turns.at(-1);
    if (last === undefined || detection?.awaiting !== true) return { kind: "nothing" };
    const { evidence, hint, kind } = detection;
    const spoken: Question = {
      kind,
      texts: [...[evidence, hint].filter((text) => text !== undefined), last.content],
    };
    const questions = [
      ...pending.map((request): Question => ({
        kind: request.kind,
        texts: [request.prompt, request.toolName ?? ""],
        request,
      })),
      spoken,
    ];
    for (const question of questions) {
      const found = this.answerTo(question);
      if (found === undefined) continue;
      this.note(found, question);
      if ("say" in found.reply) return { kind: "say", input: found.reply.say };
      const to = question.request === undefined ? {} : { to: question.request.id };
      return { kind: "answer", answer: { ...to, ...found.reply.answer } };
    }
    const { otherwise } = this.simulator;
    return otherwise === undefined ? { kind: "nothing" } : { kind: "say", input: otherwise };
  }

  /** The first answer that fits the question itself; else the first that fits what is said around it; else its kind. */
  private answerTo({ kind, texts, request }: Question): PreparedAnswer | undefined {
    const open = this.simulator.answers.filter(
      (answer) =>
        (this.used.get(answer) ?? 0) < answer.times &&
        // What is only said is answered by saying something.
        (request !== undefined || "say" in answer.reply),
    );
    for (const text of texts) {
      const found = open.find(({ matches }) => "pattern" in matches && matches.pattern.test(text));
      if (found !== undefined) return found;
    }
    return open.find(({ matches }) => "kind" in matches && matches.kind === kind);
  }

  private note(answer: PreparedAnswer, { texts: [text = ""] }: Question): void {
    this.used.set(answer, (this.used.get(answer) ?? 0) + 1);
    const times = (this.asked.get(text) ?? 0) + 1;
    this.asked.set(text, times);
    if (times === 2)
      this.warn(
        "repeated_question",
        `the agent asked again what had been answered: ${shown(text)}`,
      );
  }

  ended(): void {
    for (const answer of this.simulator.answers)
      if (!this.used.has(answer))
        this.warn("unused_answer", `the agent never asked for ${shown(answer.when)}`);
  }
}

function shown(text: string): string {
  return JSON.stringify(text.length > 120 ? `${text.slice(0, 117)}...` : text);
}
