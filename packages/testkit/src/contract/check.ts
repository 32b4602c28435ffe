import type { Bench } from "./bench.js";
import type { AdapterContractOptions, OptionalPart } from "./options.js";

/** A check that is not yet bound to an agent. */
export interface Check {
  readonly name: string;
  /** The options without which it is left out. */
  readonly needs: readonly OptionalPart[];
  readonly run: (bench: Bench) => Promise<void>;
}

/** Checks that every agent can be put to, by name. */
export function always(checks: Readonly<Record<string, Check["run"]>>): Check[] {
  return Object.entries(checks).map(([name, run]) => ({ name, needs: [], run }));
}

/** Checks that need an option, by name. They get it as well. */
export function given<Part extends OptionalPart>(
  part: Part,
  checks: Readonly<
    Record<
      string,
      (bench: Bench, given: NonNullable<AdapterContractOptions[Part]>) => Promise<void>
    >
  >,
): Check[] {
  return Object.entries(checks).map(([name, run]) => ({
    name,
    needs: [part],
    run: (bench) => run(bench, bench.options[part]!),
  }));
}

/** Checks that are left out without one more option. */
export function onlyWith(part: OptionalPart, checks: readonly Check[]): Check[] {
  return checks.map((check) => ({ ...check, needs: [...check.needs, part] }));
}

/** The options that a check needs and does not have. */
export function lacking({ needs }: Check, options: AdapterContractOptions): OptionalPart[] {
  return needs.filter((part) => options[part] === undefined || options[part] === false);
}
