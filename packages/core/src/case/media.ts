import { readFileSync } from "node:fs";
import { basename, extname, resolve } from "node:path";
import type { ContentPart } from "../contract/agent.js";
import type { Problem } from "../problem.js";
import { AuthorError, errorMessage } from "../errors.js";
import { isFile } from "../project/agent-files.js";

/** An image, a sound or a file as a case names it. */
export interface RawMedia {
  readonly type: "image" | "audio" | "file";
  readonly source: string;
  readonly name?: string | undefined;
}

/** Media whose file was found; it is read when it is sent. */
export interface PreparedMedia {
  readonly type: "image" | "audio" | "file";
  readonly name?: string;
  /** Absolute path of a local file. */
  readonly path?: string;
  /** `https:` or `data:` address of anything else. */
  readonly source?: string;
}

/** A content part of a prepared case: text, or media still to be read. */
export type PreparedPart = Extract<ContentPart, { type: "text" }> | PreparedMedia;

const mediaTypes: Readonly<Record<string, string>> = {
  ".csv": "text/csv",
  ".gif": "image/gif",
  ".html": "text/html",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".json": "application/json",
  ".md": "text/markdown",
  ".mp3": "audio/mpeg",
  ".ogg": "audio/ogg",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain",
  ".wav": "audio/wav",
  ".webp": "image/webp",
};

/** Looks media up. `folders` are where relative paths begin, the first that has the file wins. */
export function prepareMedia(
  media: RawMedia,
  folders: readonly string[],
): PreparedMedia | { readonly problem: Pick<Problem, "code" | "message" | "hint"> } {
  const name = media.name === undefined ? {} : { name: media.name };
  if (/^(https?|data):/i.test(media.source))
    return { type: media.type, ...name, source: media.source };
  if (!/^file:\/\//i.test(media.source))
    return {
      problem: {
        code: "invalid_value",
        message: `expected an address with file://, https:// or data:, got ${JSON.stringify(media.source.slice(0, 60))}`,
        hint: `A file beside the cases is "file://./${media.source.replace(/^\.\//, "").slice(0, 60)}".`,
      },
    };
  const written = media.source.slice("file://".length);
  const candidates = folders.flatMap((folder) => [
    resolve(folder, written),
    resolve(folder, decoded(written)),
  ]);
  const path = candidates.find(isFile);
  if (path === undefined)
    return {
      problem: {
        code: "missing_file",
        message: `there is no such file: ${media.source}`,
        hint: `Looked in ${[...new Set(folders)].join(" and ")}.`,
      },
    };
  return { type: media.type, name: media.name ?? basename(path), path };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The part that an agent gets: local files as `data:` addresses.
 * @throws AuthorError if the file cannot be read any more.
 */
export function readMedia(media: PreparedMedia): ContentPart {
  const { type, path } = media;
  const name = media.name === undefined ? {} : { name: media.name };
  if (path === undefined) return { type, source: media.source ?? "", ...name };
  const mediaType = mediaTypes[extname(path).toLowerCase()] ?? "application/octet-stream";
  try {
    return {
      type,
      source: `data:${mediaType};base64,${readFileSync(path).toString("base64")}`,
      mediaType,
      ...name,
    };
  } catch (error) {
    throw new AuthorError(`the attachment ${path} cannot be read: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}
