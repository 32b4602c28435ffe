import type { CaseOrigin } from "../case/test-case.js";
import type { Problem } from "../problem.js";

/** A raw case and where it stands, or what is wrong at that place. */
export type SourceItem =
  | { readonly raw: unknown; readonly origin: CaseOrigin }
  | { readonly problem: Problem };

/** Something that cases come from. It can be read more than once. */
export interface Source {
  readonly kind: "file" | "message" | "cases";
  /** As it was given. */
  readonly name: string;
  read(): AsyncIterable<SourceItem>;
  /** Identifies the contents between two readings; undefined where they cannot change. */
  fingerprint?(): string;
}
