import type { TurnwiseError } from "@turnwise/core";

/** A request that came to nothing: what to report, and whether it may be sent again. */
export class FailedRequest extends Error {
  constructor(
    readonly reported: TurnwiseError,
    /** Set if it may be sent again. */
    readonly retry?: {
      /** Milliseconds that the server asked to wait. */
      readonly after?: number | undefined;
    },
  ) {
    super(reported.message, { cause: reported });
  }
}
