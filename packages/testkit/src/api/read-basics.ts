import type { JsonObject } from "./read-field.js";
import { invalid, missing } from "./api-error.js";
import { a, asObject, objectField, textField } from "./read-field.js";

/** The fields that both APIs have. */
export function readBasics(body: JsonObject): { readonly model: string; readonly stream: boolean } {
  const model = textField({ of: body, field: "model", path: "" });
  if (model === "") throw missing("model", "the name of a model");
  const stream = body["stream"] ?? false;
  if (typeof stream !== "boolean")
    throw invalid("stream", `stream is ${a(stream)}: expected true or false`);
  return { model, stream };
}

/**
 * Checks the functions in `tools`. The two APIs nest them differently, which is easy to mix up. Other kinds of tools
 * are let pass.
 */
export function checkTools(body: JsonObject, nested: boolean): void {
  const tools = body["tools"];
  if (tools === undefined || tools === null) return;
  if (!Array.isArray(tools)) throw invalid("tools", `tools is ${a(tools)}: expected a list`);
  for (const [index, value] of tools.entries()) {
    const path = `tools[${index}]`;
    const tool = asObject(value, path);
    if (textField({ of: tool, field: "type", path }) !== "function") continue;
    const holder = nested ? objectField({ of: tool, field: "function", path }) : tool;
    const holderPath = nested ? `${path}.function` : path;
    const name = textField({ of: holder, field: "name", path: holderPath });
    if (!/^[\w-]{1,64}$/.test(name))
      throw invalid(
        `${holderPath}.name`,
        `${holderPath}.name is ${JSON.stringify(name)}: expected 1 to 64 letters, digits, _ or -`,
      );
  }
}
