import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Project } from "@turnwise/core";
import { runSuite } from "@turnwise/core";
import { expect, test } from "vitest";
import {
  agentOf,
  outcomeOf,
  replyOf,
  requestOf,
  run,
  temporaryFolder,
} from "../agent.test.support.js";
import { isAlive, programProject } from "./program.test.support.js";

/** A child that lives for a minute, has our stdout, and writes its pid to the file `child`. */
const withChild = (options: string): string =>
  `const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"], ${options});
   child.unref();
   writeFileSync("child", String(child.pid));
   writeFileSync("self", String(process.pid));`;

const pidIn = (project: Project, file: string): number =>
  Number(readFileSync(join(project.root, file), "utf8"));

/** Killed processes are gone once they are collected, which may take a moment. */
async function gone(pid: number): Promise<void> {
  while (isAlive(pid)) await setTimeout(5);
}

const hangs = `process.on("SIGTERM", () => undefined);
  onLine(({ input }) => { if (input === "hang") writeFileSync("hangs", ""); else say(input); });`;

test("a program that hangs is ended with its children, and the next case is not disturbed", async () => {
  const controller = new AbortController();
  const project = await programProject(`${withChild('{ stdio: "inherit" }')} ${hangs}`);
  const hung = run(project, { input: "hang" }, { signal: controller.signal });
  while (!existsSync(join(project.root, "hangs"))) await setTimeout(5);
  const pids = [pidIn(project, "self"), pidIn(project, "child")];
  expect(pids.map(isAlive)).toEqual([true, true]);
  controller.abort();
  expect((await hung).status).toBe("skipped");
  for (const pid of pids) await gone(pid);
  expect((await run(project, { input: "b" })).turns[0]?.output).toBe("b");
});

test("the deadline of a turn ends it just so", async () => {
  const project = await programProject(`${withChild('{ stdio: "inherit" }')} ${hangs}`);
  const hung = await run(project, { input: "hang", turn_timeout: 100 });
  expect(outcomeOf(hung)).toBe("failed (agent): timeout after 100ms");
  expect((await run(project, { input: "b" })).turns[0]?.output).toBe("b");
});

test("a program that ends well leaves no child behind", async () => {
  const project = await programProject(
    `${withChild('{ stdio: "ignore" }')} onLine(() => say("x"))`,
  );
  expect(outcomeOf(await run(project))).toBe("passed");
  await gone(pidIn(project, "self"));
  await gone(pidIn(project, "child"));
});

test("a program that ignores the end of its input and SIGTERM is ended", async () => {
  const project = await programProject(
    `writeFileSync("self", String(process.pid));
     process.on("SIGTERM", () => undefined); setInterval(() => undefined, 1_000);
     onLine(() => say("x"))`,
  );
  expect(outcomeOf(await run(project))).toBe("passed");
  await gone(pidIn(project, "self"));
});

test("a program that ends with its input may tidy up", async () => {
  const project = await programProject(
    'onLine(() => say("x")); process.stdin.on("end", () => writeFileSync("tidy", "done"))',
  );
  expect(outcomeOf(await run(project))).toBe("passed");
  expect(readFileSync(join(project.root, "tidy"), "utf8")).toBe("done");
});

// Only "close" is listened to, which comes when all copies of stdout are closed: the turn waits for its deadline.
test("a program that ends while a child has its stdout has ended", async () => {
  const project = await programProject(
    `${withChild('{ stdio: "inherit" }')} onLine(() => process.exit(3))`,
  );
  expect(outcomeOf(await run(project, { turn_timeout: 3_000 }))).toContain("ended with code 3");
});

// A daemon that left the process group is not killed with it; closing then waits for its stdout, until core gives up
// after 10 s, for every conversation.
test("a daemon that has our stdout does not hold up the end of a conversation", async () => {
  const body = `
    const { spawn } = require("node:child_process");
    const script = "setTimeout(() => require('fs').writeFileSync('over', ''), 4_000)";
    const daemon = spawn(process.execPath, ["-e", script], { stdio: "inherit", detached: true });
    daemon.unref();
    process.stdin.once("data", () => { console.log(JSON.stringify(String(daemon.pid))); });
    process.stdin.on("end", () => process.exit());`;
  const root = temporaryFolder();
  const agent = await agentOf("command", { command: [process.execPath, "-e", body] }, root);
  const pid = Number(((await replyOf(agent)) as { content: string }).content);
  await agent.close?.("s1");
  const waitedForIt = existsSync(join(root, "over"));
  if (!waitedForIt) process.kill(pid, "SIGKILL");
  expect(waitedForIt).toBe(false);
});

test("one process a conversation, also of those at the same time; ended when it is over", async () => {
  const turns = [{ input: "a" }, { input: "b" }];
  const cases = ["c1", "c2", "c3", "c4"].map((id) => ({ id, turns }));
  const project = await programProject("onLine((_, turn) => say(`${process.pid} ${turn}`))");
  const outputs: string[][] = [];
  const listeners = process.listenerCount("exit");
  await runSuite({
    cases,
    project,
    agent: "a",
    limits: { parallel: 4 },
    onEvent: (event) => {
      if (event.type === "case-end")
        outputs.push(event.result.turns.map(({ output }) => String(output)));
    },
  });
  const pids = outputs.map(([first]) => Number(first?.split(" ")[0]));
  expect(outputs).toEqual(pids.map((pid) => [`${pid} 1`, `${pid} 2`]));
  expect(new Set(pids).size).toBe(4);
  for (const pid of pids) await gone(pid);
  expect(process.listenerCount("exit")).toBe(listeners);
});

test("an aborted turn ends the program, and asking with an aborted signal starts no wait", async () => {
  const controller = new AbortController();
  const root = temporaryFolder();
  const agent = await agentOf(
    "command",
    {
      command: [
        process.execPath,
        "-e",
        "require('fs').writeFileSync('self', String(process.pid)); process.stdin.resume()",
      ],
    },
    root,
  );
  const pending = replyOf(agent, { signal: controller.signal });
  while (!existsSync(join(root, "self"))) await setTimeout(5);
  controller.abort();
  expect(await pending).toMatch(/the program was ended/);
  await agent.close?.("s1");
  await expect(
    (async () => agent.respond(requestOf({ sessionId: "s2", signal: controller.signal })))(),
  ).rejects.toThrow("aborted");
  await agent.close?.("s2");
});

test("closing what was never opened, or twice, is nothing", async () => {
  const agent = await agentOf(
    "command",
    { command: [process.execPath, "-e", "process.stdin.once('data', () => console.log('1'))"] },
    temporaryFolder(),
  );
  await agent.close?.("unknown");
  await replyOf(agent);
  await agent.close?.("s1");
  await agent.close?.("s1");
  const missing = await agentOf(
    "command",
    { command: ["no-such-program-here"] },
    temporaryFolder(),
  );
  expect(await replyOf(missing)).toEqual(expect.stringMatching(/^author: cannot start/));
  expect(await replyOf(missing)).toEqual(expect.stringMatching(/^author: cannot start/));
  await missing.close?.("s1");
});
