import { ReplyTooLargeError } from "./http-client.js";

/** Codes of a host that cannot be reached: nothing was sent. */
const unreachable = new Set([
  "EAI_AGAIN",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "ETIMEDOUT",
]);
/** Codes of a connection that broke after something was sent. */
const broken = new Set(["ECONNRESET", "EPIPE", "ERR_STREAM_PREMATURE_CLOSE"]);

/** What kind of trouble with the network an error stands for. */
export type NetworkTrouble = "refused" | "unreachable" | "broken" | "too-large" | "certificate";

/** What kind of trouble with the network was thrown, if any; it may be the cause of something else. */
export function networkTrouble(thrown: unknown): NetworkTrouble | undefined {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 6; depth++) {
    const code = String((error as { code?: unknown }).code);
    if (code === "ECONNREFUSED") return "refused";
    if (unreachable.has(code)) return "unreachable";
    if (error instanceof ReplyTooLargeError) return "too-large";
    if (/CERT|SSL|TLS|EPROTO|UNABLE_TO_/.test(code)) return "certificate";
    if (broken.has(code) || code.startsWith("HPE_")) return "broken";
    // The cause of "fetch failed" when a host has several addresses is a list of errors.
    if (error instanceof AggregateError) error = error.errors[0] as unknown;
    else ({ cause: error } = error as { cause?: unknown });
  }
  return undefined;
}
