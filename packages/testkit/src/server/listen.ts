import type { AddressInfo, Socket } from "node:net";
import type { RequestListener, Server } from "node:http";
import { createServer } from "node:http";
import { InfrastructureError, errorMessage } from "@turnwise/core";

/** A server that listens. */
export interface Listening {
  readonly url: string;
  readonly sockets: ReadonlySet<Socket>;
  /** Destroys all sockets and ends the server. */
  readonly close: () => Promise<void>;
}

/** How long an idle connection is kept, in milliseconds: longer than clients do, so that none runs into its end. */
const keepAlive = 120_000;

/**
 * Starts an HTTP server.
 * @throws InfrastructureError if it cannot listen there, for example because the port is in use.
 */
export async function listen({
  handle,
  host,
  port,
}: {
  readonly handle: RequestListener;
  readonly host: string;
  readonly port: number;
}): Promise<Listening> {
  const sockets = new Set<Socket>();
  const server = createServer({ keepAliveTimeout: keepAlive }, handle);
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await started({ server, host, port });
  const { address, port: used, family } = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  return {
    url: `http://${reachable(address, family)}:${used}`,
    sockets,
    close: () => (closing ??= end(server, sockets)),
  };
}

/** The server is over a moment before its sockets are: waits for both. */
async function end(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const over = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  const gone = [...sockets].map(
    (socket) =>
      new Promise<void>((resolve) => {
        socket.once("close", () => resolve());
        socket.destroy();
      }),
  );
  await Promise.all([over, ...gone]);
}

function started({
  server,
  host,
  port,
}: {
  readonly server: Server;
  readonly host: string;
  readonly port: number;
}): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error & { readonly code?: string }): void =>
      reject(
        new InfrastructureError(
          error.code === "EADDRINUSE"
            ? `port ${port} of ${host} is in use; choose another one, or 0 for a free one`
            : `the fake model cannot listen on ${host}:${port}: ${errorMessage(error)}`,
          { cause: error },
        ),
      );
    server.once("error", fail);
    server.listen(port, host, () => {
      server.off("error", fail);
      resolve();
    });
  });
}

/** An address to which a client on this machine can connect. */
function reachable(address: string, family: string): string {
  if (address === "0.0.0.0" || address === "::") return "127.0.0.1";
  return family === "IPv6" ? `[${address}]` : address;
}
