import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { expect, onTestFinished, test, vi } from "vitest";
import { send, wait } from "./send.js";

/** A response whose client reads nothing. */
class Stuck extends EventEmitter {
  destroyed = false;
  readonly written: string[] = [];
  writeHead(): void {}
  write(text: string): boolean {
    this.written.push(text);
    return false;
  }
  end(text: string): void {
    this.written.push(text, "END");
  }
  hangUp(): void {
    this.destroyed = true;
    this.emit("close");
  }
  get listening(): number {
    return this.listenerCount("close") + this.listenerCount("drain");
  }
}
const asResponse = (stuck: Stuck): ServerResponse => stuck as unknown as ServerResponse;

test("waiting leaves neither timer nor listener, whoever ends it", async () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const stuck = new Stuck();
  const late = wait(5_000, asResponse(stuck));
  vi.advanceTimersByTime(5_000);
  expect([await late, vi.getTimerCount(), stuck.listening]).toEqual([true, 0, 0]);
  const left = wait(5_000, asResponse(stuck));
  expect([vi.getTimerCount(), stuck.listening]).toEqual([1, 1]);
  stuck.hangUp();
  expect([await left, vi.getTimerCount(), stuck.listening]).toEqual([false, 0, 0]);
  expect(await wait(5_000, asResponse(stuck))).toBe(false);
});

test("no more is made than the client reads, and nothing once it has gone", async () => {
  const stuck = new Stuck();
  let made = 0;
  function* body(): Generator<string> {
    for (;;) yield String(++made);
  }
  const beforeEnd = vi.fn();
  const sent = send(asResponse(stuck), { status: 200, headers: {}, body: body(), beforeEnd });
  expect(stuck.written).toEqual(["1"]);
  stuck.emit("drain");
  await Promise.resolve();
  expect([stuck.written, made]).toEqual([["1", "2"], 3]);
  stuck.hangUp();
  await sent;
  expect([stuck.written, stuck.listening]).toEqual([["1", "2"], 0]);
  expect(beforeEnd).not.toHaveBeenCalled();
});

test("what a reply leaves is kept before the client can have all of it", async () => {
  const stuck = new Stuck();
  const sent = send(asResponse(stuck), {
    status: 200,
    headers: {},
    body: ["1", "2"],
    beforeEnd: () => stuck.written.push("KEPT"),
  });
  stuck.emit("drain");
  await sent;
  expect(stuck.written).toEqual(["1", "KEPT", "2", "END"]);
});
