import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import type { Source, SourceItem } from "./source.js";
import type { Problem } from "../problem.js";
import { fingerprint } from "./jsonl.js";
import { parseJson } from "./located.js";

/** Cases of a JSON file: one array of cases, or one case. */
export function jsonSource(path: string, name: string): Source {
  return {
    kind: "file",
    name,
    fingerprint: () => fingerprint(path),
    async *read(): AsyncGenerator<SourceItem> {
      const bytes = readFileSync(path);
      const problem = (code: Problem["code"], message: string, line?: number): SourceItem => ({
        problem: {
          code,
          severity: "error",
          message,
          file: name,
          ...(line === undefined ? {} : { line }),
        },
      });
      if (!isUtf8(bytes)) {
        yield problem("invalid_encoding", "the file is not UTF-8; save it as UTF-8");
        return;
      }
      const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
      if (text.trim() === "") return;
      const parsed = parseJson(text);
      if ("error" in parsed) {
        yield problem("invalid_json", parsed.error, parsed.line);
        return;
      }
      const { value: raw, lineOf } = parsed;
      const cases: unknown[] = Array.isArray(raw) ? raw : [raw];
      for (const [index, item] of cases.entries()) {
        const prefix = Array.isArray(raw) ? [index] : [];
        yield {
          raw: item,
          origin: { file: name, locate: (inner) => lineOf([...prefix, ...inner]) },
        };
      }
    },
  };
}
