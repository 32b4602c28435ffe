import { realpathSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  agentOf,
  outcomeOf,
  projectWith,
  replyOf,
  run,
  temporaryFolder,
} from "../agent.test.support.js";
import { programProject, runProgram } from "./program.test.support.js";

const two = { turns: [{ input: "a" }, { input: "b" }] };
const agentError = "failed (agent): agent error: ";

test("a line of the default wire each turn, and text or an object as the reply", async () => {
  const { outcome, result } = await runProgram(
    "onLine((request, turn) => say(turn === 1 ? { content: JSON.stringify(request) } : 'text'))",
    { ...two, options: { metadata: { tier: 3 } } },
  );
  expect(outcome).toBe("passed");
  const [first, second] = result.turns;
  expect(JSON.parse(first?.output as string)).toEqual({
    session_id: result.session_id,
    test_id: "c",
    turn: 1,
    input: "a",
    messages: [{ role: "user", content: "a" }],
    attachments: [],
    options: { metadata: { tier: 3 } },
  });
  expect(second?.output).toBe("text");
});

test("mocked tools, requests and answers go the same way", async () => {
  const { outcome, result } = await runProgram(
    `onLine(({ tool_results, answer, messages }, turn) => say(
      turn === 1 ? { content: "", tool_calls: [{ id: "1", name: "find" }], finish_reason: "tool_calls" }
      : turn === 2 ? { content: JSON.stringify(tool_results), pending: [{ id: "r", kind: "approval", prompt: "Ok?" }] }
      : JSON.stringify([answer, messages])))`,
    {
      turns: [{ input: "a" }, { answer: { approve: true } }],
      mocks: { tools: { find: { returns: 1 } } },
    },
    { history: "last" },
  );
  expect(outcome).toBe("passed");
  expect(result.turns.map(({ output }) => JSON.parse(output as string) as unknown)).toEqual([
    [{ id: "1", name: "find", result: 1 }],
    [{ request_id: "r", approve: true }, []],
  ]);
});

describe("what the program writes to stderr", () => {
  test("is in the transcript, turn by turn", async () => {
    const { result } = await runProgram(
      "onLine((_, turn) => { log(`one ${turn}\\n\\nü`); say('x') })",
      two,
    );
    expect(result.turns.map(({ log }) => log)).toEqual(["one 1\n\nü", "one 2\n\nü"]);
  });

  test("also before a crash, with its last line in the message", async () => {
    const { outcome, result } = await runProgram(
      "onLine(() => { log('one\\ntwo'); process.exit(3) })",
    );
    expect(outcome).toBe(`${agentError}the program NODE ended with code 3 before it answered: two`);
    expect(result.turns[0]?.log).toBe("one\ntwo");
  });

  test("also beside what is no JSON", async () => {
    const { outcome, result } = await runProgram(
      "onLine(() => { log('why'); raw('Hello there\\n') })",
    );
    expect(outcome).toBe(
      `${agentError}expected one line of JSON from the program for each line it reads, got: Hello there; what is for people goes to stderr`,
    );
    expect(result.turns[0]?.log).toBe("why");
  });

  test("only the end of it, when it is much", async () => {
    const { result } = await runProgram(
      "onLine(() => { log('a'.repeat(99_999) + 'end'); say('x') })",
    );
    const { log = "" } = result.turns[0]!;
    expect([log.length < 70_000, log.endsWith("aend")]).toEqual([true, true]);
  });

  // These are the moments in which one would like to read it; the log is with the program that was killed.
  test("also of a turn that takes too long", async () => {
    const { outcome, result } = await runProgram(
      "log('waiting for the database'); onLine(() => undefined)",
      { turn_timeout: 1500 },
    );
    expect(outcome).toBe("failed (agent): timeout after 1.5s");
    expect(result.turns[0]?.log).toBe("waiting for the database");
  });

  test("also beside a line that is too long", async () => {
    const { result } = await runProgram(
      "onLine(() => { log('why'); for (let i = 0; i < 11; i++) raw('x'.repeat(1024 * 1024)) })",
    );
    expect(result.turns[0]?.log).toBe("why");
  });
});

describe("a program that breaks off", () => {
  test.each<[string, string]>([
    ["process.exit(0)", "ended with code 0 before it answered"],
    ["process.exit(3)", "ended with code 3 before it answered"],
    ["process.kill(process.pid, 'SIGKILL')", "was ended by SIGKILL before it answered"],
    ["onLine(() => process.exit(0))", "ended with code 0 before it answered"],
    [
      "process.stdin.destroy(); log('bye'); setTimeout(() => process.exit(1), 20)",
      "ended with code 1 before it answered: bye",
    ],
  ])("%s", async (body, message) => {
    expect((await runProgram(body)).outcome).toBe(`${agentError}the program NODE ${message}`);
  });

  test("after its answer, the next turn says how", async () => {
    const { outcome, result } = await runProgram(
      "onLine(() => { say('x'); log('spent'); process.exit(4) })",
      two,
    );
    // What comes after the answer may still be read with it, or only with the exit.
    expect(outcome).toContain(`${agentError}the program NODE ended with code 4 before it answered`);
    expect(result.turns.map(({ status }) => status)).toEqual(["passed", "failed"]);
    expect(result.turns.flatMap(({ log }) => log ?? [])).toEqual(["spent"]);
  });

  test("after its last answer, nobody minds", async () => {
    expect((await runProgram("onLine(() => { say('x'); process.exit(4) })")).outcome).toBe(
      "passed",
    );
  });
});

describe("lines", () => {
  test.each<[string, string, unknown]>([
    ["blank lines are skipped", "raw('\\n \\r\\n'); say('x')", "x"],
    ["CRLF", "raw('\"x\"\\r\\n')", "x"],
    [
      "a line in pieces, cut inside of a character",
      "const b = Buffer.from('\"日🦜\"\\n'); writeSync(1, b.subarray(0, 2)); setTimeout(() => writeSync(1, b.subarray(2)), 20)",
      "日🦜",
    ],
    ["U+2028 ends no line", "raw('\"a\\u2028b\\u0085c\"\\n')", "a\u2028b\u0085c"],
    [
      "bytes that are no UTF-8",
      "writeSync(1, Buffer.from([0x22, 0xff, 0x61, 0x22, 0x0a]))",
      "\uFFFDa",
    ],
    ["many megabytes", "say('x'.repeat(9_000_000))", "x".repeat(9_000_000)],
  ])("%s", async (_, body, output) => {
    const { outcome, result } = await runProgram(`onLine(() => { ${body} })`);
    expect(outcome).toBe("passed");
    expect(result.turns[0]?.output === output).toBe(true);
  });

  test("two for one: the second is refused at the next turn, quoted", async () => {
    const { outcome } = await runProgram('onLine(() => raw(\'"x"\\n\\n"y"\\n\'))', two);
    expect(outcome).toBe(
      `${agentError}the program wrote a line that nobody asked for: "y"; one line answers one line, and what is for people goes to stderr`,
    );
  });

  test("a greeting is taken for the answer, and quoted", async () => {
    const { outcome } = await runProgram("raw('Ready.\\n'); onLine(() => say('x'))");
    expect(outcome).toContain(
      "expected one line of JSON from the program for each line it reads, got: Ready.; ",
    );
  });

  test.each(["null", "1", "[]"])("%s is no reply", async (line) => {
    const { outcome } = await runProgram(`onLine(() => raw('${line}\\n'))`);
    expect(outcome).toContain(
      `${agentError}expected a reply (text, or an object with "content"), got `,
    );
  });

  test("more than 10 MB are not taken, with or without an end", async () => {
    const message = `${agentError}the program wrote a line of more than the 10 MB that are taken`;
    const endless = "onLine(() => { for (;;) raw('x'.repeat(65536)) })";
    const one = "onLine(() => { process.stdout.write('x'.repeat(11_000_000) + '\\n') })";
    expect((await runProgram(one)).outcome).toBe(message);
    expect((await runProgram(endless)).outcome).toBe(message);
  });

  // Readers of JSON lines take a last line without its end.
  test("a last line needs no end when the program ends with it", async () => {
    expect((await runProgram("onLine(() => { raw('\"x\"'); process.exit(0) })")).outcome).toBe(
      "passed",
    );
  });

  // The http adapter takes it; programs on Windows write it.
  test("a byte order mark in front", async () => {
    expect((await runProgram("onLine(() => raw('\\uFEFF\"x\"\\n'))")).outcome).toBe("passed");
  });
});

test("a large request, to a program that reads it slowly", async () => {
  const { outcome, result } = await runProgram(
    `const { createHash } = await import("node:crypto");
     process.stdin.pause();
     const hash = createHash("sha256"); let size = 0;
     const timer = setInterval(() => {
       const chunk = process.stdin.read(262144) ?? process.stdin.read();
       if (chunk === null) return;
       size += chunk.length; hash.update(chunk);
       if (chunk.at(-1) === 10) { clearInterval(timer); say(String(size)); }
     }, 1);`,
    { input: "y".repeat(5_000_000) },
  );
  expect(outcome).toBe("passed");
  expect(Number(result.turns[0]?.output)).toBeGreaterThan(10_000_000);
});

describe("what cannot be started is the author's", () => {
  test.each<[string, object, RegExp]>([
    [
      "no such program",
      { command: ["no-such-program-here"] },
      /^error \(author\): cannot start no-such-program-here: there is no such program, or no folder /,
    ],
    [
      "not executable",
      { command: ["./agent.txt"] },
      /^error \(author\): cannot start \.\/agent\.txt: it is not executable/,
    ],
    [
      "a folder",
      { command: ["./folder"] },
      /^error \(author\): cannot start \.\/folder: it is not executable/,
    ],
    [
      "no such cwd",
      { command: [process.execPath], cwd: "gone" },
      /^error \(author\): cannot start .*: there is no such program, or no folder .*gone/,
    ],
  ])("%s", async (_, options, message) => {
    const project = await projectWith(
      { type: "command", ...options },
      { "agent.txt": "x", "folder/a": "" },
    );
    expect(outcomeOf(await run(project))).toMatch(message);
  });

  // Node throws these at once instead of telling them by an event, so that the agent is blamed.
  test.each<[string, object]>([
    ["a cwd that is a file", { command: [process.execPath, "-e", "0"], cwd: "agent.txt" }],
    ["a NUL in an argument", { command: [process.execPath, "a\0b"] }],
    ["a NUL in a variable", { command: [process.execPath, "-e", "0"], env: { A: "a\0b" } }],
    ["arguments that are too long", { command: [process.execPath, "x".repeat(3_000_000)] }],
  ])("%s", async (_, options) => {
    const project = await projectWith({ type: "command", ...options }, { "agent.txt": "x" });
    expect(outcomeOf(await run(project))).toMatch(/^error \(author\): cannot start /);
  });
});

test("variables and working directory", async () => {
  const body =
    "onLine(() => say([process.cwd(), process.env.A, process.env.PATH === undefined, process.env.EMPTY].join('|')))";
  const project = await programProject(
    body,
    {
      command: [process.execPath, "../agent.mjs"],
      cwd: "inner",
      env: { A: "{{input}} $HOME", EMPTY: "" },
    },
    { "inner/x": "" },
  );
  const result = await run(project);
  expect(result.turns[0]?.output).toBe(
    `${realpathSync(project.root)}/inner|{{input}} $HOME|false|`,
  );
});

test("no shell is involved", async () => {
  const args = ["$HOME", "a b", "; exit 1", "*", '"'];
  const script =
    "process.stdin.on('data', () => console.log(JSON.stringify(JSON.stringify(process.argv.slice(1)))))";
  const agent = await agentOf(
    "command",
    { command: [process.execPath, "-e", script, ...args] },
    temporaryFolder(),
  );
  expect(await replyOf(agent)).toEqual({ content: JSON.stringify(args) });
  await agent.close?.("s1");
});

test("session ids that the program issues", async () => {
  const { result } = await runProgram(
    "onLine(({ session_id }, turn) => say({ content: session_id, session_id: `own-${turn}` }))",
    { turns: [{ input: "a" }, { input: "b" }, { input: "c" }] },
  );
  expect(result.turns.map(({ output }) => output)).toEqual([result.session_id, "own-1", "own-2"]);
});
