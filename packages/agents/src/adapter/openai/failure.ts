import {
  AgentError,
  AuthorError,
  InfrastructureError,
  TurnwiseError,
  isObject,
} from "@turnwise/core";
import { FailedRequest } from "../../connector/failed-request.js";
import type { Mask } from "../../wire/excerpt.js";
import { excerpt } from "../../wire/excerpt.js";
import { networkTrouble } from "../../connector/network-error.js";
import { readRetryAfter } from "../../connector/retry-after.js";
import { CutReplyError } from "./cut-reply-error.js";
import type { ModelEndpoint } from "./endpoint.js";
import { openAiAddress } from "./endpoint.js";

/**
 * The failure that an error of the SDK is: 429, 408, 5xx and broken connections may be tried again, since asking a model
 * twice changes nothing. 400, 404 and the like are a mistake in the test.
 */
export function modelFailure(
  thrown: unknown,
  { name, baseURL }: ModelEndpoint,
  mask: Mask,
): FailedRequest {
  const where = `${name} (${withoutUser(baseURL ?? openAiAddress)})`;
  const short = (text: string): string => excerpt(text, 300, mask);
  if (TurnwiseError.isInstance(thrown)) {
    if (!InfrastructureError.isInstance(thrown)) return new FailedRequest(thrown);
    return new FailedRequest(
      new InfrastructureError(`${where}: ${short(thrown.message)}`),
      CutReplyError.isInstance(thrown) ? {} : undefined,
    );
  }
  const status = isObject(thrown) ? thrown["status"] : undefined;
  if (thrown instanceof Error && typeof status === "number") {
    const message = `${where} answered ${short(thrown.message)}`;
    const again = status === 429 || status === 408 || status >= 500;
    const error =
      again || status === 401 || status === 403
        ? new InfrastructureError(message)
        : new AuthorError(message);
    return new FailedRequest(error, again ? { after: retryAfterOf(thrown) } : undefined);
  }
  const cause = { cause: innermost(thrown) };
  switch (networkTrouble(thrown)) {
    case "too-large":
      return new FailedRequest(
        new AgentError(`${where} answered more than the 10 MB that are taken`),
      );
    case "unreachable":
    case "certificate":
      return new FailedRequest(new InfrastructureError(`${where} cannot be reached`, cause));
    case "refused":
      return new FailedRequest(new InfrastructureError(`${where}: the connection was refused`), {});
    case "broken":
      return new FailedRequest(
        new InfrastructureError(`${where}: the connection broke`, cause),
        {},
      );
    case undefined:
      return new FailedRequest(
        new InfrastructureError(`${where} gave no usable answer: ${short(String(thrown))}`),
      );
  }
}

function retryAfterOf(error: unknown): number | undefined {
  const headers = isObject(error) ? error["headers"] : undefined;
  return headers instanceof Headers || isHeaders(headers)
    ? readRetryAfter(headers.get("retry-after"))
    : undefined;
}

/** Headers of another implementation of fetch. */
function isHeaders(value: unknown): value is { get(name: string): string | null } {
  return isObject(value) && typeof value["get"] === "function";
}

function innermost(thrown: unknown): unknown {
  let error = thrown;
  while (error instanceof Error && error.cause instanceof Error) error = error.cause;
  return error;
}

/** Who may log in is nobody's business. */
function withoutUser(address: string): string {
  return address.replace(/\/\/[^/?#]*@/, "//");
}
