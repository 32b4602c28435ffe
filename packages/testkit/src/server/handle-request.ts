import type { IncomingMessage, ServerResponse } from "node:http";
import type { JsonValue } from "@turnwise/core";
import { errorMessage } from "@turnwise/core";
import type { FaultySending } from "../fault/faulty-sending.js";
import type { ModelState } from "./model-state.js";
import type { OpenRecord } from "./recorded-request.js";
import { ApiError } from "../api/api-error.js";
import { created } from "../api/api.js";
import { answer } from "./answer.js";
import { readBody } from "./read-body.js";
import { jsonSending, send } from "./send.js";

const apis: Readonly<Record<string, OpenRecord["api"]>> = {
  "/chat/completions": "chat",
  "/responses": "responses",
};

/** Answers one request. */
export async function handleRequest({
  request,
  response,
  state,
}: {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly state: ModelState;
}): Promise<void> {
  // The same request gets the same bytes.
  response.sendDate = false;
  const method = request.method ?? "";
  const path = (request.url ?? "").replace(/[?#].*$/s, "");
  const place = path.replace(/^\/v1(?=\/)/, "");
  const api = method === "POST" && Object.hasOwn(apis, place) ? apis[place] : undefined;
  if (api !== undefined) return handlePost({ request, response, state, api });
  request.resume();
  if (method === "GET" && path === "/health")
    return send(response, jsonSending(200, { status: "ok" }));
  const refused = refusal(request, state);
  if (refused !== undefined) return send(response, errorSending(refused));
  if (method === "GET" && place === "/models") return send(response, jsonSending(200, models));
  const error = new ApiError(`there is no ${method} ${path}`, { status: 404, code: "not_found" });
  return send(response, errorSending(error));
}

const models = {
  object: "list",
  data: [{ id: "fake-model", object: "model", created, owned_by: "turnwise-testkit" }],
};

async function handlePost({
  request,
  response,
  state,
  api,
}: {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly state: ModelState;
  readonly api: OpenRecord["api"];
}): Promise<void> {
  const body = await readBody(request);
  if (body === undefined) return;
  const text = body instanceof ApiError ? "" : body;
  const parsed = parse(text);
  const record: OpenRecord = {
    api,
    headers: plainHeaders(request),
    body: "value" in parsed ? parsed.value : text,
    step: 0,
    attempt: 1,
    status: 0,
  };
  state.arrived(record);
  const error =
    refusal(request, state) ??
    (body instanceof ApiError ? body : "error" in parsed ? parsed.error : undefined);
  const sending = error === undefined ? await tryAnswer(record, state) : failed(error);
  // The client may have gone while the reply was made: nothing is sent then.
  record.status = response.destroyed ? 0 : sending.status;
  state.answered(record);
  await sending.deliver(response);
}

async function tryAnswer(record: OpenRecord, state: ModelState): Promise<FaultySending> {
  try {
    return await answer(record, state);
  } catch (error) {
    if (error instanceof ApiError) return failed(error);
    const message = `the fake model broke: ${errorMessage(error)}`;
    return failed(new ApiError(message, { status: 500, type: "server_error" }));
  }
}

function failed(error: ApiError): FaultySending {
  return { status: error.status, deliver: (response) => send(response, errorSending(error)) };
}

function errorSending(error: ApiError) {
  const sending = jsonSending(error.status, error.toBody());
  return { ...sending, headers: { ...sending.headers, ...error.headers } };
}

/** Why a request is not let in; undefined if it is. */
function refusal(request: IncomingMessage, { apiKey }: ModelState): ApiError | undefined {
  if (apiKey === undefined) return undefined;
  const { authorization } = request.headers;
  if (authorization === `Bearer ${apiKey}`) return undefined;
  const message =
    authorization === undefined
      ? "there is no API key: expected the header Authorization: Bearer KEY"
      : "the API key is not the one that this server was started with";
  return new ApiError(message, { status: 401, code: "invalid_api_key" });
}

function parse(text: string): { readonly value: JsonValue } | { readonly error: ApiError } {
  try {
    return { value: JSON.parse(text) as JsonValue };
  } catch (error) {
    const message = `the body is not JSON: ${errorMessage(error)}`;
    return { error: new ApiError(message, { status: 400, code: "invalid_json" }) };
  }
}

function plainHeaders({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
}
