import { InfrastructureError } from "@turnwise/core";

/** A reply that broke off, or failed on the side of the model: the same request may have more luck. */
export class CutReplyError extends InfrastructureError {}
