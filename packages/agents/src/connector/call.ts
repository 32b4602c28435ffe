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
  const { limits, name } = endpoint;
  const retries = limits?.maxRetries ?? defaultRetries;
  let requests = 0;
  let waitingFor: string | undefined;
  let failed: FailedRequest | undefined;
  const attempt = async (): Promise<T> => {
    const queue = await queueOf(endpoint);
    if (queue === undefined) {
      requests++;
      return send();
    }
    waitingFor ??= `a free place of ${name}, which takes ${describe(limits)}`;
    return queue.add(
      () => {
        waitingFor = undefined;
        requests++;
        return send();
      },
      { signal },
    );
  };
  const { default: pRetry } = await import("p-retry");
  try {
    return await pRetry(attempt, {
      retries,
      minTimeout: firstWait,
      randomize: true,
      signal,
      shouldRetry: ({ error }) => mayRetry(error),
      async onFailedAttempt({ error, retriesLeft }) {
        if (!(error instanceof FailedRequest)) return;
        failed = error;
        if (retriesLeft === 0 || !mayRetry(error)) return;
        waitingFor = "the next try";
        await setTimeout(error.retry?.after ?? 0, undefined, { signal });
      },
    });
  } catch (error) {
    if (signal.aborted && waitingFor !== undefined)
      throw new InfrastructureError(
        failed === undefined
          ? `time ran out while waiting for ${waitingFor}`
          : `${errorMessage(failed.reported)} (${counted(requests)}; time ran out while waiting for ${waitingFor})`,
        { cause: error },
      );
    if (!(error instanceof FailedRequest)) throw error;
    throw finalError(error, requests);
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
