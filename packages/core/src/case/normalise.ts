import type { RawAssertion } from "../contract/assertion.js";
import type { Problem, ProblemCode } from "../problem.js";
import type { RawCase, RawMessage, RawTurn } from "./schema.js";
import type { CaseOrigin, TestCase, TestTurn } from "./test-case.js";
import { parseDuration } from "../duration.js";
import { deepEqual, deepestNesting, isObject, isTooDeep, jsonTypeOf, mergeDeep } from "../json.js";
import { findNotJson, hasLoneSurrogate } from "./plain-data.js";
import { placed } from "./place.js";
import { check } from "./schema-problems.js";
import { caseSchema } from "./schema.js";
import { originOf, withOrigin } from "./test-case.js";

type Path = readonly (string | number)[];

/** A normalised case, or why there is none. Warnings come with either. */
export type Normalised =
  | { readonly testCase: TestCase; readonly problems: readonly Problem[] }
  | { readonly testCase?: undefined; readonly problems: readonly Problem[] };

/**
 * Turns a case as it stands in a file into a `TestCase`: aliases resolved, the input made the first turn, durations in
 * milliseconds. A case that is normalised already is returned as it is.
 */
export function normaliseCase(raw: unknown, origin: CaseOrigin = {}): Normalised {
  if (isObject(raw) && originOf(raw) !== undefined)
    return { testCase: raw as unknown as TestCase, problems: [] };
  const problems: Problem[] = [];
  const caseId = isObject(raw) && typeof raw["id"] === "string" ? raw["id"] : undefined;
  const report = (problem: Problem): void => {
    problems.push(placed(problem, origin, caseId));
  };
  if (!isObject(raw)) {
    report({
      code: "invalid_value",
      severity: "error",
      message: `expected a test case (an object with an "id"), got ${jsonTypeOf(raw)}`,
      ...(Array.isArray(raw) ? { hint: "A file that holds an array of cases is .json." } : {}),
    });
    return { problems };
  }
  const foreign = origin.parsed === true ? undefined : findNotJson(raw);
  if (foreign !== undefined) {
    report({
      code: "invalid_value",
      severity: "error",
      path: foreign.path,
      message: `a case is plain data, as JSON could hold it; this is ${foreign.what}`,
    });
    return { problems };
  }
  if (origin.escapes === true && hasLoneSurrogate(raw)) {
    const path = findNotJson(raw)?.path;
    report({
      code: "invalid_encoding",
      severity: "error",
      ...(path === undefined ? {} : { path }),
      message: "this text holds half a character (a lone surrogate), which cannot be sent",
    });
    return { problems };
  }
  if (isTooDeep(raw)) {
    report({
      code: "invalid_value",
      severity: "error",
      message: `expected at most ${deepestNesting} levels of nesting in a case, got more`,
    });
    return { problems };
  }
  const checked = check(caseSchema, raw);
  if ("problems" in checked) {
    for (const problem of checked.problems) report({ ...problem, ...hintOf(problem) });
    return { problems };
  }
  const testCase = new Normaliser(checked.value, report).run();
  if (problems.some((problem) => problem.severity === "error")) return { problems };
  return { testCase: withOrigin(testCase, { ...origin, raw }), problems };
}

/** A field that stands at the wrong level. */
function hintOf({ code, path = [] }: Problem): Pick<Problem, "hint"> {
  if (code === "unknown_key" && path[0] === "mocks" && path.length === 2)
    return { hint: 'The mocks of tools stand under "tools": {"mocks": {"tools": {...}}}.' };
  const [where, , field, ...rest] = path;
  const misplaced =
    code === "unknown_key" &&
    where === "turns" &&
    rest.length === 0 &&
    Object.hasOwn(caseSchema.shape, String(field));
  return misplaced ? { hint: `"${field}" is a field of the case, not of a turn.` } : {};
}

class Normaliser {
  constructor(
    private readonly raw: RawCase,
    private readonly report: (problem: Problem) => void,
  ) {}

  run(): TestCase {
    const { raw } = this;
    const { history, turns, opening } = this.withAttachments(this.conversation());
    const simulator = this.simulator();
    const maxTurns = this.maxTurns(simulator, turns.length);
    return defined<TestCase>({
      id: raw.id,
      agent: raw.agent,
      name: raw.name,
      description: raw.description,
      tags: raw.tags,
      skip: raw.skip,
      only: raw.only,
      type: this.type(turns.length),
      input: history.length > 0 ? history : undefined,
      turns,
      // Of the first turn, which a simulator or a human is to write.
      assertions: opening,
      options: raw.options,
      simulator,
      max_turns: maxTurns,
      on_max_turns: raw.on_max_turns,
      interactive:
        raw.interactive === undefined
          ? undefined
          : defined({
              enabled: raw.interactive.enabled,
              timeout: milliseconds(raw.interactive.timeout),
            }),
      on_missing_input: raw.on_missing_input,
      on_turn_failure: raw.on_turn_failure,
      stop_when_complete: raw.stop_when_complete,
      final_assertions: list(raw.final_assertions),
      checkpoints: raw.checkpoints?.map((checkpoint) =>
        defined({
          id: checkpoint.id,
          assertions: list(checkpoint.assertions) ?? [],
          after: checkpoint.after,
          required: checkpoint.required,
        }),
      ),
      invariants: list(raw.invariants),
      mocks: raw.mocks,
      attachments: turns.length === 0 ? raw.attachments : undefined,
      before: references(raw.before),
      after: references(raw.after),
      timeout: milliseconds(raw.timeout),
      turn_timeout: milliseconds(raw.turn_timeout),
      retries: raw.retries,
      repeat: raw.repeat,
      detection: raw.detection,
    });
  }

  private problem(
    code: ProblemCode,
    path: Path,
    message: string,
    hint?: string,
    severity: "error" | "warning" = "error",
  ): void {
    this.report({ code, severity, message, path, ...(hint === undefined ? {} : { hint }) });
  }

  private type(turns: number): "single_turn" | "multi_turn" {
    const { raw } = this;
    if (raw.type === "single_turn" && turns > 1)
      this.problem(
        "conflict",
        ["type"],
        `"single_turn" contradicts the ${turns} turns of this case`,
        'Remove "type", or make it "multi_turn".',
      );
    if (raw.type === "single_turn" && raw.simulator !== undefined)
      this.problem(
        "conflict",
        ["type"],
        '"single_turn" contradicts the simulator, which is to go on',
        'Remove "type", or make it "multi_turn".',
      );
    if (raw.type === "single_turn" && raw.interactive?.enabled === true)
      this.problem(
        "conflict",
        ["type"],
        '"single_turn" contradicts "interactive", where somebody is to go on',
        'Remove "type", or make it "multi_turn".',
      );
    if (raw.type !== undefined) return raw.type;
    const several = [raw.turns, raw.simulator, raw.interactive].some(
      (field) => field !== undefined,
    );
    return several ? "multi_turn" : "single_turn";
  }

  /** `input` becomes the first turn, or the history in front of the first turn. */
  private conversation(): {
    history: readonly RawMessage[];
    turns: readonly TestTurn[];
    opening?: readonly RawAssertion[];
  } {
    const { raw } = this;
    const own = this.assertionsOf(raw, []);
    if (raw.turns !== undefined) {
      for (const field of ["assertions", "assert", "expected"] as const)
        if (raw[field] !== undefined)
          this.problem(
            "conflict",
            [field],
            `"${field}" of a case belongs to "input", and this case has "turns"`,
            'Move it into a turn, or name it "final_assertions" to check the end of the conversation.',
          );
      const turns = raw.turns.map((turn, index) => this.turn(turn, ["turns", index]));
      return { history: this.historyBesideTurns(), turns };
    }
    const { history, input } = this.splitInput();
    if (input === undefined) {
      if (own.length > 0 && raw.simulator === undefined && raw.interactive === undefined)
        this.problem(
          "ignored",
          [raw.assertions === undefined ? "assert" : "assertions"],
          'these assertions belong to "input", and this case has none',
          'Add "input" or "turns".',
        );
      return { history, turns: [], ...(own.length === 0 ? {} : { opening: own }) };
    }
    return {
      history,
      turns: [{ input, assertions: own }],
    };
  }

  /** Attachments of the case belong to turn 1. */
  private withAttachments<T extends { readonly turns: readonly TestTurn[] }>(conversation: T): T {
    const { attachments } = this.raw;
    const [first, ...rest] = conversation.turns;
    if (attachments === undefined || first === undefined) return conversation;
    const all = [...attachments, ...(first.attachments ?? [])];
    return { ...conversation, turns: [{ ...first, attachments: all }, ...rest] };
  }

  private historyBesideTurns(): readonly RawMessage[] {
    const { input } = this.raw;
    if (input === undefined) return [];
    if (isHistory(input)) return input;
    this.problem(
      "conflict",
      ["input"],
      '"input" beside "turns" must be a history (an array of messages)',
      "Make it the first of the turns.",
    );
    return [];
  }

  private splitInput(): { history: readonly RawMessage[]; input?: TestTurn["input"] } {
    const { input } = this.raw;
    if (input === undefined) return { history: [] };
    if (!isHistory(input)) {
      if (typeof input === "string" || Array.isArray(input)) return { history: [], input };
      const message = input;
      if (message.role !== "user") {
        this.problem(
          "invalid_value",
          ["input", "role"],
          `expected a message of the role "user", got "${message.role}"`,
        );
        return { history: [] };
      }
      return { history: [], input: message.content };
    }
    const last = input.at(-1)!;
    if (last.role !== "user") {
      this.problem(
        "invalid_value",
        ["input", input.length - 1, "role"],
        `the last message of a history is what is sent, so its role must be "user", got "${last.role}"`,
        "Add the user's message, or keep the history and give the user's messages as \"turns\".",
      );
      return { history: [] };
    }
    return { history: input.slice(0, -1), input: last.content };
  }

  private turn(raw: RawTurn, path: Path): TestTurn {
    if (raw.input === undefined && raw.answer === undefined)
      this.problem("missing_field", path, 'a turn needs "input" (or "answer")');
    if (raw.input !== undefined && raw.answer !== undefined)
      this.problem("conflict", path, 'a turn has either "input" or "answer"');
    return defined<TestTurn>({
      input: raw.input,
      answer: raw.answer,
      assertions: this.assertionsOf(raw, path),
      options: raw.options,
      attachments: raw.attachments,
      timeout: milliseconds(raw.timeout),
    });
  }

  private assertionsOf(
    raw: Pick<RawTurn, "assertions" | "assert" | "expected">,
    path: Path,
  ): readonly RawAssertion[] {
    if (raw.assertions !== undefined && raw.assert !== undefined)
      this.problem("conflict", [...path, "assert"], '"assert" and "assertions" are the same field');
    const given = list(raw.assertions ?? raw.assert);
    if (raw.expected === undefined) return given ?? [];
    if (given === undefined) return [{ type: "equals", value: raw.expected }];
    this.problem(
      "ignored",
      [...path, "expected"],
      '"expected" has no effect beside assertions',
      'Remove it, or add {"type": "equals", "value": ...} to the assertions.',
      "warning",
    );
    return given;
  }

  /** `metadata` beside `options` means `options.metadata`. */
  private simulator(): TestCase["simulator"] {
    const { simulator } = this.raw;
    if (simulator === undefined || typeof simulator === "string" || !("use" in simulator))
      return simulator;
    const { metadata, ...rest } = simulator;
    if (metadata === undefined) return simulator;
    const own = rest.options?.metadata ?? {};
    for (const key of Object.keys(metadata))
      if (Object.hasOwn(own, key) && !deepEqual(own[key], metadata[key]))
        this.problem(
          "conflict",
          ["simulator", "metadata", key],
          `${JSON.stringify(key)} has another value in options.metadata`,
        );
    return { ...rest, options: { ...rest.options, metadata: mergeDeep(own, metadata) } };
  }

  private maxTurns(simulator: TestCase["simulator"], turns: number): number | undefined {
    const alias =
      isObject(simulator) && "use" in simulator
        ? simulator.options?.metadata?.["max_turns"]
        : undefined;
    if (alias !== undefined && (!Number.isInteger(alias) || (alias as number) < 1))
      this.problem(
        "invalid_value",
        ["simulator", "options", "metadata", "max_turns"],
        `expected a whole number of at least 1, got ${JSON.stringify(alias)}`,
      );
    const own = this.raw.max_turns;
    if (own !== undefined && alias !== undefined && own !== alias)
      this.problem(
        "conflict",
        ["max_turns"],
        `${own} contradicts max_turns ${JSON.stringify(alias)} of the simulator`,
      );
    const value = own ?? (alias as number | undefined);
    if (value !== undefined && value < turns)
      this.problem(
        "conflict",
        ["max_turns"],
        `${value} is fewer than the ${turns} turns of this case`,
        "Raise it or leave it out: turns that are written down are all said.",
      );
    return value;
  }
}

function isHistory(input: NonNullable<RawCase["input"]>): input is RawMessage[] {
  return Array.isArray(input) && input.every((item) => "role" in item);
}

function list(
  assertions: RawAssertion | readonly RawAssertion[] | undefined,
): readonly RawAssertion[] | undefined {
  if (assertions === undefined) return undefined;
  return Array.isArray(assertions) ? assertions : [assertions as RawAssertion];
}

function references(value: string | string[] | undefined): readonly string[] | undefined {
  return typeof value === "string" ? [value] : value;
}

function milliseconds(value: string | number | undefined): number | undefined {
  return value === undefined ? undefined : parseDuration(value);
}

/** The object without its undefined fields. */
function defined<T extends object>(object: { [Key in keyof T]: T[Key] | undefined }): T {
  const result = {} as Record<string, unknown>;
  for (const key of Object.keys(object)) {
    const value = (object as Record<string, unknown>)[key];
    if (value !== undefined) result[key] = value;
  }
  return result as T;
}
