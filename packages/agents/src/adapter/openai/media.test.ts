import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { ask, completion, json, outcome } from "../../connector/odd-server.test.support.js";
import { chatPart, responsesPart } from "./media.js";

/** Bytes that are no text. */
const bytes = Buffer.from([0, 255, 128, 10]);
const base64 = bytes.toString("base64");

interface Media {
  readonly type: string;
  readonly source: string;
  readonly name?: string;
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "turnwise-media-"));
  for (const name of ["a b.png", "voice.mp3", "voice.wav", "plan.pdf", "raw"])
    writeFileSync(join(folder, name), bytes);
  return () => rmSync(folder, { recursive: true, force: true });
});

const reply = json({
  ...completion({ content: "Seen." }),
  status: "completed",
  output: [{ type: "message", content: [{ type: "output_text", text: "Seen." }] }],
});

/** The parts of the user's message as the model got them, in each of two turns. */
async function partsSent(api: string, media: Media): Promise<unknown> {
  const source = media.source.replace("FOLDER", folder);
  const { result, requests } = await ask({ api }, reply, {
    turns: [{ input: "Look", attachments: [{ ...media, source }] }, { input: "And now?" }],
  });
  if (result.status !== "passed") return [outcome(result), `${requests.length} requests`];
  const [first, second] = requests.map(
    ({ body }) => (body["messages"] ?? body["input"]) as unknown[],
  );
  // What was attached once is still there when the talk goes on.
  expect(second![0]).toEqual(first![0]);
  return (first![0] as { content: unknown }).content;
}

const png = `data:image/png;base64,${base64}`;
const pdf = `data:application/pdf;base64,${base64}`;
const sound = (format: string) => ({ type: "input_audio", input_audio: { data: base64, format } });

describe("chat", () => {
  test.each<[Media, unknown]>([
    [
      { type: "image", source: "file://FOLDER/a b.png" },
      { type: "image_url", image_url: { url: png } },
    ],
    [
      { type: "image", source: "file://FOLDER/a%20b.png" },
      { type: "image_url", image_url: { url: png } },
    ],
    [
      { type: "image", source: png },
      { type: "image_url", image_url: { url: png } },
    ],
    [
      { type: "image", source: "https://example.com/a.png" },
      { type: "image_url", image_url: { url: "https://example.com/a.png" } },
    ],
    [
      { type: "file", source: "file://FOLDER/plan.pdf" },
      { type: "file", file: { filename: "plan.pdf", file_data: pdf } },
    ],
    [
      { type: "file", source: pdf, name: "x.pdf" },
      { type: "file", file: { filename: "x.pdf", file_data: pdf } },
    ],
    [
      { type: "file", source: "file://FOLDER/raw" },
      {
        type: "file",
        file: { filename: "raw", file_data: `data:application/octet-stream;base64,${base64}` },
      },
    ],
    [{ type: "audio", source: "file://FOLDER/voice.mp3" }, sound("mp3")],
    [{ type: "audio", source: "file://FOLDER/voice.wav" }, sound("wav")],
    [{ type: "audio", source: `data:audio/x-wav;base64,${base64}` }, sound("wav")],
    [{ type: "audio", source: `data:audio/wav;rate=8000;base64,${base64}` }, sound("wav")],
  ])("%j", async (media, part) => {
    expect(await partsSent("chat", media)).toEqual([{ type: "text", text: "Look" }, part]);
  });

  test.each<[Media, string]>([
    [
      { type: "file", source: "https://example.com/a.pdf" },
      "Chat Completions take files only as data: attach file://... instead of https://example.com/a.pdf",
    ],
    [
      { type: "audio", source: "https://example.com/a.mp3" },
      "Chat Completions take audio only as data: attach file://... instead of https://example.com/a.mp3",
    ],
  ])("refuses %j, and sends nothing", async (media, message) => {
    expect(await partsSent("chat", media)).toEqual([`error (author): ${message}`, "0 requests"]);
  });
});

describe("responses", () => {
  test.each<[Media, unknown]>([
    [
      { type: "image", source: "file://FOLDER/a b.png" },
      { type: "input_image", image_url: png, detail: "auto" },
    ],
    [
      { type: "image", source: "https://example.com/a.png" },
      { type: "input_image", image_url: "https://example.com/a.png", detail: "auto" },
    ],
    [
      { type: "file", source: "file://FOLDER/plan.pdf", name: "map.pdf" },
      { type: "input_file", filename: "map.pdf", file_data: pdf },
    ],
    [
      { type: "file", source: "https://example.com/a.pdf" },
      { type: "input_file", file_url: "https://example.com/a.pdf" },
    ],
  ])("%j", async (media, part) => {
    expect(await partsSent("responses", media)).toEqual([
      { type: "input_text", text: "Look" },
      part,
    ]);
  });

  test("refuses audio, and sends nothing", async () => {
    const media = { type: "audio", source: "file://FOLDER/voice.mp3" };
    expect(await partsSent("responses", media)).toEqual([
      'error (author): the Responses API takes no audio; use api: "chat"',
      "0 requests",
    ]);
  });

  // BUG (small): a data: address that is not base64 is sent as the address of a file to be fetched.
  test("data that is not base64 is no address to fetch", async () => {
    const sent = await partsSent("responses", { type: "file", source: "data:text/plain,hello" });
    expect(JSON.stringify(sent)).not.toContain("file_url");
  });
});

test("parts of an input and attachments beside it stand in their order", async () => {
  const { requests } = await ask({}, reply, {
    input: [
      { type: "text", text: "One" },
      { type: "image", source: png },
      { type: "text", text: "Two" },
    ],
    attachments: [{ type: "file", source: pdf }],
  });
  expect(requests[0]!.body["messages"]).toEqual([
    {
      role: "user",
      content: [
        { type: "text", text: "One" },
        { type: "image_url", image_url: { url: png } },
        { type: "text", text: "Two" },
        { type: "file", file: { filename: "file", file_data: pdf } },
      ],
    },
  ]);
});

test("media of a history are sent", async () => {
  const { requests } = await ask({}, reply, {
    input: [
      { role: "user", content: [{ type: "image", source: png }] },
      { role: "assistant", content: "A cat." },
      { role: "user", content: "Sure?" },
    ],
  });
  expect(requests[0]!.body["messages"]).toEqual([
    { role: "user", content: [{ type: "image_url", image_url: { url: png } }] },
    { role: "assistant", content: "A cat." },
    { role: "user", content: "Sure?" },
  ]);
});

test("whatever bytes are attached, the same bytes are sent", () => {
  fc.assert(
    fc.property(
      fc.uint8Array(),
      fc.constantFrom("audio/wav", "audio/mpeg;codecs=x", "", "audio/x-wav;a=b;c=d"),
      (array, type) => {
        const data = Buffer.from(array).toString("base64");
        const source = `data:${type};base64,${data}`;
        const audio = chatPart({ type: "audio", source }) as { input_audio: { data: string } };
        expect(audio.input_audio.data).toBe(data);
        expect(responsesPart({ type: "file", source })).toEqual({
          type: "input_file",
          filename: "file",
          file_data: source,
        });
      },
    ),
  );
});
