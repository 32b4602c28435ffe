import type { ServerResponse } from "node:http";

/** An answer on its way. */
export interface Sending {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Iterable<string>;
  /**
   * Called before the last piece, unless the client has gone: when it has the whole answer, it may already ask for what
   * this keeps.
   */
  readonly beforeEnd?: () => void;
}

/** Sends an answer as fast as the client reads it. Ends early, without an error, when the client goes away. */
export async function send(
  response: ServerResponse,
  { status, headers, body, beforeEnd }: Sending,
): Promise<void> {
  if (response.destroyed) return;
  response.writeHead(status, headers);
  let last = "";
  for (const piece of body) {
    if (last !== "" && !response.write(last)) await drained(response);
    if (response.destroyed) return;
    last = piece;
  }
  beforeEnd?.();
  response.end(last);
}

/** The parts of an answer that is JSON. */
export function jsonSending(
  status: number,
  value: unknown,
): Omit<Sending, "beforeEnd"> & { readonly headers: Readonly<Record<string, string>> } {
  const text = JSON.stringify(value);
  return {
    status,
    headers: {
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(text)),
    },
    body: [text],
  };
}

/** Waits; false if the client went away meanwhile. Leaves neither timer nor listener. */
export function wait(milliseconds: number, response: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => {
    if (response.destroyed) return resolve(false);
    const finish = (stayed: boolean): void => {
      clearTimeout(timer);
      response.off("close", gone);
      resolve(stayed);
    };
    const gone = (): void => finish(false);
    const timer = setTimeout(() => finish(true), milliseconds);
    response.on("close", gone);
  });
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) return resolve();
    const finish = (): void => {
      response.off("drain", finish);
      response.off("close", finish);
      resolve();
    };
    response.on("drain", finish);
    response.on("close", finish);
  });
}
