import { isObject } from "../json.js";

/** Replaces secrets in every text of a value. Returns the value itself where nothing had to change. */
export type Mask = <T>(value: T) => T;

/** What stands in place of a secret. */
const masked = "***";

/** A mask for these texts. Keys of objects are masked too. */
export function createMask(secrets: readonly string[]): Mask {
  if (secrets.length === 0) return (value) => value;
  const pattern = new RegExp(secrets.map(escape).join("|"), "g");
  const text = (value: string): string =>
    // Most texts hold none: a search costs less than building a copy.
    secrets.some((secret) => value.includes(secret)) ? value.replaceAll(pattern, masked) : value;
  const walk = (value: unknown): unknown => {
    if (typeof value === "string") return text(value);
    if (Array.isArray(value)) {
      let copy: unknown[] | undefined;
      value.forEach((item: unknown, index) => {
        const next = walk(item);
        if (next !== item) (copy ??= [...value])[index] = next;
      });
      return copy ?? value;
    }
    if (!isObject(value)) return value;
    let changed = false;
    const entries = Object.keys(value).map((key) => {
      const nextKey = text(key);
      const next = walk(value[key]);
      if (nextKey !== key || next !== value[key]) changed = true;
      return [nextKey, next] as const;
    });
    return changed ? Object.fromEntries(entries) : value;
  };
  return <T>(value: T) => walk(value) as T;
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
