import { existsSync, readdirSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";

const extensions = ["ts", "mts", "js", "mjs"];

/** A module file that an id names, and the export that the rest of the id names. */
export interface ModuleFile {
  readonly file: string;
  /** `default`, or the name of an export. */
  readonly exportName: string;
}

/**
 * Finds the module of a dotted id below a folder: `desk.refund` is `desk/refund.ts`, or else the export `refund` of
 * `desk.ts`. The longest path that exists wins.
 */
export function findModuleFile(folder: string, id: string): ModuleFile | undefined {
  const parts = id.split(".");
  for (const length of [parts.length, parts.length - 1]) {
    if (length === 0) continue;
    const stem = join(folder, ...parts.slice(0, length));
    const file = extensions.map((extension) => `${stem}.${extension}`).find(existsSync);
    if (file !== undefined) return { file, exportName: parts[length] ?? "default" };
  }
  return undefined;
}

/** True for a file, not for a folder and what is not there. */
export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Ids of all module files below a folder, for messages that list what there is. */
export function listModuleIds(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(
      (entry) =>
        entry.isFile() &&
        /\.m?[tj]s$/.test(entry.name) &&
        !/\.(d|test|spec)\.m?[tj]s$/.test(entry.name),
    )
    .map((entry) =>
      relative(folder, join(entry.parentPath, entry.name))
        .replace(/\.m?[tj]s$/, "")
        .replaceAll(sep, "."),
    )
    .toSorted();
}
