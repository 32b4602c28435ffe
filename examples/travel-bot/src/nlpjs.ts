import { createRequire } from "node:module";

/** Something found in an utterance. */
export interface Entity {
  readonly entity: string;
  readonly sourceText: string;
  /** The engine recognised nothing and took the whole utterance as the answer to its question. */
  readonly isSlotFillingFallback?: boolean;
}

/** An open question: the engine keeps what it has so far and names the slot that it asks for. */
interface SlotFill {
  readonly intent: string;
  readonly currentSlot: string;
  readonly entities: readonly Entity[];
}

/** What the engine remembers of one conversation. It writes here; the caller only keeps the object. */
export interface Context {
  slotFill?: SlotFill | undefined;
}

interface Result {
  readonly intent: string;
  /** The answer of the intent, or the question of the slot that is missing. */
  readonly answer?: string;
  readonly entities: readonly Entity[];
  readonly slotFill?: SlotFill;
}

export interface Corpus {
  readonly name: string;
  readonly locale: string;
  readonly entities: Readonly<Record<string, { readonly regex: readonly string[] }>>;
  readonly data: readonly {
    readonly intent: string;
    readonly utterances: readonly string[];
    readonly answers?: readonly string[];
    readonly slotFilling?: Readonly<Record<string, string>>;
  }[];
}

export interface Engine {
  process(locale: string, utterance: string, context: Context): Promise<Result>;
}

/** NLP.js has no types; this is the part of it that is used here. */
interface Nlp extends Engine {
  addCorpus(corpus: Corpus): Promise<void>;
  train(): Promise<unknown>;
}

/** Builds an engine that prints nothing, reads no settings from the current folder and writes no model file. */
export async function trainEngine(corpus: Corpus): Promise<Engine> {
  // The entry of @nlpjs/basic also loads a pino logger, which prints a deprecation warning while loading. So its
  // parts are loaded one by one, resolved from its place: they are its dependencies, not ours.
  const require = createRequire(createRequire(import.meta.url).resolve("@nlpjs/basic"));
  const { LangEn } = require("@nlpjs/lang-en");
  const { Nlp: NlpClass } = require("@nlpjs/nlp");

  // Without a container of ours, Nlp makes its own from @nlpjs/core: no files, no conf.json, no .env.
  const nlp: Nlp & { container: { use(plugin: unknown): void } } = new NlpClass({
    languages: ["en"],
    autoLoad: false,
    autoSave: false,
    calculateSentiment: false,
    nlu: { log: false },
  });
  nlp.container.use(LangEn);
  await nlp.addCorpus(corpus);
  await nlp.train();
  return nlp;
}
