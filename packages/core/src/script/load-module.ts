import { relative } from "node:path";
import { pathToFileURL } from "node:url";
import type { createJiti } from "jiti";
import { within } from "../conversation/deadline.js";
import { TurnwiseError, errorMessage, errorPlace } from "../errors.js";

/** A module that could not be loaded. The message names the file and the reason. */
export class LoadError extends TurnwiseError {
  constructor(file: string, reason: string) {
    super(`cannot load ${file}: ${reason}`, { code: "cannot_load", blame: "author" });
  }
}

/** Loads modules of a project. */
export interface ModuleLoader {
  /**
   * Loads a TypeScript or JavaScript module and returns its namespace. A module is evaluated once.
   * @throws LoadError if it cannot be read, parsed or evaluated within 30 seconds.
   */
  load(file: string): Promise<Readonly<Record<string, unknown>>>;
  /**
   * The address of the file that `import` of a package name means in the project.
   * @throws an error of Node if there is no such package.
   */
  resolve(name: string): Promise<string>;
}

/** A top-level `await` that never ends would hold up everything, without a word. */
const loadTimeout = 30_000;

/** A loader for the modules of the project in `root`. `alias` maps package names to the copies that are running. */
export function createModuleLoader(
  root: string,
  alias: Readonly<Record<string, string>> = {},
): ModuleLoader {
  let jiti: Promise<ReturnType<typeof createJiti>> | undefined;
  // Loaded on use: most runs of a harness never need it.
  const loaded = (): NonNullable<typeof jiti> =>
    (jiti ??= import("jiti").then(({ createJiti }) =>
      createJiti(`${root}/`, { alias: { ...alias }, interopDefault: false }),
    ));
  return {
    async resolve(name) {
      return (await loaded()).esmResolve(name, pathToFileURL(`${root}/`).href);
    },
    async load(file) {
      const loader = await loaded();
      try {
        return await within("hook", loadTimeout, () =>
          loader.import<Record<string, unknown>>(file),
        );
      } catch (error) {
        throw new LoadError(relative(root, file), reasonOf(error, root));
      }
    },
  };
}

/** Loads one TypeScript or JavaScript module. */
export async function loadModule(file: string): Promise<Readonly<Record<string, unknown>>> {
  return createModuleLoader(process.cwd()).load(file);
}

function reasonOf(error: unknown, root: string): string {
  // A syntax error names its place on the second line, everything else in its stack.
  const [first = "", second = ""] = errorMessage(error).split("\n");
  const position = /:(\d+):(\d+)\s*$/.exec(second);
  const place =
    position === null ? errorPlace(error, root) : `line ${position[1]}, column ${position[2]}`;
  const reason = first.replace(/^(ParseError: )?\s*/, "").trim();
  return `${reason}${place === undefined ? "" : ` (${place})`}`;
}
