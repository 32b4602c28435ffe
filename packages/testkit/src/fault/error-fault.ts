import type { FakeFaultSettings } from "../script/schema.js";
import { ApiError } from "../api/api-error.js";

/** The error that a fault is answered with; undefined if it is a fault of another kind. */
export function errorFault(fault: FakeFaultSettings): ApiError | undefined {
  switch (fault.type) {
    case "rate_limit":
      return new ApiError("rate limit reached (a fault of the script)", {
        status: 429,
        type: "requests",
        code: "rate_limit_exceeded",
        headers: retryAfter(fault.retry_after === undefined ? 0 : fault.retry_after),
      });
    case "server_error":
      return new ApiError("the server had an error (a fault of the script)", {
        status: fault.status ?? 500,
        type: "server_error",
      });
    case "unauthorized":
      return new ApiError("the API key is not valid (a fault of the script)", {
        status: 401,
        code: "invalid_api_key",
      });
    case "bad_request":
      return new ApiError("the request is not valid (a fault of the script)", { status: 400 });
    case "not_found":
      return new ApiError("there is no such model (a fault of the script)", {
        status: 404,
        code: "model_not_found",
      });
    case "overloaded":
      return new ApiError("the server is overloaded (a fault of the script)", {
        status: 503,
        type: "server_error",
        code: "overloaded",
        headers: retryAfter(fault.retry_after ?? null),
      });
    default:
      return undefined;
  }
}

function retryAfter(value: string | number | null): Readonly<Record<string, string>> {
  return value === null ? {} : { "retry-after": String(value) };
}
