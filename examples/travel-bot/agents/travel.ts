import type { AgentReply, AgentRequest } from "turnwise";
import { corpus, slots } from "../src/corpus.js";
import { type Context, type Engine, type Entity, trainEngine } from "../src/nlpjs.js";

type Trip = { from?: string; to?: string; date?: string };

interface Session {
  /** The engine's memory of this conversation. */
  readonly context: Context;
  trip: Trip;
  booked: boolean;
}

const sessions = new Map<string, Session>();
let engine: Promise<Engine> | undefined;

export default {
  description: "Books a trip: asks for the city to leave from, the city to go to and the date.",

  async respond({ sessionId, input }: AgentRequest): Promise<AgentReply> {
    const session = sessions.get(sessionId) ?? { context: {}, trip: {}, booked: false };
    sessions.set(sessionId, session);
    engine ??= trainEngine(corpus); // The promise is shared: sessions that start together train once.
    const nlp = await engine;

    const open = session.context.slotFill;
    const result = await nlp.process("en", textOf(input), session.context);
    let { answer = "", entities, slotFill } = result;

    // When the engine recognises no answer to its question, it takes the whole utterance for one. That is right for
    // "Paris", which says neither "from" nor "to", and wrong for "no idea", or for "to Oslo" when asked where from.
    const guess = entities.find(
      (entity) => entity.isSlotFillingFallback && entity.entity === open?.currentSlot,
    );
    if (open && guess) {
      const recognised = entities.filter((entity) => entity !== guess);
      const heardAnotherSlot = recognised.length > open.entities.length;
      if (heardAnotherSlot || valueOf(guess) === undefined) {
        // Keep what was recognised and leave the question open.
        entities = recognised;
        slotFill = { ...open, entities };
        session.context.slotFill = slotFill;
        const question = slots[open.currentSlot]?.question ?? "";
        answer = heardAnotherSlot ? question : `Sorry, I did not understand that. ${question}`;
      }
    }

    if (result.intent === "book") {
      session.trip = tripOf(entities);
      session.booked = slotFill === undefined;
      const { from, to, date } = session.trip;
      if (session.booked) answer = `Booked: ${from} to ${to} on ${date}.`;
    }
    return {
      content: answer,
      // The engine says itself whether a question is open; nothing has to be guessed from the text.
      awaitingInput: Boolean(slotFill?.currentSlot),
      ...(slotFill && { inputHint: slots[slotFill.currentSlot]?.question ?? slotFill.currentSlot }),
      state: { trip: session.trip, intent: result.intent, booked: session.booked },
    };
  },

  close(sessionId: string): void {
    sessions.delete(sessionId);
  },
};

/** What the user says, as text. Never empty: given an empty utterance, the engine reads the locale instead. */
function textOf(input: AgentRequest["input"] = ""): string {
  const text =
    typeof input === "string"
      ? input
      : input.map((part) => (part.type === "text" ? part.text : "")).join(" ");
  return text.trim() || " ";
}

function valueOf(entity: Entity): string | undefined {
  return slots[entity.entity]?.read(entity.sourceText);
}

/** The trip so far. What was said last wins, so that "from Rome" corrects an earlier "from Paris". */
function tripOf(entities: readonly Entity[]): Trip {
  const trip: Trip = {};
  for (const entity of entities) {
    const field = slots[entity.entity]?.field;
    const value = valueOf(entity);
    if (field && value) trip[field] = value;
  }
  return trip;
}
