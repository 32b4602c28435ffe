import type { ReplySource } from "./reply-source.js";
import { jsonFiller } from "../api/json-filler.js";

/** Repeats what the user said last; where JSON is wanted, the least that fits the schema. */
export const echoReplies: ReplySource = ({ messages }, format) => {
  if (format.type === "json") return { reply: { json: jsonFiller(format.schema) } };
  const said = messages.findLast(({ role }) => role === "user")?.text ?? "";
  return { reply: `You said: ${said}` };
};
