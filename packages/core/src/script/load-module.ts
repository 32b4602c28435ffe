import { relative } from "node:path";
import type { createJiti } from "jiti";
import { TurnwiseError, errorMessage } from "../errors.js";

/** A module that could not be loaded. The message names the file and the reason. */
export class LoadError extends TurnwiseError {
  constructor(file: string, cause: unknown) {
    super(`cannot load ${file}: ${reasonOf(cause)}`, {
      code: "cannot_load",
      blame: "author",
      cause,
    });
  }
}

/** Loads modules of a project. */
export interface ModuleLoader {
  /**
   * Loads a TypeScript or JavaScript module and returns its namespace. A module is evaluated once.
   * @throws LoadError if it cannot be read, parsed or evaluated.
   */
  load(file: string): Promise<Readonly<Record<string, unknown>>>;
}

/** A loader for the modules of the project in `root`. `alias` maps package names to the copies that are running. */
export function createModuleLoader(
  root: string,
  alias: Readonly<Record<string, string>> = {},
): ModuleLoader {
  let jiti: Promise<ReturnType<typeof createJiti>> | undefined;
  return {
    async load(file) {
      // Loaded on use: most runs of a harness never need it.
      jiti ??= import("jiti").then(({ createJiti }) =>
        createJiti(`${root}/`, { alias: { ...alias }, interopDefault: false }),
      );
      try {
        return await (await jiti).import<Record<string, unknown>>(file);
      } catch (error) {
        throw new LoadError(relative(root, file), error);
      }
    },
  };
}

/** Loads one TypeScript or JavaScript module. */
export async function loadModule(file: string): Promise<Readonly<Record<string, unknown>>> {
  return createModuleLoader(process.cwd()).load(file);
}

function reasonOf(cause: unknown): string {
  // jiti's syntax errors carry a code frame below the first line.
  return errorMessage(cause)
    .split("\n")[0]!
    .replace(/^ParseError: \s*/, "");
}
