import type { Problem } from "./problem.js";
import { formatProblems } from "./problem.js";

const marker = Symbol.for("turnwise.error");

/** Who is to blame for a result that is not a pass. */
export const blames = [
  "agent",
  "infrastructure",
  "author",
  "mock",
  "simulator",
  "validator",
  "detector",
  "generator",
] as const;
/** Who is to blame for a result that is not a pass. Only `agent` says something about the agent under test. */
export type Blame = (typeof blames)[number];

/**
 * Base of every error Turnwise throws. `code` is stable; `blame` says whose fault it is.
 * Use {@link TurnwiseError.isInstance} instead of `instanceof`: it also knows errors of another copy of the package.
 */
export class TurnwiseError extends Error {
  readonly code: string;
  readonly blame: Blame;

  constructor(message: string, options: { code: string; blame: Blame; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = options.code;
    this.blame = options.blame;
    Object.defineProperty(this, marker, { value: lineage(new.target) });
  }

  /** True for errors of this class and its subclasses, whichever copy of the package made them. */
  static isInstance<T extends TurnwiseError>(
    this: abstract new (...args: never[]) => T,
    value: unknown,
  ): value is T {
    if (typeof value !== "object" || value === null || !(marker in value)) return false;
    const names: unknown = value[marker];
    return Array.isArray(names) && names.includes(this.name);
  }
}

/** Names of a class and those it extends. */
function lineage(type: { readonly name: string }): string[] {
  const names: string[] = [];
  for (let one = type; one.name !== "Error"; one = Object.getPrototypeOf(one) as typeof one)
    names.push(one.name);
  return names;
}

/** The agent under test failed: thrown by adapters and agents. The case is `failed`, blame `agent`. */
export class AgentError extends TurnwiseError {
  /** What the agent wrote beside its replies before it failed, such as its stderr. */
  readonly log?: string;

  constructor(message: string, { log, ...options }: { cause?: unknown; log?: string } = {}) {
    super(message, { code: "agent_error", blame: "agent", ...options });
    if (log !== undefined) this.log = log;
  }
}

/** The agent could not be reached (network, credentials, overload). The case is `error`, blame `infrastructure`. */
export class InfrastructureError extends TurnwiseError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, { code: "infrastructure_error", blame: "infrastructure", ...options });
  }
}

/** The test or its configuration is wrong. The case is `error`, blame `author`. */
export class AuthorError extends TurnwiseError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, { code: "author_error", blame: "author", ...options });
  }
}

/**
 * Thrown by an assertion that is made of others: one of them, whose row is given, could not be judged, so neither can
 * the whole.
 */
export class UnjudgedError extends TurnwiseError {
  constructor(row: { readonly reason: string; readonly blame?: Blame | undefined }) {
    super(row.reason, { code: "unjudged", blame: row.blame ?? "author" });
  }
}

/**
 * A tool without a mock was called. `request.resolveTool` throws it, so that the agent can run its own tool; where the
 * case does not let unmocked calls pass, the case is `error`, blame `mock`, whatever the agent does.
 */
export class ToolNotMockedError extends TurnwiseError {
  readonly toolName: string;

  constructor(toolName: string, args?: unknown) {
    const call = `${toolName}(${args === undefined ? "" : shortJson(args)})`;
    super(
      `the tool "${toolName}" has no mock in this test case, and was called: ${call}; add "mocks": {"tools": {${JSON.stringify(toolName)}: {"returns": "..."}}}, or "unmocked": "passthrough" beside "tools"`,
      { code: "tool_not_mocked", blame: "mock" },
    );
    this.toolName = toolName;
  }
}

function shortJson(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** A raw case given to `runCase` or `runSuite` is not valid. `problems` lists everything that is wrong with it. */
export class InvalidCaseError extends TurnwiseError {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(`invalid test case\n${formatProblems(problems)}`, {
      code: "invalid_case",
      blame: "author",
    });
    this.problems = problems;
  }
}

/** The project cannot be loaded. `problems` lists everything that is wrong with its config and plugins. */
export class InvalidProjectError extends TurnwiseError {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(`invalid project\n${formatProblems(problems)}`, {
      code: "invalid_project",
      blame: "author",
    });
    this.problems = problems;
  }
}

/** An input file is not what it was when the run began. Results so far are kept. */
export class SuiteChangedError extends TurnwiseError {
  readonly file: string;

  constructor(file: string, reason: string) {
    super(`${file} changed while the run was going on (${reason}); run again`, {
      code: "suite_changed",
      blame: "author",
    });
    this.file = file;
  }
}

/** The text of whatever was thrown and of what caused it, never empty. Never throws. */
export function errorMessage(thrown: unknown): string {
  try {
    if (thrown instanceof Error) {
      const message = thrown.message || thrown.name;
      const cause =
        thrown.cause instanceof Error && thrown.cause !== thrown
          ? errorMessage(thrown.cause).split("\n")[0]!
          : "";
      return cause === "" || message.includes(cause) ? message : `${message}: ${cause}`;
    }
    if (typeof thrown === "string" && thrown !== "") return thrown;
    return JSON.stringify(thrown) ?? String(thrown);
  } catch {
    return "a value that cannot be shown";
  }
}

/** Codes of Node and its fetch for a host that cannot be reached. */
const networkCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_SOCKET",
]);

/** True if what was thrown, or what caused it, is a connection that could not be made or broke. */
export function isNetworkError(thrown: unknown): boolean {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; depth++) {
    if (networkCodes.has(String((error as { code?: unknown }).code))) return true;
    error = error.cause;
  }
  return false;
}

/** Where in the code of a project an error was thrown: `agents/desk.ts:12`. Undefined if its stack does not tell. */
export function errorPlace(thrown: unknown, root: string): string | undefined {
  for (const line of stackOf(thrown).split("\n")) {
    const frame = /(?:\(|at |^\s+)(?:file:\/\/)?(\/[^():]+|[A-Za-z]:[^():]+):(\d+):\d+\)?\s*$/.exec(
      line,
    );
    if (frame === null) continue;
    const [, file = "", row = ""] = frame;
    if (file.startsWith(`${root}/`) && !file.includes("/node_modules/"))
      return `${file.slice(root.length + 1)}:${row}`;
  }
  return undefined;
}

/** Stacks are made when they are read, by code that may fail over a hostile error. */
function stackOf(thrown: unknown): string {
  try {
    return thrown instanceof Error && typeof thrown.stack === "string" ? thrown.stack : "";
  } catch {
    return "";
  }
}
