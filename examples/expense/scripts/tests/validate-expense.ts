import type { ScriptAssertionInput } from "turnwise";

interface Limits {
  readonly min_amount?: number;
  readonly max_amount?: number;
}

/** The amount of the expense lies between the limits of the metadata. */
export default function validateExpense({ state, metadata }: ScriptAssertionInput) {
  const { expense } = state as { readonly expense: { readonly amount?: number } };
  const { min_amount = 0, max_amount = Number.POSITIVE_INFINITY } = metadata as Limits;
  const { amount } = expense;
  return {
    passed: amount !== undefined && amount >= min_amount && amount <= max_amount,
    message: `the amount is ${amount}; expected ${min_amount} to ${max_amount}`,
  };
}
