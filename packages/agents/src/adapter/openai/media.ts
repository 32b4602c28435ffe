import type { ContentPart } from "@turnwise/core";
import { AuthorError } from "@turnwise/core";

type Media = Exclude<ContentPart, { type: "text" }>;

/** A part of a user message as Chat Completions take it. */
export function chatPart(part: ContentPart): Record<string, unknown> {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "image") return { type: "image_url", image_url: { url: part.source } };
  const data = dataOf(part);
  if (data === undefined)
    throw new AuthorError(
      `Chat Completions take ${part.type === "audio" ? "audio" : "files"} only as data: attach file://... instead of ${part.source.slice(0, 80)}`,
    );
  if (part.type === "audio")
    return {
      type: "input_audio",
      input_audio: { data: data.base64, format: audioFormat(data.type) },
    };
  return { type: "file", file: { filename: part.name ?? "file", file_data: data.address } };
}

/** A part of a user message as Responses take it. */
export function responsesPart(part: ContentPart): Record<string, unknown> {
  if (part.type === "text") return { type: "input_text", text: part.text };
  if (part.type === "image") return { type: "input_image", image_url: part.source, detail: "auto" };
  if (part.type === "audio")
    throw new AuthorError('the Responses API takes no audio; use api: "chat"');
  const data = dataOf(part);
  return data === undefined
    ? { type: "input_file", file_url: part.source }
    : { type: "input_file", filename: part.name ?? "file", file_data: data.address };
}

interface Data {
  readonly type: string;
  readonly base64: string;
  /** The address with the contents as base64. */
  readonly address: string;
}

/** The contents of a `data:` address (RFC 2397), which need not be base64. */
function dataOf({ source }: Media): Data | undefined {
  const match = /^data:([^;,]*)((?:;[^,;]*)*),(.*)$/is.exec(source);
  if (match === null) return undefined;
  const [, type = "", parameters = "", data = ""] = match;
  const mediaType = type === "" ? "text/plain" : type;
  if (/;base64$/i.test(parameters)) return { type: mediaType, base64: data, address: source };
  const base64 = Buffer.from(decodeURIComponent(data)).toString("base64");
  return { type: mediaType, base64, address: `data:${mediaType};base64,${base64}` };
}

/** `audio/mpeg` is `mp3` there. */
function audioFormat(mediaType: string): string {
  const format = mediaType.replace(/^audio\/(x-)?/, "");
  return format === "mpeg" ? "mp3" : format;
}
