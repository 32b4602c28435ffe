import type { MissingInputPolicy } from "../contract/config.js";
import type { RawAssertion } from "../contract/assertion.js";
import type { RawCase, RawMessage, RawTurn } from "./schema.js";

/** Options as a case gives them. */
export type CaseOptions = NonNullable<RawCase["options"]>;

/** A turn of the script after normalising: durations in milliseconds, assertions a list. */
export interface TestTurn {
  readonly input?: NonNullable<RawTurn["input"]>;
  readonly answer?: NonNullable<RawTurn["answer"]>;
  readonly assertions: readonly RawAssertion[];
  readonly options?: CaseOptions;
  readonly attachments?: NonNullable<RawTurn["attachments"]>;
  /** Milliseconds. */
  readonly timeout?: number;
}

/**
 * A test case after normalising. It is plain data in the case format itself: written as JSON and read again, it gives
 * the same case. Executor and reporters see nothing else.
 */
export interface TestCase {
  readonly id: string;
  readonly agent?: string;
  readonly name?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly skip?: boolean | string;
  readonly only?: boolean;
  readonly type: "single_turn" | "multi_turn";
  /** The messages before the first turn. */
  readonly input?: readonly RawMessage[];
  /** Empty only when a simulator or a human opens. */
  readonly turns: readonly TestTurn[];
  /** Of the first turn, when a simulator or a human opens. */
  readonly assertions?: readonly RawAssertion[];
  readonly options?: CaseOptions;
  readonly simulator?: NonNullable<RawCase["simulator"]>;
  readonly max_turns?: number;
  readonly on_max_turns?: "fail" | "end";
  /** `timeout` in milliseconds. */
  readonly interactive?: { readonly enabled?: boolean; readonly timeout?: number };
  readonly on_missing_input?: MissingInputPolicy;
  readonly on_turn_failure?: "continue" | "stop";
  readonly stop_when_complete?: boolean;
  readonly final_assertions?: readonly RawAssertion[];
  readonly checkpoints?: readonly {
    readonly id: string;
    readonly assertions: readonly RawAssertion[];
    readonly after?: readonly string[];
    readonly required?: boolean;
  }[];
  readonly invariants?: readonly RawAssertion[];
  readonly mocks?: NonNullable<RawCase["mocks"]>;
  readonly attachments?: NonNullable<RawCase["attachments"]>;
  readonly before?: readonly string[];
  readonly after?: readonly string[];
  /** Milliseconds. */
  readonly timeout?: number;
  /** Milliseconds. */
  readonly turn_timeout?: number;
  readonly retries?: number;
  readonly repeat?: number;
  readonly detection?: NonNullable<RawCase["detection"]>;
}

/** Where a case was read from. */
export interface CaseOrigin {
  readonly file?: string;
  /** 1-based. */
  readonly line?: number;
  /** 1-based position in its source, where lines do not tell. */
  readonly index?: number;
  /** True for what was parsed from text, and so is JSON. */
  readonly parsed?: boolean;
  /** True if the text has escapes such as \ud83d: only they can put half a character into JSON. */
  readonly escapes?: boolean;
  /** Folder of the file, where relative paths of the case begin. */
  readonly folder?: string;
  /** The case as the file holds it, for problems that are found after normalising. */
  readonly raw?: Readonly<Record<string, unknown>>;
  /** Finds the line of a path inside the case, in files where a case spans several lines. */
  readonly locate?: (path: readonly (string | number)[]) => Promise<number | undefined>;
}

const origins = new WeakMap<TestCase, CaseOrigin>();

/** Marks a case as normalised and remembers where it came from. */
export function withOrigin(testCase: TestCase, origin: CaseOrigin): TestCase {
  origins.set(testCase, origin);
  return testCase;
}

/** Where a normalised case came from; undefined for anything that did not go through normalising. */
export function originOf(value: object): CaseOrigin | undefined {
  return origins.get(value as TestCase);
}
