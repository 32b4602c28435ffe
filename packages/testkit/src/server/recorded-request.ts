import type { JsonValue } from "@turnwise/core";

/** A POST to one of the two APIs, as it came and as it was answered. */
export interface RecordedRequest {
  readonly api: "chat" | "responses";
  readonly headers: Readonly<Record<string, string>>;
  /** The body; its text if it is not JSON. */
  readonly body: JsonValue;
  /** The `id` of the conversation of the script that matched. */
  readonly conversation?: string;
  /** Steps that the assistant had made already; 0 if the request was not valid. */
  readonly step: number;
  /** 1-based number of the attempt at this very request, as `attemptKey` tells it. */
  readonly attempt: number;
  /** Name of the fault that happened to it. */
  readonly fault?: string;
  /** HTTP status of the answer; 0 if there was none. */
  readonly status: number;
}

/** A record that is still being filled in. */
export type OpenRecord = { -readonly [Field in keyof RecordedRequest]: RecordedRequest[Field] };
