import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { AgentRequest, Message, Role } from "@turnwise/core";
import { AuthorError, errorMessage, inputText, isRoleRequest, roles } from "@turnwise/core";
import { builtInPrompt } from "../prompts.js";
import { renderPrompt } from "./render-prompt.js";

/** A prompt of the project in place of the built-in one. */
export interface OwnPrompt {
  readonly role: Role;
  /** From the project root. */
  readonly path: string;
}

/** The role that a request is for, if it is for one. */
export function roleOf(request: AgentRequest): Role | undefined {
  if (!isRoleRequest(request)) return undefined;
  return roles.find((role) => role === request.options.metadata["test_mode"]);
}

/** What a model must be told to play a role: it sees no metadata, and takes every message for a part of the talk. */
export class Briefing {
  /** What a judge was asked first, by session, and how many messages that stood for. */
  private readonly asked = new Map<string, { readonly input: string; readonly length: number }>();
  private own: Promise<string> | undefined;

  constructor(
    private readonly root: string,
    private readonly prompt?: OwnPrompt,
  ) {}

  /**
   * The system prompt of the role, and the request with the messages that belong behind it.
   * @throws AuthorError if the prompt of the project cannot be read or rendered.
   */
  async of(
    role: Role,
    request: AgentRequest,
  ): Promise<{ readonly system: string; readonly request: AgentRequest }> {
    let system: string;
    try {
      system = await renderPrompt(role, await this.templateOf(role), request.options.metadata);
    } catch (error) {
      throw new AuthorError(`the prompt of the ${role} cannot be used: ${errorMessage(error)}`, {
        cause: error,
      });
    }
    const messages = role === "validator" ? this.evidence(request) : request.messages;
    return { system, request: { ...request, messages } };
  }

  /** The conversation is over. */
  forget(sessionId: string): void {
    this.asked.delete(sessionId);
  }

  private templateOf(role: Role): Promise<string> {
    if (this.prompt?.role !== role) return builtInPrompt(role);
    return (this.own ??= readFile(resolve(this.root, this.prompt.path), "utf8"));
  }

  /** A judge would go on with a talk that it is given as one. It gets the whole of it as a single message instead. */
  private evidence({ sessionId, input, messages }: AgentRequest): readonly Message[] {
    const first = this.asked.get(sessionId) ?? { input: inputText(input), length: messages.length };
    this.asked.set(sessionId, first);
    return [{ role: "user", content: first.input }, ...messages.slice(first.length)];
  }
}
