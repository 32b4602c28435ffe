import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import OpenAI, { APIConnectionError } from "openai";
import { expect, onTestFinished, test } from "vitest";
import { open } from "../fake-model.test.support.js";

const bin = fileURLToPath(new URL("../../bin/turnwise-testkit.js", import.meta.url));
const built = existsSync(fileURLToPath(new URL("../../dist/main.js", import.meta.url)));
const needsBuild = built ? "" : " (NOT RUN: build @turnwise/testkit first)";

function start(...words: string[]) {
  const child = spawn(process.execPath, [bin, ...words], { stdio: ["ignore", "pipe", "pipe"] });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  const ended = once(child, "close").then(([code]) => ({ code: code as number, ...output }));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { child, output, ended };
}

test.skipIf(!built)(`it serves, tells of requests, and ends on a signal${needsBuild}`, async () => {
  const folder = await mkdtemp(join(tmpdir(), "fake-model-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const script = join(folder, "talk.yaml");
  await writeFile(
    script,
    'conversations: [{ id: talk, when: { user: "^hi" }, replies: [{ content: Hello., faults: [rate_limit, reset] }] }]',
  );
  const { child, output, ended } = start("model", "--port", "0", "--script", script);
  while (!output.stdout.includes("\n")) await once(child.stdout, "data");
  const baseURL = /^fake model at (http:\/\/127\.0\.0\.1:\d+\/v1)\n$/.exec(output.stdout)![1]!;
  const client = new OpenAI({ baseURL, apiKey: "any", maxRetries: 0 });
  const messages = [{ role: "user" as const, content: "hi" }];
  const chat = () => client.chat.completions.create({ model: "m", messages });
  await expect(chat()).rejects.toThrow("429");
  await expect(chat()).rejects.toThrow(APIConnectionError);
  expect((await chat()).choices[0]!.message.content).toBe("Hello.");
  await expect(client.responses.create({ model: "m", input: "bye" })).rejects.toThrow("400");
  child.kill("SIGTERM");
  const { code, stdout, stderr } = await ended;
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout.split("\n").slice(1)).toEqual([
    "chat talk step 0: 429 (rate_limit)",
    "chat talk step 0: no answer (reset)",
    "chat talk step 0: 200",
    "responses - step 0: 400",
    "",
  ]);
});

test.skipIf(!built)(`help${needsBuild}`, async () => {
  const { code, stdout } = await start("--help").ended;
  expect([code, (await start("model", "-h").ended).stdout]).toEqual([0, stdout]);
  expect(stdout).toMatch(/^Usage: turnwise-testkit model \[options\]\n/);
});

test.skipIf(!built).each<[string[], number, string]>([
  [[], 2, "expected a command: model\nSee turnwise-testkit --help.\n"],
  [["serve"], 2, 'there is no command "serve": expected model\nSee turnwise-testkit --help.\n'],
  [["model", "--prot", "1"], 2, "Unknown option '--prot'"],
  [["model", "--port", "x"], 2, '--port is "x": expected a number from 0 to 65535'],
  [["model", "more"], 2, "Unexpected argument 'more'"],
  [["model", "--script", "no.yaml"], 1, "no.yaml: there is no such file\n"],
])(`wrong: %j${needsBuild}`, async (words, code, message) => {
  const ended = await start(...words).ended;
  expect(ended).toMatchObject({ code, stdout: "" });
  expect(ended.stderr.startsWith(message)).toBe(true);
  expect(ended.stderr).not.toMatch(/^\s+at /m);
});

test.skipIf(!built)(`a port in use${needsBuild}`, async () => {
  const { model } = await open();
  const { port } = new URL(model.url);
  expect(await start("model", "--port", port).ended).toEqual({
    code: 1,
    stdout: "",
    stderr: `port ${port} of 127.0.0.1 is in use; choose another one, or 0 for a free one\n`,
  });
});
