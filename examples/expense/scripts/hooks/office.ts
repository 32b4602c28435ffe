import type { ScriptHook } from "turnwise";

/** Where something would be set up for a case: a record in a database, a user. */
export const open: ScriptHook = ({ case: { id } }) => {
  if (id === "") throw new Error("a case without an id");
};

/** And where it would be cleaned up. What the case came to is known by now. */
export const close: ScriptHook = ({ result }) => {
  if (result === undefined) throw new Error("the result is missing");
};
