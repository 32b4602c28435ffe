/**
 * Tools with which agents ask their user, in the spelling that `toolKey` gives them. Gathered from the tool sets of
 * coding agents, agent frameworks and protocols. The match is exact: `message_notify_user` asks nothing.
 */
export const askTools: ReadonlySet<string> = new Set([
  "adkrequestconfirmation",
  "adkrequestcredential",
  "adkrequestinput",
  "askfollowupquestion",
  "askhuman",
  "askquestion",
  "askquestions",
  "askuser",
  "askuserforinput",
  "askuserquestion",
  "elicit",
  "exitplanmode",
  "getuserinput",
  "handofftouser",
  "humaninput",
  "messageaskuser",
  "planmoderespond",
  "requestconfirmation",
  "requesthumaninput",
  "requestpermission",
  "requestuserinput",
  "requestuserinputasync",
  "vscodeaskquestions",
]);

/** Names that ask the user in some agents and mean something else in others: they count with a question in the arguments. */
export const ambiguousAskTools: ReadonlySet<string> = new Set(["human", "question", "userinput"]);

/** The part of a tool name after server and module prefixes: `mcp__desk__ask_user` is `ask_user`. */
export function toolLeaf(name: string): string {
  const parts = name.split(/__|[./:]/).filter((part) => part !== "");
  return parts.at(-1) ?? name;
}

/** The leaf of a tool name without case and separators. */
export function toolKey(name: string): string {
  return toolLeaf(name)
    .replaceAll(/[_\-\s]/g, "")
    .toLowerCase();
}
