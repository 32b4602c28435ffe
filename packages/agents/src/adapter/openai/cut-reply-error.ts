import { InfrastructureError } from "@turnwise/core";

/** A stream that ended before the reply was complete: the same request may have more luck. */
export class CutReplyError extends InfrastructureError {}
