import { errorMessage } from "@turnwise/core";
import type { ChosenReply, FakeReplyFunction, ReplySource } from "./reply-source.js";
import type { FakeReply } from "./schema.js";
import { ApiError } from "../api/api-error.js";
import { check } from "./check.js";
import { replySchema } from "./schema.js";

/** Replies of a function. Clients do not try again after a 400, so its mistakes show at once. */
export function functionReplies(replyTo: FakeReplyFunction): ReplySource {
  return async (request) => {
    let reply: FakeReply;
    try {
      reply = await replyTo(request);
    } catch (error) {
      return failed(`the reply function threw: ${errorMessage(error)}`);
    }
    const checked = check(replySchema, reply);
    if ("problems" in checked)
      return failed(`the reply function gave no valid reply: ${checked.problems.join("; ")}`);
    return { reply: checked.value };
  };
}

function failed(message: string): ChosenReply {
  return { error: new ApiError(message, { status: 400, code: "reply_function_failed" }) };
}
