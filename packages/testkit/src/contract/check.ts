import type { Bench } from "./bench.js";
import type { AdapterContractOptions, OptionalPart } from "./options.js";

/** A check that is not yet bound to an agent. */
export interface Check {
  readonly name: string;
  /** The option without which it is left out. */
  readonly needs?: OptionalPart;
  readonly run: (bench: Bench) => Promise<void>;
}

/** Checks that every agent can be put to, by name. */
export function always(checks: Readonly<Record<string, Check["run"]>>): Check[] {
  return Object.entries(checks).map(([name, run]) => ({ name, run }));
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
    needs: part,
    run: (bench) => run(bench, bench.options[part]!),
  }));
}
