import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { ApiError } from "../api/api-error.js";

/** Longest body that is taken, in bytes. */
const longestBody = 64 * 1024 * 1024;

/**
 * The text of a body, or undefined if the client went away before its end. What is too long is read to its end all the
 * same, so that the client gets to see the error.
 */
export async function readBody(request: IncomingMessage): Promise<string | ApiError | undefined> {
  let chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > longestBody) chunks = [];
      else chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  if (length > longestBody)
    return new ApiError(`the body has ${length} bytes: expected at most ${longestBody}`, {
      status: 413,
      code: "request_too_large",
    });
  const bytes = Buffer.concat(chunks);
  return isUtf8(bytes)
    ? bytes.toString("utf8")
    : new ApiError("the body is not UTF-8: expected JSON", { status: 400, code: "invalid_json" });
}
