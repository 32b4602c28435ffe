import { parseArgs } from "node:util";
import { errorMessage, plainText } from "@turnwise/core";
import type { FakeModelOptions } from "../start-fake-model.js";
import type { RecordedRequest } from "../server/recorded-request.js";
import { loadFakeScript } from "../script/load-fake-script.js";
import { serveFakeModel } from "../start-fake-model.js";
import { UsageError, usage } from "./usage.js";

/**
 * `turnwise-testkit model`: serves a fake model until SIGINT or SIGTERM.
 * @throws UsageError if the options are wrong.
 */
export async function runModel(words: readonly string[]): Promise<void> {
  const { help, script, ...given } = read(words);
  if (help === true) {
    process.stdout.write(usage);
    return;
  }
  const options: FakeModelOptions = {
    port: portOf(given.port),
    ...(given.host === undefined ? {} : { host: given.host }),
    ...(given["api-key"] === undefined ? {} : { apiKey: given["api-key"] }),
    ...(script === undefined ? {} : { script: await loadFakeScript(script) }),
  };
  const model = await serveFakeModel(options, {
    answered: (record) => process.stdout.write(requestLine(record)),
  });
  const stop = (): void => {
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
    void model.close();
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  // Whoever read the lines has gone.
  process.stdout.on("error", stop);
  process.stdout.write(`fake model at ${model.baseURL}\n`);
}

function read(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      options: {
        port: { type: "string" },
        host: { type: "string" },
        script: { type: "string" },
        "api-key": { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    }).values;
  } catch (error) {
    throw new UsageError(errorMessage(error), { cause: error });
  }
}

function portOf(text = "8080"): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535))
    throw new UsageError(`--port is ${JSON.stringify(text)}: expected a number from 0 to 65535`);
  return port;
}

/** For example `chat booking step 0: 429 (rate_limit)`. */
function requestLine({ api, conversation = "-", step, status, fault }: RecordedRequest): string {
  const outcome = status === 0 ? "no answer" : String(status);
  const why = fault === undefined ? "" : ` (${fault})`;
  return `${api} ${plainText(conversation).replaceAll(/\s+/g, " ")} step ${step}: ${outcome}${why}\n`;
}
