import type { ServerResponse } from "node:http";
import type { FakeFaultSettings } from "../script/schema.js";
import type { Sending } from "../server/send.js";
import { jsonSending, send, wait } from "../server/send.js";
import { inPieces } from "./huge.js";

/** What is sent for a fault: its status, 0 if nothing is sent, and how. */
export interface FaultySending {
  readonly status: number;
  readonly deliver: (response: ServerResponse) => Promise<void>;
}

/** Turns the proper answer into what a fault makes of it. Faults that are errors do not come here. */
export function faultySending(fault: FakeFaultSettings, proper: Sending): FaultySending {
  const sent = (sending: Sending): FaultySending => ({
    status: sending.status,
    deliver: (response) => send(response, sending),
  });
  switch (fault.type) {
    case "reset":
      return {
        status: 0,
        async deliver(response) {
          response.socket?.resetAndDestroy();
        },
      };
    case "hang":
      // Until the client or close() ends it: nothing of this server waits for it.
      return { status: 0, async deliver() {} };
    case "cut":
      return { status: proper.status, deliver: (response) => sendHalf(response, proper) };
    case "slow":
      return {
        status: proper.status,
        async deliver(response) {
          if (await wait(fault.delay ?? 100, response)) await send(response, proper);
        },
      };
    case "garbage":
      return sent(plain("text/html", "<html><body>Please come back later.</body></html>"));
    case "empty":
      return sent(plain("application/json", ""));
    case "wrong_shape":
      return sent(jsonSending(200, { object: "something_else", result: [] }));
    case "huge":
      return sent({ ...proper, body: inPieces(proper.body) });
    default:
      return sent(proper);
  }
}

function plain(type: string, text: string): Sending {
  return {
    status: 200,
    headers: { "content-type": type, "content-length": String(Buffer.byteLength(text)) },
    body: text === "" ? [] : [text],
  };
}

/** Sends the first half of the body, waits until the system has taken it, and drops the connection. */
async function sendHalf(response: ServerResponse, proper: Sending): Promise<void> {
  if (response.destroyed) return;
  const whole = Buffer.concat([...proper.body].map((text) => Buffer.from(text)));
  response.writeHead(proper.status, proper.headers);
  response.write(whole.subarray(0, Math.ceil(whole.length / 2)), () => response.destroy());
}
