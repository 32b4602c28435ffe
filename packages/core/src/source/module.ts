import { dirname } from "node:path";
import type { ModuleLoader } from "../script/load-module.js";
import type { Source, SourceItem } from "./source.js";
import { within } from "../conversation/deadline.js";
import { errorMessage } from "../errors.js";
import { isObject, jsonTypeOf } from "../json.js";

/**
 * Cases of a TypeScript or JavaScript module: its default export is an array or iterable of cases, or a function that
 * returns one (also later). They are held in memory: a function may give others each time.
 */
export function moduleSource(path: string, name: string, loader: ModuleLoader): Source {
  let held: unknown[] | undefined;
  return {
    kind: "file",
    name,
    async *read(): AsyncGenerator<SourceItem> {
      try {
        const module = await loader.load(path);
        held ??= await within("hook", makeTimeout, () => casesOf(module));
      } catch (error) {
        yield {
          problem: {
            code: "cannot_load",
            severity: "error",
            file: name,
            message: errorMessage(error),
          },
        };
        return;
      }
      for (const raw of held) yield { raw, origin: { file: name, folder: dirname(path) } };
    },
  };
}

/** How long a module may take to make its cases. */
const makeTimeout = 30_000;

async function casesOf(module: Readonly<Record<string, unknown>>): Promise<unknown[]> {
  const exported = module["default"];
  if (exported === undefined)
    throw new TypeError("it has no default export; export an array of cases, or a function");
  const value: unknown = typeof exported === "function" ? await exported() : exported;
  if (!isIterable(value))
    throw new TypeError(
      `expected an array or iterable of cases as its default export, got ${jsonTypeOf(value)}`,
    );
  const cases: unknown[] = [];
  for await (const raw of value) cases.push(raw);
  return cases;
}

function isIterable(value: unknown): value is Iterable<unknown> | AsyncIterable<unknown> {
  return (
    Array.isArray(value) ||
    (isObject(value) && (Symbol.iterator in value || Symbol.asyncIterator in value))
  );
}
