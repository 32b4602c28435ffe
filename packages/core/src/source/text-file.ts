import { isUtf8 } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { ParseFailure } from "./located.js";
import type { Source, SourceItem } from "./source.js";
import { megabytes, nulProblem } from "./lines.js";
import { parseText } from "./located.js";

/** Largest file that is parsed as a whole, in bytes. */
const longestFile = 200_000_000;

/** Cases of a file that is parsed as a whole: one array of cases, or one case. */
export function textFileSource(path: string, name: string, format: "json" | "yaml"): Source {
  return {
    kind: "file",
    name,
    fingerprint: () => fingerprint(path),
    async *read(): AsyncGenerator<SourceItem> {
      const problem = (found: ParseFailure["problems"][number]): SourceItem => ({
        problem: { severity: "error", file: name, ...found },
      });
      if (statSync(path).size > longestFile) {
        yield problem({
          code: "too_large",
          message: `the file is larger than the ${megabytes(longestFile)} that are read at once; as .jsonl, a case a line, it may have any size`,
        });
        return;
      }
      const bytes = readFileSync(path);
      if (!isUtf8(bytes)) {
        yield problem({
          code: "invalid_encoding",
          message: "the file is not UTF-8; save it as UTF-8",
        });
        return;
      }
      const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
      if (text.trim() === "") return;
      const parsed = await parseText(text, format);
      if ("problems" in parsed) {
        if (text.includes("\0")) {
          yield problem(nulProblem);
          return;
        }
        for (const found of parsed.problems) yield problem(found);
        return;
      }
      // YAML of nothing but comments is no case, not one case that is null.
      if (format === "yaml" && parsed.value === null) return;
      const several = Array.isArray(parsed.value);
      const cases: unknown[] = several ? (parsed.value as unknown[]) : [parsed.value];
      for (const [index, raw] of cases.entries())
        yield {
          raw,
          origin: {
            file: name,
            folder: dirname(path),
            parsed: parsed.json,
            escapes: parsed.json && text.includes("\\u"),
            locate: (inner) => parsed.lineOf(several ? [index, ...inner] : inner),
          },
        };
    },
  };
}

/** Size and time of a file: enough to notice that somebody saved it, or removed it. */
export function fingerprint(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? "gone" : `${stats.ino}:${stats.size}:${stats.mtimeMs}`;
}
