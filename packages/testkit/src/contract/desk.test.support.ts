import type { AgentObject, AgentReply, AgentRequest, PendingRequest } from "@turnwise/core";
import { AuthorError, InfrastructureError } from "@turnwise/core";
import type { AdapterContractOptions } from "../index.js";

/** An agent that keeps the contract. Those that break it in one point extend it. */
export class Desk implements AgentObject {
  protected readonly secrets = new Map<string, string>();
  protected readonly open = new Map<string, PendingRequest>();
  private ids = 0;

  respond(request: AgentRequest): string | AgentReply | Promise<string | AgentReply> {
    this.begin(request);
    if (request.answer !== undefined) return this.answered(request, request.answer);
    if (request.input === undefined) return this.called(request);
    return this.said(request, typeof request.input === "string" ? request.input : "");
  }

  protected begin({ signal }: AgentRequest): void {
    signal.throwIfAborted();
  }

  close(sessionId: string): void {
    this.secrets.delete(sessionId);
    this.open.delete(sessionId);
  }

  release(): void | Promise<void> {}

  /** Where a secret is kept. */
  protected placeOf({ sessionId }: AgentRequest): string {
    return sessionId;
  }

  protected newId(kind: string): string {
    return `${kind}-${++this.ids}`;
  }

  protected said(
    request: AgentRequest,
    input: string,
  ): string | AgentReply | Promise<string | AgentReply> {
    const secret = /^remember (.+)$/.exec(input)?.[1];
    if (secret !== undefined) {
      this.secrets.set(this.placeOf(request), secret);
      return this.reply(request, "Noted.");
    }
    switch (input) {
      case "what was it?":
        return this.reply(
          request,
          `It was ${this.secrets.get(this.placeOf(request)) ?? "nothing"}.`,
        );
      case "delete it":
        return this.ask(request);
      case "weather":
        return {
          content: "",
          toolCalls: [{ id: this.newId("call"), name: "get_weather", arguments: {} }],
          finishReason: "tool_calls",
        };
      case "wait":
        return this.wait(request);
      case "break":
        throw new InfrastructureError("the desk is closed");
      default:
        return this.reply(request, "Hello!");
    }
  }

  protected ask(request: AgentRequest): AgentReply {
    const { sessionId } = request;
    this.open.set(sessionId, {
      id: this.newId("request"),
      kind: "approval",
      prompt: "May I delete it?",
    });
    return this.reply(request, "");
  }

  protected answered(
    request: AgentRequest,
    answer: NonNullable<AgentRequest["answer"]>,
  ): AgentReply {
    const { sessionId } = request;
    if (this.open.get(sessionId)?.id !== answer.requestId)
      throw new AuthorError(`the request ${answer.requestId} is not open`);
    this.open.delete(sessionId);
    return this.reply(request, "approve" in answer && answer.approve ? "Deleted." : "Kept.");
  }

  protected called(request: AgentRequest): AgentReply {
    const [result] = request.toolResults ?? [];
    const text =
      result?.error === undefined ? `It is ${JSON.stringify(result?.result)}.` : "I cannot tell.";
    return this.reply(request, text);
  }

  protected wait({ signal }: AgentRequest): Promise<string> {
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(new Error("cancelled")), { once: true });
    });
  }

  protected reply({ sessionId }: AgentRequest, content: string): AgentReply {
    const request = this.open.get(sessionId);
    return { content, ...(request === undefined ? {} : { pending: [request] }) };
  }
}

/** What to say to a desk. */
export const deskOptions = {
  says: { input: "hi", reply: "Hello" },
  remembers: { tell: (secret) => `remember ${secret}`, ask: "what was it?" },
  forgets: true,
  asks: { input: "delete it", answer: { approve: true }, reply: /^Deleted\.$/ },
  calls: { input: "weather", tool: "get_weather", result: "sunny", reply: "sunny" },
  hangs: { input: "wait" },
  fails: { input: "break", blame: "infrastructure" },
} satisfies Omit<AdapterContractOptions, "agent">;
