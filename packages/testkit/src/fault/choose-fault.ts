import type { FakeFaultSettings, FakeReply } from "../script/schema.js";

/** The fault that happens to this attempt (1-based); undefined when all of them are over. */
export function chooseFault(reply: FakeReply, attempt: number): FakeFaultSettings | undefined {
  let left = attempt;
  for (const given of (typeof reply === "string" ? undefined : reply.faults) ?? []) {
    const fault: FakeFaultSettings = typeof given === "string" ? { type: given } : given;
    const times = fault.times ?? 1;
    if (times === "always" || left <= times) return fault;
    left -= times;
  }
  return undefined;
}
