import type { JsonValue } from "@turnwise/core";
import { isObject, isTooDeep } from "@turnwise/core";
import type { ApiRequest, RenderedReply } from "../api/api.js";
import type { JsonObject } from "../api/read-field.js";
import type { FaultySending } from "../fault/faulty-sending.js";
import type { ModelState } from "./model-state.js";
import type { OpenRecord } from "./recorded-request.js";
import type { Sending } from "./send.js";
import { ApiError } from "../api/api-error.js";
import { fingerprint, requestFingerprint } from "../api/fingerprint.js";
import { stepsIn } from "../api/message.js";
import { plainReply } from "../api/plain-reply.js";
import { readChat } from "../chat/read-chat.js";
import { chooseFault } from "../fault/choose-fault.js";
import { errorFault } from "../fault/error-fault.js";
import { faultySending } from "../fault/faulty-sending.js";
import { hugePiece, hugeReply } from "../fault/huge.js";
import { readResponses } from "../responses/read-responses.js";
import { jsonSending, send } from "./send.js";

/** Finds out how a request is answered, and notes it in its record. Throws an ApiError. */
export async function answer(record: OpenRecord, state: ModelState): Promise<FaultySending> {
  const body = readObject(record.body);
  const request = record.api === "chat" ? readChat(body) : readResponses(body, state.threads);
  record.step = stepsIn(request.messages);
  const key = requestFingerprint(record.api, body);
  const attemptKey = state.attemptKey?.({ headers: record.headers, body }) ?? key;
  record.attempt = state.attempts.begin(attemptKey);
  const { api, step, attempt } = record;
  const { model, messages, format } = request;
  const chosen = await state.replies({ api, model, messages, body, step, attempt }, format);
  if (chosen.conversation !== undefined) record.conversation = chosen.conversation;
  const served = (): void => state.attempts.served(attemptKey);
  if ("error" in chosen) {
    served();
    throw chosen.error;
  }
  const fault = chooseFault(chosen.reply, attempt);
  if (fault !== undefined) record.fault = fault.type;
  const error = fault && errorFault(fault);
  if (error !== undefined) throw error;
  const reply = plainReply(chosen.reply);
  const rendered = request.render({
    seed: fingerprint(key, reply),
    ...(fault?.type === "huge"
      ? { reply: hugeReply(reply, fault), chunkSize: hugePiece }
      : { reply, chunkSize: state.chunkSize }),
  });
  const proper = properSending({ request, rendered, served });
  if (fault !== undefined) return faultySending(fault, proper);
  return { status: proper.status, deliver: (response) => send(response, proper) };
}

function properSending({
  request,
  rendered,
  served,
}: {
  readonly request: ApiRequest;
  readonly rendered: RenderedReply;
  readonly served: () => void;
}): Sending {
  const beforeEnd = (): void => {
    served();
    rendered.remember?.();
  };
  if (!request.stream) return { ...jsonSending(200, rendered.body), beforeEnd };
  return {
    status: 200,
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
    },
    body: rendered.events(),
    beforeEnd,
  };
}

function readObject(body: JsonValue): JsonObject {
  if (!isObject(body))
    throw new ApiError("the body is not a JSON object", { status: 400, code: "invalid_json" });
  if (isTooDeep(body))
    throw new ApiError("the body is nested more than 200 levels deep", {
      status: 400,
      code: "invalid_json",
    });
  return body;
}
