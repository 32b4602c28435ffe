import type { JsonObject } from "../api/read-field.js";
import type { ThreadStore } from "./thread-store.js";
import { invalid } from "../api/api-error.js";
import { textField } from "../api/read-field.js";

/**
 * The item that a reference stands for; any other item as it is. The AI SDK says what the model put out before by
 * references, unless it is told otherwise. Throws an ApiError that names an id which is not stored.
 */
export function resolveReference({
  item,
  path,
  store,
}: {
  readonly item: JsonObject;
  readonly path: string;
  readonly store: ThreadStore;
}): JsonObject {
  if (!isReference(item)) return item;
  const id = textField({ of: item, field: "id", path });
  const found = store.item(id);
  if (found !== undefined) return found;
  throw invalid(
    `${path}.id`,
    `${path} refers to the item ${JSON.stringify(id)}: no stored response has put it out`,
  );
}

/** The type of a reference may be absent or null. A message without a type has a role. */
function isReference(item: JsonObject): boolean {
  const type = item["type"] ?? undefined;
  if (type !== undefined) return type === "item_reference";
  return "id" in item && !("role" in item);
}
