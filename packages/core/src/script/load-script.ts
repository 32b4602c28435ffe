import type { Project } from "../project/project.js";
import type { ResolvedReference } from "../project/resolved-reference.js";
import { AuthorError } from "../errors.js";
import { own } from "../json.js";
import { formatReference } from "../project/reference.js";
import { didYouMean } from "../suggest.js";

type Script = Extract<ResolvedReference, { kind: "scripts" }>;

/** Why an export cannot be called. */
export function noFunction(exportName: string, names: readonly string[]): string {
  return names.includes(exportName)
    ? `cannot be called: its export "${exportName}" is not a function`
    : `has no export "${exportName}"${didYouMean(exportName, names)}`;
}

/**
 * The function that a reference to a script names. Its module is evaluated once.
 * @throws LoadError if the module cannot be loaded, AuthorError if it exports no such function.
 */
export async function loadScript(
  project: Pick<Project, "load">,
  script: Script,
): Promise<(...given: unknown[]) => unknown> {
  const module = await project.load(script.file);
  const exported = own(module, script.exportName);
  if (typeof exported === "function") return exported as (...given: unknown[]) => unknown;
  const name = formatReference({ ...script, parameters: {} });
  throw new AuthorError(`${name} ${noFunction(script.exportName, Object.keys(module))}`);
}
