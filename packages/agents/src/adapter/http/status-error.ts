import type { IncomingHttpHeaders } from "node:http";
import { STATUS_CODES } from "node:http";
import { AgentError, InfrastructureError, errorMessage } from "@turnwise/core";
import type { Mask } from "../../wire/excerpt.js";
import { excerpt } from "../../wire/excerpt.js";
import { FailedRequest } from "../../connector/failed-request.js";
import { networkTrouble } from "../../connector/network-error.js";
import { readRetryAfter } from "../../connector/retry-after.js";

/** What was asked: `POST http://127.0.0.1:8080/chat`. */
export interface Asked {
  readonly method: string | undefined;
  readonly url: URL;
}

/** The failure that an answer with an error status is: whose it is, and whether the request may be sent again. */
export function statusFailure(
  asked: Asked,
  answer: {
    readonly status: number;
    readonly headers: IncomingHttpHeaders;
    readonly text: string;
  },
  { retryUnsafe, mask }: { readonly retryUnsafe: boolean; readonly mask: Mask },
): FailedRequest {
  const { status, headers } = answer;
  const reason = STATUS_CODES[status];
  const where = headers.location === undefined ? "" : ` to ${headers.location}`;
  const text = excerpt(answer.text, 300, mask);
  const said = text === "" ? "" : `: ${text}`;
  const message = `${describe(asked)} answered ${status}${reason === undefined ? "" : ` ${reason}`}${where}${said}`;
  const ours = status === 401 || status === 403 || status === 429;
  const error = ours ? new InfrastructureError(message) : new AgentError(message);
  const after = readRetryAfter(headers["retry-after"]);
  // With these the server says that it has done nothing with the request.
  if (status === 429 || (status === 503 && after !== undefined))
    return new FailedRequest(error, { after });
  const unsafe = retryUnsafe && (status === 408 || status >= 500);
  return new FailedRequest(error, unsafe ? { after } : undefined);
}

/**
 * The failure that a thrown error of the network is.
 * @throws the error itself, if it is none.
 */
export function networkFailure(asked: Asked, thrown: unknown, retryUnsafe: boolean): FailedRequest {
  const trouble = networkTrouble(thrown);
  const cause = { cause: thrown };
  switch (trouble) {
    case "refused":
      return new FailedRequest(
        new InfrastructureError(
          `${describe(asked)}: the connection was refused; is the agent running?`,
        ),
        {},
      );
    case "unreachable":
    case "certificate":
      return new FailedRequest(
        new InfrastructureError(
          `${describe(asked)} cannot be reached: ${errorMessage(thrown).trim()}`,
        ),
      );
    case "too-large":
      return new FailedRequest(
        new AgentError(`${describe(asked)} answered more than the 10 MB that are taken`),
      );
    case "broken":
      return new FailedRequest(
        new AgentError(
          `${describe(asked)}: the connection broke before the reply was complete`,
          cause,
        ),
        retryUnsafe ? {} : undefined,
      );
    case undefined:
      throw thrown;
  }
}

function describe({ method = "POST", url }: Asked): string {
  // Who may log in is nobody's business.
  return `${method} ${url.origin}${url.pathname}${url.search}`;
}
