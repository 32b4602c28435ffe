import type { JsonValue } from "@turnwise/core";
import { isObject } from "@turnwise/core";
import type { ApiRequest } from "../api/api.js";
import type { FakeMessage, FakeToolCall } from "../api/message.js";
import type { PartReader } from "../api/read-content.js";
import type { JsonObject } from "../api/read-field.js";
import { invalid, missing, unsupported } from "../api/api-error.js";
import { readFormat } from "../api/output-format.js";
import { checkTools, readBasics } from "../api/read-basics.js";
import { partWithOneOf, readContent, textPart } from "../api/read-content.js";
import { a, asObject, objectField, textField } from "../api/read-field.js";
import { checkToolAnswers } from "./check-tool-answers.js";
import { renderChat } from "./render-chat.js";

/** Checks the body of a chat completion as the API does. Throws an ApiError. */
export function readChat(body: JsonObject): ApiRequest {
  const { model, stream } = readBasics(body);
  const list = body["messages"];
  if (list === undefined || list === null) throw missing("messages", "a list of messages");
  if (!Array.isArray(list)) throw invalid("messages", `messages is ${a(list)}: expected a list`);
  if (list.length === 0) throw invalid("messages", "messages is empty: expected at least one");
  const messages = checkToolAnswers(
    list.map((value, index) => readMessage(value, `messages[${index}]`)),
  );
  checkTools(body, true);
  const format = readFormat({
    value: body["response_format"],
    path: "response_format",
    nested: true,
  });
  const includeUsage = wantsUsage(body, stream);
  return {
    model,
    messages,
    format,
    stream,
    render: (options) => renderChat({ ...options, model, messages, includeUsage }),
  };
}

const text: Readonly<Record<string, PartReader>> = { text: textPart("text") };
const fromUser: Readonly<Record<string, PartReader>> = {
  ...text,
  image_url(part, path) {
    const image = objectField({ of: part, field: "image_url", path });
    return partWithOneOf("url")(image, `${path}.image_url`);
  },
  input_audio(part, path) {
    const audio = objectField({ of: part, field: "input_audio", path });
    textField({ of: audio, field: "data", path: `${path}.input_audio` });
    textField({ of: audio, field: "format", path: `${path}.input_audio` });
    return "";
  },
  file(part, path) {
    const file = objectField({ of: part, field: "file", path });
    return partWithOneOf("file_data", "file_id")(file, `${path}.file`);
  },
};
const fromAssistant: Readonly<Record<string, PartReader>> = {
  ...text,
  refusal: textPart("refusal"),
};

function readMessage(value: JsonValue, path: string): FakeMessage {
  const message = asObject(value, path);
  const role = textField({ of: message, field: "role", path });
  const content = (parts: Readonly<Record<string, PartReader>>): string =>
    readContent({ value: message["content"], path: `${path}.content`, parts });
  switch (role) {
    case "system":
    case "developer":
      return { role: "system", text: content(text) };
    case "user":
      return { role, text: content(fromUser) };
    case "tool":
      return {
        role,
        text: content(text),
        toolCallId: textField({ of: message, field: "tool_call_id", path }),
      };
    case "assistant":
      return readAssistant(message, path);
    default:
      throw invalid(
        `${path}.role`,
        `${path}.role is ${JSON.stringify(role)}: expected system, developer, user, assistant or tool`,
      );
  }
}

function readAssistant(message: JsonObject, path: string): FakeMessage {
  const calls = message["tool_calls"] ?? undefined;
  const { content, refusal, audio } = message;
  const silent = content === undefined || content === null;
  const speechless = silent && (calls !== undefined || typeof refusal === "string");
  // What it said would be in the audio of an earlier answer, which this server does not have.
  if (silent && !speechless && isObject(audio)) throw unsupported(`${path}.audio`);
  return {
    role: "assistant",
    text: speechless
      ? typeof refusal === "string"
        ? refusal
        : ""
      : readContent({ value: content, path: `${path}.content`, parts: fromAssistant }),
    ...(calls === undefined ? {} : { toolCalls: readCalls(calls, `${path}.tool_calls`) }),
  };
}

function readCalls(value: JsonValue, path: string): FakeToolCall[] {
  if (!Array.isArray(value) || value.length === 0)
    throw invalid(path, `${path} is ${a(value)}: expected a list of at least one call`);
  return value.map((item, index) => {
    const place = `${path}[${index}]`;
    const call = asObject(item, place);
    const id = textField({ of: call, field: "id", path: place });
    if (call["type"] === "custom") throw unsupported(`${place}.type`, `${place}.type "custom"`);
    if (call["type"] !== "function")
      throw invalid(
        `${place}.type`,
        `${place}.type is ${JSON.stringify(call["type"] ?? null)}: expected function`,
      );
    const called = objectField({ of: call, field: "function", path: place });
    return {
      id,
      name: textField({ of: called, field: "name", path: `${place}.function` }),
      arguments: textField({ of: called, field: "arguments", path: `${place}.function` }),
    };
  });
}

function wantsUsage(body: JsonObject, stream: boolean): boolean {
  const options = body["stream_options"];
  if (options === undefined || options === null) return false;
  if (!stream)
    throw invalid("stream_options", "stream_options is only allowed when stream is true");
  return asObject(options, "stream_options")["include_usage"] === true;
}
