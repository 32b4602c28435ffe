import type { CaseResult, RunSummary, ToolCallRow, TurnResult } from "./result.js";

/** Where the cases of a run come from. */
export interface SuiteInput {
  readonly kind: "file" | "message" | "cases" | "generated";
  /** As it was given: a path, the message, or what the harness calls its cases. */
  readonly name: string;
  readonly cases: number;
}

interface InCase {
  readonly id: string;
  readonly trial: number;
  readonly attempt: number;
}
interface InTurn extends InCase {
  readonly turn: number;
}

/** What happens during a run, in order for each case. Every value is JSON, secrets are masked. */
export type RunEvent =
  | {
      readonly type: "run-start";
      readonly run_id: string;
      readonly started_at: string;
      /** The target, if it is the same for all cases. */
      readonly agent?: string;
      readonly inputs: readonly SuiteInput[];
      /** Cases to run. */
      readonly total: number;
      readonly parallel: number;
    }
  | {
      readonly type: "case-start";
      readonly id: string;
      readonly trial: number;
      readonly attempt: number;
      readonly name?: string;
      readonly agent?: string;
    }
  | ({
      readonly type: "turn-start";
      readonly input?: unknown;
      /** The answer to a request of the agent, instead of an input. */
      readonly answer?: unknown;
      readonly input_source: string;
    } & InTurn)
  | ({ readonly type: "agent-call-start" } & InTurn)
  | ({
      readonly type: "agent-call-end";
      readonly duration_ms: number;
      readonly error?: string;
    } & InTurn)
  | ({ readonly type: "tool-call"; readonly call: ToolCallRow } & InTurn)
  | ({ readonly type: "role-call-start"; readonly role: string } & InCase & {
        readonly turn?: number;
      })
  | ({
      readonly type: "role-call-end";
      readonly role: string;
      readonly duration_ms: number;
      readonly error?: string;
    } & InCase & { readonly turn?: number })
  | ({ readonly type: "turn-end"; readonly result: TurnResult } & InTurn)
  | ({ readonly type: "case-end"; readonly result: CaseResult } & InCase)
  | { readonly type: "run-end"; readonly run_id: string; readonly summary: RunSummary };
