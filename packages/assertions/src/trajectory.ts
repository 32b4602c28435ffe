import { z } from "zod";

/*
 * The contract of the `tool_calls` assertion, which is not there yet: a case that uses it is refused.
 */

/** How the calls that were made are compared with those that were expected. */
export const matchModes = ["strict", "unordered", "contains", "ordered", "within"] as const;

/** How the arguments of one call are compared. */
export const argMatchModes = ["ignore", "partial", "exact"] as const;

/** The fields of a `tool_calls` assertion. */
export const trajectorySchema = z.strictObject({
  matchMode: z.enum(matchModes),
  expected: z.array(
    z.strictObject({
      name: z.string().min(1),
      args: z.unknown().optional(),
      argMatchMode: z.enum(argMatchModes).optional(),
    }),
  ),
  forbidden: z.array(z.string().min(1)).optional(),
});
/** The fields of a `tool_calls` assertion. */
export type Trajectory = z.infer<typeof trajectorySchema>;

/** What comparing two trajectories found. Indexes are those of the expected or the actual calls. */
export interface TrajectoryMatch {
  readonly passed: boolean;
  /** Expected calls that were not made. */
  readonly missing: readonly number[];
  /** Calls that were made and not expected. */
  readonly extra: readonly number[];
  readonly outOfOrder: readonly number[];
  readonly wrongArguments: readonly { readonly expected: number; readonly actual: number }[];
  /** Calls of tools that must not be called. */
  readonly forbidden: readonly number[];
}
