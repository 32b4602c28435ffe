import * as fc from "fast-check";
import type OpenAI from "openai";
import { expect, test } from "vitest";
import { open } from "./fake-model.test.support.js";
import { pieces } from "./api/pieces.js";

// Any text, halves of surrogate pairs too.
const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.nat(0xffff).map((unit) => String.fromCharCode(unit)),
    ),
  )
  .map((parts) => parts.join(""));

test("pieces are the text, and no pair is cut", () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 1, max: 9 }), (text, size) => {
      const cut = [...pieces(text, size)];
      expect(cut.join("")).toBe(text);
      for (const [index, piece] of cut.entries()) {
        expect(piece.length).toBeGreaterThan(0);
        expect(piece.length).toBeLessThanOrEqual(size + 1);
        const seam = piece.slice(-1) + (cut[index + 1] ?? "").slice(0, 1);
        expect(seam).not.toMatch(/^[\uD800-\uDBFF][\uDC00-\uDFFF]$/);
      }
    }),
  );
});

test("streamed or not, text and calls are the same in both APIs", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        content: anyText,
        calls: fc.array(fc.record({ name: fc.constantFrom("a", "b"), arguments: anyText }), {
          maxLength: 3,
        }),
        chunkSize: fc.integer({ min: 1, max: 12 }),
      }),
      async ({ content, calls, chunkSize }) => {
        const { client, model } = await open({
          chunkSize,
          script: { otherwise: { content, tool_calls: calls } },
        });
        const chat = { model: "m", messages: [{ role: "user" as const, content: "hi" }] };
        const said = [
          ofChat(await client.chat.completions.create(chat)),
          ofChat(await client.chat.completions.stream(chat).finalChatCompletion()),
          ofResponse(await client.responses.create({ model: "m", input: "hi" })),
          ofResponse(await client.responses.stream({ model: "m", input: "hi" }).finalResponse()),
        ];
        await model.close();
        for (const one of said) expect(one).toEqual({ content, calls });
      },
    ),
    { numRuns: 60 },
  );
});

function ofChat({ choices }: OpenAI.ChatCompletion) {
  const { content, tool_calls = [] } = choices[0]!.message;
  return {
    // The SDK makes null of an empty text that was streamed.
    content: content ?? "",
    calls: tool_calls.map((call) => {
      if (call.type !== "function") throw new Error(call.type);
      return { name: call.function.name, arguments: call.function.arguments };
    }),
  };
}

function ofResponse({ output, output_text }: OpenAI.Responses.Response) {
  return {
    content: output_text,
    calls: output
      .filter((item) => item.type === "function_call")
      .map((call) => ({ name: call.name, arguments: call.arguments })),
  };
}
