/** An answer that is an error in the shape of the API. */
export class ApiError extends Error {
  readonly status: number;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    message: string,
    facts: {
      readonly status: number;
      readonly type?: string;
      readonly param?: string | null;
      readonly code?: string | null;
      readonly headers?: Readonly<Record<string, string>>;
    },
  ) {
    super(message);
    this.name = "ApiError";
    this.status = facts.status;
    this.type = facts.type ?? "invalid_request_error";
    this.param = facts.param ?? null;
    this.code = facts.code ?? null;
    this.headers = facts.headers ?? {};
  }

  /** The body of the answer. */
  toBody() {
    const { message, type, param, code } = this;
    return { error: { message, type, param, code } };
  }
}

/** A field that has a value which the API does not take. */
export function invalid(param: string, message: string): ApiError {
  return new ApiError(message, { status: 400, param, code: "invalid_value" });
}

/** A field that has to be there, and is not. */
export function missing(param: string, expected: string): ApiError {
  return new ApiError(`${param} is missing: expected ${expected}`, {
    status: 400,
    param,
    code: "missing_required_parameter",
  });
}

/** Something that the API has, and this server does not: the client is not to blame. */
export function unsupported(param: string, what: string = param): ApiError {
  return new ApiError(`${what} is not supported by this server`, {
    status: 400,
    param,
    code: "unsupported_parameter",
  });
}
