import { resolve } from "node:path";
import type { AdapterEnvironment, AgentObject, AgentReply, AgentRequest } from "@turnwise/core";
import { AgentError } from "@turnwise/core";
import { excerpt } from "../../wire/excerpt.js";
import { SessionIds } from "../../wire/session-ids.js";
import { fromWire } from "../../wire/from-wire.js";
import { toWire } from "../../wire/to-wire.js";
import type { CommandOptions } from "./options.js";
import { Program } from "./program.js";

export class CommandAgent implements AgentObject {
  /** One program a conversation: it can keep in its variables what it knows. */
  private readonly programs = new Map<string, Program>();
  private readonly sessions = new SessionIds();

  constructor(
    private readonly options: CommandOptions,
    private readonly environment: AdapterEnvironment,
  ) {}

  async respond(request: AgentRequest): Promise<AgentReply> {
    const { sessionId, signal } = request;
    const program = this.programOf(sessionId);
    const line = JSON.stringify(
      toWire(request, {
        history: this.options.history ?? "all",
        sessionId: this.sessions.of(sessionId),
      }),
    );
    const answer = this.parse(await program.ask(line, signal), program);
    const { reply, sessionId: issued } = fromWire(answer);
    if (issued !== undefined) this.sessions.issued(sessionId, issued);
    return { ...(typeof reply === "string" ? { content: reply } : reply), ...program.takeLog() };
  }

  async close(sessionId: string): Promise<void> {
    const program = this.programs.get(sessionId);
    this.programs.delete(sessionId);
    this.sessions.end(sessionId);
    await program?.close();
  }

  private programOf(sessionId: string): Program {
    let program = this.programs.get(sessionId);
    if (program === undefined) {
      const { projectRoot, env, mask } = this.environment;
      const { command: words, cwd = ".", env: more } = this.options;
      program = new Program(words, {
        cwd: resolve(projectRoot, cwd),
        env: { ...env, ...more },
        mask,
      });
      this.programs.set(sessionId, program);
    }
    return program;
  }

  private parse(line: string, program: Program): unknown {
    try {
      return JSON.parse(line.replace(/^\uFEFF/, "")) as unknown;
    } catch {
      throw new AgentError(
        `expected one line of JSON from the program for each line it reads, got: ${excerpt(line, 200, this.environment.mask)}; what is for people goes to stderr`,
        program.takeLog(),
      );
    }
  }
}
