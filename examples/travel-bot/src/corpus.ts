import type { Corpus } from "./nlpjs.js";

/** Where the bot can book. A closed list, so that "to travel" and "to Oslo" are told apart. */
const cities = ["Athens", "Dublin", "Lisbon", "New York", "Oslo", "Paris", "Rome", "Vienna"];

const anyCity = `(?:${cities.join("|")})\\b`;
const month =
  "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:tember)?" +
  "|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
const day = "(?:0?[1-9]|[12]\\d|3[01])(?:st|nd|rd|th)?";
const anyDate = `\\b(?:\\d{4}-\\d{2}-\\d{2}|${day} ${month},? \\d{4}|${month} ${day},? \\d{4})\\b`;

const readCity = (text: string) =>
  cities.find((city) => new RegExp(`\\b${city}\\b`, "i").test(text));
const readDate = (text: string) => new RegExp(anyDate, "i").exec(text)?.[0];

interface Slot {
  /** Its name in the state that the agent reports. */
  readonly field: "from" | "to" | "date";
  readonly question: string;
  /** The value in what the user said, in its usual spelling; undefined if there is none. */
  read(text: string): string | undefined;
}

/** What a booking needs. Not simply called "from" and "to": the engine overwrites `context.from` in every turn. */
export const slots: Readonly<Record<string, Slot>> = {
  fromCity: { field: "from", question: "Which city do you leave from?", read: readCity },
  toCity: { field: "to", question: "Which city do you want to go to?", read: readCity },
  date: {
    field: "date",
    question: "On what day do you travel? With the year, please.",
    read: readDate,
  },
};

export const corpus: Corpus = {
  name: "travel",
  locale: "en-US",
  // Lookbehinds instead of the engine's "after" conditions: those also match inside words ("to" in "Toronto") and run
  // on to the end of the sentence.
  entities: {
    fromCity: { regex: [`/(?<=\\b(?:from|leaving) +)${anyCity}/gi`] },
    toCity: { regex: [`/(?<=\\bto +)${anyCity}/gi`] },
    date: { regex: [`/${anyDate}/gi`] },
  },
  data: [
    {
      intent: "book",
      // Slots are asked for in the order in which these sentences first name them.
      utterances: [
        "I want to travel from @fromCity to @toCity on @date",
        "I want to travel from @fromCity to @toCity",
        "I want to travel from @fromCity",
        "I want to go to @toCity on @date",
        "I would like to go to @toCity",
        "I need a ticket to @toCity",
        "book a flight from @fromCity to @toCity",
        "book a trip to @toCity",
        "book a trip on @date",
        "book a trip",
        "I want to book a trip",
        "I would like to travel",
        "plan a journey for me",
      ],
      slotFilling: Object.fromEntries(
        Object.entries(slots).map(([name, { question }]) => [name, question]),
      ),
    },
    {
      intent: "greet",
      utterances: ["hello", "hi", "hey", "hello there", "good morning", "good evening"],
      answers: ["Hello! I book trips between cities."],
    },
    {
      intent: "thanks",
      utterances: ["thanks", "thank you", "thanks a lot"],
      answers: ["You are welcome."],
    },
    {
      intent: "goodbye",
      utterances: ["bye", "goodbye", "see you later", "thanks, bye", "thank you, goodbye"],
      answers: ["Goodbye, come back any time."],
    },
    {
      intent: "None",
      // Small talk to set the others apart from: without it, "tell me a joke" would book a trip.
      utterances: [
        "what is the weather like",
        "what is your name",
        "who are you",
        "how are you",
        "tell me a joke",
        "play some music",
        "I want a pizza",
        "I want to eat",
        "I like cats",
      ],
      answers: ["Sorry, I did not understand that. I can book a trip for you."],
    },
  ],
};
