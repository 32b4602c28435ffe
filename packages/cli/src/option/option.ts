import type { ConfigDefaults } from "@turnwise/core";

/** An option of a command. The table of options is the source of flags, help, docs and types. */
export interface OptionDefinition<Value = unknown> {
  /** As commander takes them: `-i, --input <source>`. */
  readonly flags: string;
  readonly description: string;
  /** May be given several times; the value is a list. */
  readonly repeatable?: boolean;
  readonly choices?: readonly string[];
  /**
   * Turns the text into the value.
   * @throws RangeError saying what was expected.
   */
  readonly parse?: (text: string) => Value;
  /** What holds when neither the command line nor the config says anything, for the help. */
  readonly fallback?: string;
  /** Options that make no sense beside it, by their names in the table. */
  readonly conflicts?: readonly string[];
  /** The default in the config that this option overrules. */
  readonly config?: keyof ConfigDefaults;
}

// oxlint-disable-next-line typescript/no-explicit-any -- each entry has its own value
type Table = Readonly<Record<string, OptionDefinition<any>>>;

/** Defines the options of a command, keeping the type of each. */
export function defineOptions<const T extends Table>(table: T): T {
  return table;
}

type ValueOf<Definition> = Definition extends { choices: readonly (infer Choice)[] }
  ? Choice
  : Definition extends { parse: (text: string) => infer Value }
    ? Value
    : Definition extends { flags: `${string}<${string}` }
      ? string
      : boolean;

/** The values that a table of options gives. */
export type OptionValues<T extends Table> = {
  readonly [Key in keyof T]?: T[Key] extends { repeatable: true }
    ? readonly ValueOf<T[Key]>[]
    : ValueOf<T[Key]>;
};
