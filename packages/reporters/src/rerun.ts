import type { CaseResult, SuiteInput } from "@turnwise/core";
import { plainText } from "@turnwise/core";

/**
 * The command that runs this case alone once more. Undefined for what cannot be had again: a case that was generated, came
 * through a pipe, or was made by a harness.
 */
export function rerunCommand(
  { id, file }: CaseResult,
  inputs: readonly SuiteInput[],
  /** Arguments of the run beside its inputs. */
  args: readonly string[],
): string | undefined {
  const message =
    inputs.length === 1 && inputs[0]!.kind === "message" ? inputs[0]!.name : undefined;
  const input = file ?? message;
  if (input === undefined || input === "standard input") return undefined;
  const only = message === undefined ? ["--grep", `^${escaped(id)}$`] : [];
  return ["npx", "turnwise", "test", "-i", input, ...only, ...args].map(quoted).join(" ");
}

/** The id as a pattern in RE2 syntax that fits nothing else. */
function escaped(id: string): string {
  return id.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

/** An argument that a shell takes as it is. */
function quoted(argument: string): string {
  const text = plainText(argument);
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
