import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { repository } from "./support/cli.js";

/*
 * 100 conversations at once with every transport: no conversation hears of another, and when the run is over no process,
 * socket or timer is left. The program below ends only when nothing holds it.
 */

const program = join(repository, "test/support/hundred-sessions.mjs");

test.each([
  "function",
  "file",
  "http",
  "sse",
  "ndjson",
  "custom",
  "node",
  "chat",
  "chat-stream",
  "responses",
  "responses-stream",
])("100 conversations at once: %s", { timeout: 60_000 }, async (agent) => {
  const { stdout } = await promisify(execFile)(process.execPath, [program, agent]);
  const { left, ...outcome } = JSON.parse(stdout) as Record<string, unknown>;
  expect(outcome, `left: ${String(left)}`).toEqual({
    passed: 100,
    errors: [],
    more: 0,
    programs: [],
  });
});
