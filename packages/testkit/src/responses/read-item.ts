import type { JsonValue } from "@turnwise/core";
import type { PartReader } from "../api/read-content.js";
import type { JsonObject } from "../api/read-field.js";
import { invalid, missing } from "../api/api-error.js";
import { partWithOneOf, readContent, textPart } from "../api/read-content.js";
import { textField } from "../api/read-field.js";

/** Parts that go into the model: of users, of instructions, and of tool results. */
const inputParts: Readonly<Record<string, PartReader>> = {
  input_text: textPart("text"),
  input_image: partWithOneOf("image_url", "file_id"),
  input_file: partWithOneOf("file_data", "file_id", "file_url"),
};
/** Parts that came out of the model. */
const outputParts: Readonly<Record<string, PartReader>> = {
  output_text: textPart("text"),
  refusal: textPart("refusal"),
};

/** What an item of the Responses API says, once it is checked. */
export type ReadItem =
  | {
      readonly type: "message";
      readonly role: "system" | "user" | "assistant";
      readonly text: string;
    }
  | { readonly type: "reasoning" }
  | {
      readonly type: "call";
      readonly id: string;
      readonly name: string;
      readonly arguments: string;
    }
  | { readonly type: "result"; readonly id: string; readonly text: string }
  | { readonly type: "approval-request"; readonly id: string; readonly name: string }
  | { readonly type: "approval-response"; readonly id: string; readonly text: string };

/** Checks one item, and reads it. Throws an ApiError that names the path. */
export function readItem(item: JsonObject, path: string): ReadItem {
  const text = (field: string): string => textField({ of: item, field, path });
  const type = item["type"] === undefined && "role" in item ? "message" : text("type");
  switch (type) {
    case "message":
      return readMessage(item, path);
    case "reasoning":
      if (!Array.isArray(item["summary"])) throw missing(`${path}.summary`, "a list");
      return { type };
    case "function_call":
      return {
        type: "call",
        id: text("call_id"),
        name: text("name"),
        arguments: text("arguments"),
      };
    case "function_call_output":
      return { type: "result", id: text("call_id"), text: readOutput(item["output"], path) };
    case "mcp_approval_request":
      text("arguments");
      text("server_label");
      return { type: "approval-request", id: text("id"), name: text("name") };
    case "mcp_approval_response":
      return {
        type: "approval-response",
        id: text("approval_request_id"),
        text: verdict(item, path),
      };
    default:
      throw invalid(
        `${path}.type`,
        `${path}.type is ${JSON.stringify(type)}: this server knows message, reasoning, function_call, function_call_output, mcp_approval_request, mcp_approval_response and item_reference`,
      );
  }
}

/** The text of what a function gave back, which may be nothing. */
function readOutput(value: JsonValue | undefined, path: string): string {
  if (Array.isArray(value) && value.length === 0) return "";
  return readContent({ value, path: `${path}.output`, parts: inputParts });
}

function readMessage(item: JsonObject, path: string): ReadItem {
  const role = textField({ of: item, field: "role", path });
  if (role !== "user" && role !== "assistant" && role !== "system" && role !== "developer")
    throw invalid(
      `${path}.role`,
      `${path}.role is ${JSON.stringify(role)}: expected system, developer, user or assistant`,
    );
  const parts = role === "assistant" ? outputParts : inputParts;
  const text = readContent({ value: item["content"], path: `${path}.content`, parts });
  return { type: "message", role: role === "developer" ? "system" : role, text };
}

function verdict(item: JsonObject, path: string): string {
  const { approve, reason } = item;
  if (typeof approve !== "boolean") throw missing(`${path}.approve`, "true or false");
  if (approve) return "approved";
  return typeof reason === "string" && reason !== "" ? `denied: ${reason}` : "denied";
}
