import { createHash } from "node:crypto";
import type { JsonObject } from "./read-field.js";

/** A short hash of JSON: ids are made of it, so that the same request gets the same ones. */
export function fingerprint(...values: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(values)).digest("hex").slice(0, 24);
}

/** The hash of a request. Whether it is streamed does not change what is asked. */
export function requestFingerprint(api: string, body: JsonObject): string {
  const { stream: _, stream_options: _options, ...rest } = body;
  return fingerprint(api, rest);
}
