import type { Dispatcher } from "undici";

/** Longest reply taken, in bytes. */
export const longestReply = 10 * 1024 * 1024;

/** Connections that are kept for the next request, until the run is over. */
export class Pool {
  private current: Promise<Dispatcher> | undefined;

  /** What sends the requests. Made on first use, and again after `release`. */
  dispatcher(): Promise<Dispatcher> {
    this.current ??= import("undici").then(
      ({ Agent }) =>
        // How long may be waited is for the deadlines of the run to say.
        new Agent({ headersTimeout: 0, bodyTimeout: 0, maxResponseSize: longestReply }),
    );
    return this.current;
  }

  /** Closes the connections. Requests under way are answered first. */
  async release(): Promise<void> {
    const { current } = this;
    this.current = undefined;
    await (await current)?.close();
  }
}
