import type { NormalReply, ToolCall } from "../contract/agent.js";
import type { JsonValue } from "../json.js";
import type { ToolMocks } from "./tool-mocks.js";
import { isOpen } from "../awaiting/tool-calls.js";
import { AgentError, ToolNotMockedError, TurnwiseError } from "../errors.js";
import { deepEqual, jsonCopy } from "../json.js";
import { Deadline } from "./deadline.js";
import { withToolCalls } from "./normalise-reply.js";

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** The calls that an agent in this process makes through `resolveTool` while it works on one reply. */
export class ResolvedCalls {
  readonly calls: Writable<ToolCall>[] = [];
  /** Why the case cannot be judged, whatever the agent makes of it. */
  refusal: TurnwiseError | undefined;
  private over = false;
  private readonly running = new Map<Promise<unknown>, string>();
  /** Ends with the reply: no mock goes on after it. Made for the first call. */
  private own: Deadline | undefined;

  constructor(
    private readonly mocks: ToolMocks,
    private readonly place: { readonly turn: number; readonly calls: number },
    private readonly deadline: Deadline,
  ) {}

  /** The function that the agent gets. */
  readonly resolve = (name: string, args: JsonValue = {}): Promise<JsonValue> => {
    const answer = this.answer(name, args);
    this.running.set(answer, name);
    // An agent that does not wait for it has not failed for that.
    answer.catch(() => undefined).finally(() => this.running.delete(answer));
    return answer;
  };

  /** The tool whose mock is still at work, if there is one. */
  get unfinished(): string | undefined {
    const [name] = this.running.values();
    return name;
  }

  /** Waits for calls that the agent did not wait for: they belong to the turn. */
  async finished(): Promise<void> {
    this.over = true;
    if (this.running.size > 0)
      await this.deadline.race(() => Promise.allSettled(this.running.keys()));
  }

  private async answer(name: string, args: JsonValue): Promise<JsonValue> {
    if (this.over)
      throw new AgentError(`resolveTool(${JSON.stringify(name)}) was called after the reply`);
    const { mocks, place } = this;
    const given = jsonCopy(args) ?? {};
    if (!mocks.has(name)) {
      const refused = new ToolNotMockedError(name, given);
      // The agent may run its own tool now, and will report that itself.
      if (mocks.passthrough) throw refused;
      this.record(name, given);
      this.refusal ??= refused;
      throw refused;
    }
    const call = this.record(name, given);
    let outcome: Awaited<ReturnType<ToolMocks["answer"]>>;
    try {
      this.own ??= new Deadline("turn", this.deadline.remaining, this.deadline);
      outcome = await mocks.answer({ name, arguments: given }, place.turn, this.own);
    } catch (error) {
      if (TurnwiseError.isInstance(error)) this.refusal ??= error;
      throw error;
    }
    Object.assign(call, structuredClone(outcome));
    if ("error" in outcome) throw new Error(outcome.error);
    return outcome.result;
  }

  private record(name: string, args: JsonValue): Writable<ToolCall> {
    const { turn, calls } = this.place;
    const id = `resolved-${turn}-${calls + this.calls.length + 1}`;
    const call: Writable<ToolCall> = { id, name, arguments: args };
    this.calls.push(call);
    return call;
  }

  /** The reply with these calls: those that it reports as well stand where it has them, the others in front. */
  merge(reply: NormalReply): NormalReply {
    if (this.calls.length === 0) return reply;
    const left = [...this.calls];
    const reported = reply.toolCalls.map((call) => {
      const index = left.findIndex(
        (other) => other.name === call.name && deepEqual(other.arguments, call.arguments),
      );
      if (index === -1) return call;
      const [same] = left.splice(index, 1);
      const { id: _, ...known } = same!;
      return isOpen(call) ? { ...call, ...known } : call;
    });
    return withToolCalls(reply, [...left, ...reported]);
  }

  /** The agent has replied or failed: what it calls now is too late, and what it has called is not wanted any more. */
  end(): void {
    this.over = true;
    this.own?.dispose();
    this.own?.stop();
  }
}
