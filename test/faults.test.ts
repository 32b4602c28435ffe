import type { FakeFault } from "@turnwise/testkit";
import { startFakeModel } from "@turnwise/testkit";
import { expect, test } from "vitest";
import { temporaryProject } from "./support/cli.js";

/*
 * What becomes of a case when something goes wrong on the way to the agent: who is blamed, how often was asked, and how
 * the program ends. The table is part of the documentation.
 */

const faults = [
  "rate_limit",
  "overloaded",
  "server_error",
  "unauthorized",
  "bad_request",
  "not_found",
  "reset",
  "cut",
  "garbage",
  "empty",
  "wrong_shape",
  "huge",
  "hang",
  "slow",
] as const;
type Fault = (typeof faults)[number];

const body = { model: "m", messages: [{ role: "user", content: "{{input}}" }] };
const transports = {
  chat: { type: "openai" },
  "chat, streamed": { type: "openai", stream: true },
  responses: { type: "openai", api: "responses" },
  http: { type: "http", body },
  "http, streamed": { type: "http", body: { ...body, stream: true } },
};
type Transport = keyof typeof transports;

interface Outcome {
  readonly text: string;
  readonly message: string;
}

/** Runs one case against a model with this fault. */
async function outcomeOf(
  agent: object,
  fault: FakeFault | undefined,
  { limits, timeout = "1m" }: { limits?: object; timeout?: string } = {},
): Promise<Outcome> {
  const model = await startFakeModel({
    script: {
      conversations: [{ replies: [{ content: "Hello.", ...(fault && { faults: [fault] }) }] }],
    },
  });
  const url = `${model.baseURL}/chat/completions`;
  const more = "body" in agent ? { url, ...(limits && { limits }) } : {};
  const project = temporaryProject({
    "turnwise.config.json": JSON.stringify({
      connectors: { main: { baseURL: model.baseURL, model: "m", ...(limits && { limits }) } },
      defaults: { connector: "main" },
      agents: { a: { ...agent, ...more } },
    }),
    "c.jsonl": `{"id": "c", "input": "Hi", "turn_timeout": "${timeout}", "assertions": {"type": "contains", "value": "Hello"}}`,
  });
  const run = await project.run("test", "-i", "c.jsonl", "--json");
  const lines = run.stdout.split("\n").filter((line) => line !== "");
  const events = lines.map((line) => JSON.parse(line) as { type: string; result: Result });
  const result = events.find(({ type: name }) => name === "case-end")?.result;
  const requests = model.requests.length;
  await model.close();
  if (result === undefined) throw new Error(`no result: ${run.stderr}`);
  const blame = result.blame === undefined ? "" : ` (${result.blame})`;
  return {
    text: `${result.status}${blame}, ${requests} request${requests === 1 ? "" : "s"}, exit ${run.code}`,
    message: (result.error ?? "").replaceAll(model.url, "http://HOST"),
  };
}

interface Result {
  readonly status: string;
  readonly blame?: string;
  readonly error?: string;
}

/** So many at once: each is a process of its own. */
async function inParallel<T>(work: readonly (() => Promise<T>)[]): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < work.length) {
      const index = next++;
      results[index] = await work[index]!();
    }
  };
  await Promise.all(Array.from({ length: 4 }, worker));
  return results;
}

const names = Object.keys(transports) as Transport[];

/** One row of outcomes for each fault. */
async function outcomesOf(
  times: number | "always",
  among: readonly Fault[],
): Promise<readonly (readonly Outcome[])[]> {
  const tried = among.flatMap((fault) => names.map((name) => ({ fault, name })));
  const outcomes = await inParallel(
    tried.map(({ fault, name }) => () => {
      const timeout = fault === "hang" ? { timeout: "4s" } : {};
      return outcomeOf(transports[name], { type: fault, times }, timeout);
    }),
  );
  return among.map((_, row) => outcomes.slice(row * names.length, (row + 1) * names.length));
}

function rowsOf(among: readonly Fault[], outcomes: readonly (readonly Outcome[])[]): string[][] {
  return among.map((fault, row) => [`\`${fault}\``, ...outcomes[row]!.map(({ text }) => text)]);
}

function markdown(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((text, column) =>
    Math.max(text.length, ...rows.map((row) => row[column]!.length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [line(header), rule, ...rows.map(line)].join("\n");
}

test("faults: status, blame, requests made, exit code", { timeout: 300_000 }, async () => {
  const lasting = await outcomesOf("always", faults);
  const passing = ["rate_limit", "overloaded", "server_error", "reset", "cut"] as const;
  const once = await outcomesOf(1, passing);
  const limits = { maxRetries: 0 };
  const never = await inParallel(
    names.map((name) => () => outcomeOf(transports[name], "rate_limit", { limits })),
  );
  const messages = faults.flatMap((fault, row) =>
    (["chat", "http"] as const).flatMap((name) => {
      const { message } = lasting[row]![names.indexOf(name)]!;
      return message === "" ? [] : [[`\`${fault}\``, name, message.replaceAll("|", "\\|")]];
    }),
  );
  const page = `<!-- Written by test/faults.test.ts. -->

# When something goes wrong on the way

What becomes of a case when the server of the agent, or of its model, misbehaves. The first table is for faults that
last: each cell says the status of the case, who is blamed, how many requests were made, and the exit code of a run of
this one case.

A model can be asked twice, so requests to connectors are sent again after 429, 408, 5xx and broken connections: up to
twice, unless \`limits.maxRetries\` says otherwise. An agent behind \`http\` may have worked on a request already, so it gets
one again only when it surely has not: after a refused connection, 429, and 503 with \`Retry-After\`. \`retry_unsafe: true\`
lifts that.

${markdown(["fault", ...names], rowsOf(faults, lasting))}

A fault that happens once:

${markdown(["fault", ...names], rowsOf(passing, once))}

A rate limit that happens once, with \`limits: { maxRetries: 0 }\`:

${markdown(["fault", ...names], rowsOf(["rate_limit"], [never]))}

What the reports say:

${markdown(["fault", "agent", "error"], messages)}

The faults are those of the [fake model](fake-model.md); \`hang\` was given 4 seconds for the turn.
`;
  await expect(page).toMatchFileSnapshot("../docs/faults.md");
});
