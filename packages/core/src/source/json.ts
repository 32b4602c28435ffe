import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import type { Source, SourceItem } from "./source.js";
import type { Problem } from "../problem.js";
import { errorMessage } from "../errors.js";
import { lineOfJsonError, parseLocated } from "./located.js";
import { fingerprint } from "./jsonl.js";

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
      let raw: unknown;
      try {
        raw = JSON.parse(text);
      } catch (error) {
        yield problem(
          "invalid_json",
          `not valid JSON: ${errorMessage(error)}`,
          await lineOfJsonError(text, error),
        );
        return;
      }
      // Lines are looked up only when something is wrong: that needs a second, slower parse.
      let located: ReturnType<typeof parseLocated> | undefined;
      const locate = async (at: readonly (string | number)[]): Promise<number | undefined> => {
        located ??= parseLocated(text);
        return (await located).lineOf(at);
      };
      const cases: unknown[] = Array.isArray(raw) ? raw : [raw];
      for (const [index, item] of cases.entries()) {
        const prefix = Array.isArray(raw) ? [index] : [];
        yield {
          raw: item,
          origin: { file: name, locate: (inner) => locate([...prefix, ...inner]) },
        };
      }
    },
  };
}
