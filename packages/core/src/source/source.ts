import type { CaseOrigin } from "../case/test-case.js";
import type { SuiteInput } from "../contract/event.js";
import type { RoleUsage } from "../contract/result.js";
import type { Problem } from "../problem.js";

/** A raw case and where it stands, or what is wrong at that place. */
export type SourceItem =
  | { readonly raw: unknown; readonly origin: CaseOrigin }
  | { readonly problem: Problem };

/** Something that cases come from. It can be read more than once. */
export interface Source {
  readonly kind: SuiteInput["kind"];
  /** As it was given. */
  readonly name: string;
  read(): AsyncIterable<SourceItem>;
  /** Identifies the contents between two readings; undefined where they cannot change. */
  fingerprint?(): string;
  /** What it has spent on generating cases so far. */
  usage?(): RoleUsage;
}
