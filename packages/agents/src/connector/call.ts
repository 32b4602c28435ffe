import { setTimeout } from "node:timers/promises";
import type { ConnectorConfig } from "@turnwise/core";
import { InfrastructureError, TurnwiseError, errorMessage, formatDuration } from "@turnwise/core";
import type PQueue from "p-queue";
import { FailedRequest } from "./failed-request.js";

/** Limits, also as schemas give them. */
type Limits = {
  readonly [Key in keyof NonNullable<ConnectorConfig["limits"]>]: number | undefined;
};

/** How often a request is sent again when nothing says so. */
const defaultRetries = 2;

/** The longest wait that a server can ask for. A test that slept longer would only look like a slow agent. */
const longestWait = 60_000;

/** First wait before a request is sent again, in milliseconds. It doubles, and is stretched at random up to twofold. */
const firstWait = 250;

/** What requests are sent to, and how they are held back. */
export interface Endpoint {
  /** Names it in messages: `the connector "main"`. */
  readonly name: string;
  readonly limits: Limits | undefined;
  /** Requests of everything that shares this object are counted together. */
  readonly owner: object;
}

/**
 * Sends a request within the limits of its endpoint, and again where `send` throws a `FailedRequest` that allows it.
 * @throws what the last `FailedRequest` reports, InfrastructureError if time ran out while waiting for a free place or
 * for the next try, and whatever else `send` throws.
 */
export async function call<T>(
  endpoint: Endpoint,
  send: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const attempts = new Attempts(endpoint, send, signal);
  try {
    return await attempts.next();
  } catch (error) {
    // Most requests never get here: what it takes to try again is loaded by then only.
    return attempts.again(error);
  }
}

/** One request, as often as it is sent. */
class Attempts<T> {
  private requests = 0;
  private waitingFor: string | undefined;

  constructor(
    private readonly endpoint: Endpoint,
    private readonly send: () => Promise<T>,
    private readonly signal: AbortSignal,
  ) {}

  /** Sends the request when there is a place for it. */
  next(): Promise<T> {
    const { endpoint, signal } = this;
    const queue = queueOf(endpoint);
    if (queue === undefined) return this.sendNow();
    this.waitingFor = `a free place of ${endpoint.name}, which takes ${describe(endpoint.limits)}`;
    return queue.then((places) => places.add(() => this.sendNow(), { signal }));
  }

  private sendNow(): Promise<T> {
    this.waitingFor = undefined;
    this.requests++;
    return this.send();
  }

  /** Sends the request again, as long as its failures allow it. */
  async again(first: unknown): Promise<T> {
    const { signal } = this;
    const retries = this.endpoint.limits?.maxRetries ?? defaultRetries;
    let failure = first;
    try {
      if (retries === 0 || !mayRetry(first)) throw first;
      const { default: pRetry } = await import("p-retry");
      return await pRetry((attempt) => (attempt === 1 ? Promise.reject(first) : this.next()), {
        retries,
        minTimeout: firstWait,
        randomize: true,
        signal,
        shouldRetry: ({ error }) => mayRetry(error),
        onFailedAttempt: async ({ error, retriesLeft }) => {
          if (error instanceof FailedRequest) failure = error;
          if (retriesLeft === 0 || !mayRetry(error)) return;
          this.waitingFor = "the next try";
          await setTimeout((error as FailedRequest).retry?.after ?? 0, undefined, { signal });
        },
      });
    } catch (error) {
      if (signal.aborted && this.waitingFor !== undefined) throw this.ranOut(failure);
      if (!(error instanceof FailedRequest)) throw error;
      throw finalError(error, this.requests);
    }
  }

  /** Time ran out while nothing was under way: that is not the fault of who was to be asked. */
  private ranOut(failure: unknown): InfrastructureError {
    const reason = `time ran out while waiting for ${this.waitingFor}`;
    return new InfrastructureError(
      failure instanceof FailedRequest
        ? `${errorMessage(failure.reported)} (${counted(this.requests)}; ${reason})`
        : reason,
    );
  }
}

function mayRetry(error: unknown): boolean {
  return (
    error instanceof FailedRequest &&
    error.retry !== undefined &&
    (error.retry.after ?? 0) <= longestWait
  );
}

/** The error with how often was tried, and why not again. */
function finalError({ reported, retry }: FailedRequest, requests: number): TurnwiseError {
  const after = retry?.after ?? 0;
  const notes = [
    ...(requests > 1 ? [counted(requests)] : []),
    ...(after > longestWait ? [`it asks to wait ${formatDuration(Math.round(after))}`] : []),
  ];
  if (notes.length === 0) return reported;
  // The cause goes into the text: behind the note it would read as if it belonged to that.
  return new TurnwiseError(`${errorMessage(reported)} (${notes.join("; ")})`, {
    code: reported.code,
    blame: reported.blame,
  });
}

function counted(requests: number): string {
  return requests === 1 ? "1 request" : `${requests} requests`;
}

function describe(limits: Limits | undefined): string {
  const { concurrency, requestsPerMinute } = limits ?? {};
  return [
    ...(concurrency === undefined ? [] : [`${concurrency} at once`]),
    ...(requestsPerMinute === undefined ? [] : [`${requestsPerMinute} a minute`]),
  ].join(" and ");
}

/** The queues of limited endpoints. An endpoint lives in a project, so two projects do not know of each other. */
const queues = new WeakMap<object, Promise<PQueue>>();

function queueOf({ owner, limits }: Endpoint): Promise<PQueue> | undefined {
  const { concurrency, requestsPerMinute } = limits ?? {};
  if (concurrency === undefined && requestsPerMinute === undefined) return undefined;
  let queue = queues.get(owner);
  if (queue === undefined) {
    queue = import("p-queue").then(
      ({ default: Queue }) =>
        new Queue({
          ...(concurrency === undefined ? {} : { concurrency }),
          // Counted over any minute, not by the clock; and without a timer that outlives the run.
          ...(requestsPerMinute === undefined
            ? {}
            : { intervalCap: requestsPerMinute, interval: 60_000, strict: true }),
        }),
    );
    queues.set(owner, queue);
  }
  return queue;
}
