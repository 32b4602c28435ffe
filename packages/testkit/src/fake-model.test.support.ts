import OpenAI from "openai";
import { onTestFinished } from "vitest";
import type { FakeModel, FakeModelOptions } from "./index.js";
import { startFakeModel } from "./index.js";

/** A fake model that ends with the test, and a client of it that tries once. */
export async function open(
  options: FakeModelOptions = {},
): Promise<{ readonly model: FakeModel; readonly client: OpenAI }> {
  const model = await startFakeModel(options);
  onTestFinished(() => model.close());
  return { model, client: new OpenAI({ baseURL: model.baseURL, apiKey: "any", maxRetries: 0 }) };
}

/** Lets everything else go on until the condition holds. The time limit of the test is the only one. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

/** Posts a body as it is and reads the answer as text. */
export async function post(
  model: FakeModel,
  { path, body }: { readonly path: string; readonly body: unknown },
): Promise<{
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly text: string;
}> {
  const response = await fetch(`${model.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text: await response.text(),
  };
}
