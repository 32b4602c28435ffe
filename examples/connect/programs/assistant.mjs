// A small assistant for parcels. It looks at the conversation alone, so it can stand behind any transport.

/**
 * The next reply to a conversation of `{ role, content }` messages. Calls of tools are left to whoever runs them: their
 * results come back as messages of the role "tool".
 */
export function assistant(messages) {
  const last = messages.at(-1);
  const user = text(messages.findLast(({ role }) => role === "user")?.content);
  const number = /\d{4}/.exec(messages.map(({ content }) => text(content)).join("\n"))?.[0];
  if (last.role === "tool") return afterTool(last, number);
  if (/where is/i.test(user) && number !== undefined) return callTool("find_parcel", { number });
  if (/^yes/i.test(user)) return callTool("hold_parcel", { number });
  if (/address/i.test(user)) return callTool("ask_user", { question: "What is the new address?" });
  return { content: "Hello! What is the number of your parcel?" };
}

function afterTool({ tool_name: tool, content }, number) {
  if (tool === "ask_user") return { content: `Noted: parcels go to ${content} from now on.` };
  const result = JSON.parse(content);
  if (result.error !== undefined)
    return { content: "I cannot reach the depot at the moment. Goodbye." };
  if (tool === "find_parcel")
    return {
      content: `Parcel ${number} is ${result.status} in ${result.city}. Shall I have it held at the depot?`,
    };
  return { content: `Done. Parcel ${number} is held until ${result.until}.` };
}

function callTool(name, args) {
  return { content: "", tool_calls: [{ name, args }], finish_reason: "tool_calls" };
}

/** A message may have images beside its text. */
function text(content = "") {
  return typeof content === "string" ? content : content.map((part) => part.text ?? "").join("\n");
}
