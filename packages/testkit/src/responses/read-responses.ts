import type { JsonValue } from "@turnwise/core";
import type { ApiRequest } from "../api/api.js";
import type { FakeMessage } from "../api/message.js";
import type { JsonObject } from "../api/read-field.js";
import type { ThreadStore } from "./thread-store.js";
import { ApiError, invalid, missing, unsupported } from "../api/api-error.js";
import { readFormat } from "../api/output-format.js";
import { checkTools, readBasics } from "../api/read-basics.js";
import { a, asObject, textField } from "../api/read-field.js";
import { checkThread } from "./check-thread.js";
import { readItem } from "./read-item.js";
import { renderResponse } from "./render-response.js";
import { resolveReference } from "./resolve-reference.js";
import { toMessages } from "./to-messages.js";

/** Checks the body of a response request as the API does. Throws an ApiError. */
export function readResponses(body: JsonObject, store: ThreadStore): ApiRequest {
  checkSupported(body);
  const { model, stream } = readBasics(body);
  const earlier = earlierItems(body, store);
  const input = inputItems(body["input"], earlier.length > 0).map((item, index) =>
    resolveReference({ item, path: `input[${index}]`, store }),
  );
  for (const [index, item] of input.entries()) readItem(item, `input[${index}]`);
  const thread = [...earlier, ...input];
  checkThread(thread, earlier.length);
  checkTools(body, false);
  const { text } = body;
  const format = readFormat({
    value: text === undefined || text === null ? undefined : asObject(text, "text")["format"],
    path: "text.format",
    nested: false,
  });
  const messages = [...instructionsOf(body), ...toMessages(thread)];
  return {
    model,
    messages,
    format,
    stream,
    render: (options) =>
      renderResponse({
        ...options,
        model,
        messages,
        body,
        remember: (id, output) => store.add(id, { earlier: previousOf(body), input, output }),
      }),
  };
}

/** Refuses what would change the conversation, or the shape of the answer, if this server had it. */
function checkSupported({ conversation, background, prompt, input }: JsonObject): void {
  const given = (value: JsonValue | undefined): boolean => value !== undefined && value !== null;
  if (given(conversation)) throw unsupported("conversation");
  if (background === true) throw unsupported("background", "background: true");
  if (given(prompt) && !given(input)) throw unsupported("prompt", "prompt without input");
}

function previousOf(body: JsonObject): string | undefined {
  const id = body["previous_response_id"];
  if (id === undefined || id === null) return undefined;
  return textField({ of: body, field: "previous_response_id", path: "" });
}

function earlierItems(body: JsonObject, store: ThreadStore): readonly JsonObject[] {
  const id = previousOf(body);
  if (id === undefined) return [];
  const items = store.items(id);
  if (items === undefined)
    throw new ApiError(
      `previous_response_id is ${JSON.stringify(id)}: no such response is stored`,
      {
        status: 400,
        param: "previous_response_id",
        code: "previous_response_not_found",
      },
    );
  return items;
}

function inputItems(value: JsonValue | undefined, continues: boolean): JsonObject[] {
  if (value === undefined || value === null) throw missing("input", "text or a list of items");
  if (typeof value === "string") return [{ type: "message", role: "user", content: value }];
  if (!Array.isArray(value))
    throw invalid("input", `input is ${a(value)}: expected text or a list of items`);
  if (value.length === 0 && !continues)
    throw invalid("input", "input is empty: expected at least one item");
  return value.map((item, index) => asObject(item, `input[${index}]`));
}

function instructionsOf(body: JsonObject): FakeMessage[] {
  const { instructions } = body;
  if (instructions === undefined || instructions === null) return [];
  return [{ role: "system", text: textField({ of: body, field: "instructions", path: "" }) }];
}
