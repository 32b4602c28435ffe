import type { Pattern } from "@turnwise/core";
import { AuthorError, compilePattern, errorMessage } from "@turnwise/core";
import type { FakeMessage } from "../api/message.js";
import type { ChosenReply, FakeReplyRequest, ReplySource } from "./reply-source.js";
import type { FakeReply, FakeScript } from "./schema.js";
import { ApiError } from "../api/api-error.js";

type Conversation = NonNullable<FakeScript["conversations"]>[number];
type Answer = NonNullable<Conversation["answers"]>[number];
type Matches = (request: FakeReplyRequest) => boolean;

interface Compiled {
  readonly id: string | undefined;
  /** As errors name it. */
  readonly name: string;
  readonly matches: Matches;
  readonly answers: readonly { readonly matches: Matches; readonly reply: FakeReply }[];
  readonly replies: readonly FakeReply[];
}

/**
 * Replies of a script.
 * @throws AuthorError for a pattern that does not compile, with its path.
 */
export async function scriptReplies(script: FakeScript): Promise<ReplySource> {
  const conversations: Compiled[] = [];
  for (const [index, conversation] of (script.conversations ?? []).entries())
    conversations.push(await compile(conversation, `conversations[${index}]`));
  return (request): ChosenReply => {
    const conversation = conversations.find(({ matches }) => matches(request));
    const reply = (conversation && replyOf(conversation, request)) ?? script.otherwise;
    const id = conversation?.id === undefined ? {} : { conversation: conversation.id };
    return reply === undefined
      ? { error: noReply(conversation, request), ...id }
      : { reply, ...id };
  };
}

function replyOf(conversation: Compiled, request: FakeReplyRequest): FakeReply | undefined {
  const answer = conversation.answers.find(({ matches }) => matches(request));
  return answer?.reply ?? conversation.replies[request.step];
}

async function compile(conversation: Conversation, path: string): Promise<Compiled> {
  const answers: Compiled["answers"][number][] = [];
  for (const [index, answer] of (conversation.answers ?? []).entries())
    answers.push({
      matches: await answerMatches(answer, `${path}.answers[${index}].when`),
      reply: answer.reply,
    });
  return {
    id: conversation.id,
    name: conversation.id === undefined ? path : JSON.stringify(conversation.id),
    matches: await conversationMatches(conversation, `${path}.when`),
    answers,
    replies: conversation.replies ?? [],
  };
}

async function conversationMatches({ when = {} }: Conversation, path: string): Promise<Matches> {
  const user = await pattern(when.user, `${path}.user`);
  const system = await pattern(when.system, `${path}.system`);
  const model = await pattern(when.model, `${path}.model`);
  return (request) =>
    holds(user, request.messages.find(({ role }) => role === "user")?.text) &&
    holds(system, systemText(request.messages)) &&
    holds(model, request.model);
}

async function answerMatches({ when }: Answer, path: string): Promise<Matches> {
  const user = await pattern(when.user, `${path}.user`);
  const result = await pattern(when.result, `${path}.result`);
  const ofTool = when.tool !== undefined || result !== undefined;
  return ({ messages }) => {
    const last = messages.at(-1);
    if (user !== undefined && !(last?.role === "user" && user.test(last.text))) return false;
    if (!ofTool) return true;
    // With `user` the result lies further back: the user spoke after it.
    const answer = user === undefined ? last : messages.findLast(({ role }) => role === "tool");
    return (
      answer?.role === "tool" &&
      (when.tool === undefined || answer.toolName === when.tool) &&
      holds(result, answer.text)
    );
  };
}

async function pattern(source: string | undefined, path: string): Promise<Pattern | undefined> {
  if (source === undefined) return undefined;
  try {
    return await compilePattern(source);
  } catch (error) {
    throw new AuthorError(`${path}: ${errorMessage(error)}`, { cause: error });
  }
}

function holds(wanted: Pattern | undefined, text: string | undefined): boolean {
  return wanted === undefined || (text !== undefined && wanted.test(text));
}

function systemText(messages: readonly FakeMessage[]): string | undefined {
  const texts = messages.filter(({ role }) => role === "system").map(({ text }) => text);
  return texts.length === 0 ? undefined : texts.join("\n");
}

function noReply(
  conversation: Compiled | undefined,
  { step, messages }: FakeReplyRequest,
): ApiError {
  const last = messages.at(-1);
  const shown = last === undefined ? "none" : `${last.role}: ${JSON.stringify(cut(last.text))}`;
  const where =
    conversation === undefined
      ? "no conversation of the script matches"
      : `the conversation ${conversation.name} has no reply left`;
  return new ApiError(
    `${where}, and the script has no "otherwise" (step ${step}, last message: ${shown})`,
    {
      status: 400,
      code: "no_scripted_reply",
    },
  );
}

function cut(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200).replace(/[\uD800-\uDBFF]$/, "")}…` : text;
}
