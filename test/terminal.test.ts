import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { temporaryProject } from "./support/cli.js";
import { isRunning } from "./support/is-running.js";
import { hasTmux, startInTerminal } from "./support/tmux.js";

if (!hasTmux)
  process.stderr.write(
    "\nSKIPPED: the tests in a real terminal need tmux, which is not installed.\n\n",
  );

const desk = `export default async ({ turn, input, answer }) => {
  await new Promise((done) => setTimeout(done, 20));
  if (turn === 1) return "For which day, 你好?";
  if (turn === 2)
    return { content: "", pending: [{ id: "r" + Math.random(), kind: "choice", prompt: "Where?", options: ["inside", "outside"] }] };
  if (turn === 3)
    return {
      content: "",
      tool_calls: [{ name: "hold", arguments: { where: answer?.choice ?? input }, result: { price: 30 } }],
      pending: [{ id: "r" + Math.random(), kind: "approval", prompt: "Pay 30 euros?" }],
    };
  return "Done: " + JSON.stringify(answer?.approve ?? input);
};`;
const config = '{"defaults": {"agent": "desk"}}';
const lines = (...cases: object[]): string => cases.map((one) => JSON.stringify(one)).join("\n");
const table = {
  id: "table",
  name: "A table for two",
  input: "A table, please",
  interactive: { enabled: true },
  final_assertions: [{ type: "contains", value: "Done" }],
};
const files = { "agents/desk.ts": desk, "turnwise.config.json": config };

describe.skipIf(!hasTmux)("in a terminal", () => {
  test("a question in words, a choice, an approval; what was typed is saved and runs without anybody", async () => {
    const there = temporaryProject({ ...files, "cases.jsonl": lines(table) });
    const terminal = await startInTerminal(["test", "-i", "cases.jsonl"], { cwd: there.root });
    expect(await terminal.sees("the agent waits for you")).toContain("Agent: For which day, 你好?");
    await terminal.type("/save typed.yaml");
    await terminal.press("Enter");
    await terminal.sees("typed.yaml will be written when the case is over");
    await terminal.type("Friday");
    await terminal.press("M-Enter");
    await terminal.type("or Sunday");
    await terminal.sees("  or Sunday");
    await terminal.press("Enter");
    await terminal.sees(" 2. outside");
    await terminal.press("Down", "Enter");
    await terminal.sees("n refuses");
    await terminal.type("y");
    await terminal.press("Enter");
    const screen = await terminal.sees("exit 0");
    expect(screen).toContain("✓ [table] A table for two (4 turns");
    expect(screen).toContain(
      "Saved: typed.yaml (run it with: npx turnwise test -i typed.yaml -n desk)",
    );
    // What was live is gone, what was said stays.
    expect(screen).not.toContain("n refuses");
    const all = await terminal.all();
    expect(all).toContain("You:   Friday\n       or Sunday\n");
    expect(all).toContain("wants (choice): Where? [inside / outside]");
    expect(all).toContain("You:   [answered: outside]");
    const again = await there.run("test", "-i", "typed.yaml");
    expect(again.stdout).toContain("✓ [typed] A table for two (4 turns");
    expect(again.code).toBe(0);
  });

  test("skip, fail and end, one case after the other, while another one goes on", async () => {
    const there = temporaryProject({
      ...files,
      "cases.jsonl": lines(
        { ...table, id: "one" },
        { ...table, id: "two" },
        { ...table, id: "three" },
        {
          id: "alone",
          turns: [{ input: "a" }, { input: "b" }],
          final_assertions: table.final_assertions,
          on_missing_input: "end",
        },
      ),
    });
    const terminal = await startInTerminal(["test", "-i", "cases.jsonl", "--parallel", "4"], {
      cwd: there.root,
      rows: 60,
    });
    // Somebody thinks about the first question; the case that needs nobody is over meanwhile.
    await terminal.sees("└─ Result: FAILED (blame: agent)");
    const typed: Record<string, string> = {
      one: "/skip no time",
      two: "/fail rude",
      three: "/end",
    };
    for (let left = 3; left > 0; left--) {
      // Who comes first is a matter of moments.
      const seen = await terminal.sees(
        new RegExp(`^\\[(${Object.keys(typed).join("|")})\\] turn 2: the agent`, "m"),
      );
      const id = /^\[(\w+)\] turn 2: the agent/m.exec(seen)![1]!;
      await terminal.type(typed[id]!);
      await terminal.press("Enter");
      delete typed[id];
    }
    const screen = await terminal.sees("exit 1");
    expect(screen).toContain("skipped by hand: no time");
    expect(screen).toContain("failed by hand: rude");
    expect(screen).toMatch(/Failed: {2}3\n {2}Skipped: 1/);
  });

  test("every trial of a case asks anew, with a conversation of its own", async () => {
    const there = temporaryProject({ ...files, "cases.jsonl": lines({ ...table, repeat: 2 }) });
    const terminal = await startInTerminal(["test", "-i", "cases.jsonl", "--parallel", "2"], {
      cwd: there.root,
      rows: 60,
    });
    for (const trial of [1, 2]) {
      await terminal.sees(
        new RegExp(`(Agent: For which day[\\s\\S]*){${trial}}turn 2: the agent waits`),
      );
      await terminal.type(`/skip trial ${trial}`);
      await terminal.press("Enter");
    }
    const screen = await terminal.sees("exit 0");
    expect(screen).toContain("skipped by hand: trial 1");
    expect(screen).toContain("skipped by hand: trial 2");
  });

  test("a small screen: the question, many choices and a long text have their share of it", async () => {
    const options = Array.from({ length: 30 }, (_, index) => `choice ${index + 1}`);
    const there = temporaryProject({
      ...files,
      "agents/desk.ts": `export default ({ turn, answer }) => turn === 1
  ? { content: "", pending: [{ id: "r", kind: "choice", prompt: "Which one? ".repeat(200), options: ${JSON.stringify(options)} }] }
  : "Done: " + answer?.choice;`,
      "cases.jsonl": lines(table),
    });
    const terminal = await startInTerminal(["test", "-i", "cases.jsonl", "-v"], {
      cwd: there.root,
      columns: 40,
      rows: 16,
    });
    expect(await terminal.sees("1. choice 1")).toContain("of 30");
    await terminal.press(...Array.from({ length: 11 }, () => "Down"));
    expect(await terminal.sees("12. choice 12")).toMatch(/turn 2: the agent/);
    await terminal.type("long ".repeat(200));
    await terminal.sees(/…[long ]+\n/);
    await terminal.press("C-u");
    await terminal.press("Enter");
    await terminal.sees("exit 0");
    const all = await terminal.all();
    expect(all).toContain("Passed:  1");
    expect(all).toContain('Agent: "Done: choice 12"');
    // For a frame that does not fit Ink clears everything, with what has left the screen.
    expect(await terminal.raw()).not.toContain("\u001B[3J");
  });

  test("the time is up: the question goes away, and the case is a missing input", async () => {
    const there = temporaryProject({
      ...files,
      "cases.jsonl": lines({ ...table, interactive: { enabled: true, timeout: "300ms" } }),
    });
    const terminal = await startInTerminal(["test", "-i", "cases.jsonl"], { cwd: there.root });
    const screen = await terminal.sees("exit 0");
    expect(screen).toContain("nobody answered within 300ms");
    expect(screen).toContain("Skipped: 1");
  });

  test("Ctrl-C at the prompt cancels the run, and gives the terminal back", async () => {
    const there = temporaryProject({ ...files, "cases.jsonl": lines(table) });
    const terminal = await startInTerminal(["test", "-i", "cases.jsonl"], { cwd: there.root });
    await terminal.sees("the agent waits for you");
    await terminal.type("half a sent");
    await terminal.press("C-c");
    const screen = await terminal.sees("exit 130");
    expect(screen).toContain("cancelled");
    expect(screen).toContain("Interrupted");
    // Keys are seen as lines again.
    await terminal.type("echo");
    await terminal.sees(/exit 130\necho$/);
  });

  test.each([
    ["at the prompt", ["test", "-i", "cases.jsonl"]],
    ["in a talk", ["chat"]],
  ])("a terminal that is closed %s ends the program", async (_, args) => {
    const there = temporaryProject({
      ...files,
      "agents/desk.ts": `import { writeFileSync } from "node:fs";
writeFileSync("pid", String(process.pid));
${desk}`,
      "cases.jsonl": lines(table),
    });
    const terminal = await startInTerminal(args, { cwd: there.root });
    await terminal.sees(/you begin|the agent waits for you/);
    const pid = Number(there.read("pid"));
    await terminal.close();
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 10_000 });
  });

  test("--interactive without -i: you begin; Ctrl-D ends", async () => {
    const there = temporaryProject(files);
    const terminal = await startInTerminal(["test", "--interactive"], { cwd: there.root });
    await terminal.sees("[talk] turn 1: you begin");
    await terminal.type("Hello");
    await terminal.press("Enter");
    await terminal.sees("turn 2: the agent waits for you");
    await terminal.press("C-d");
    expect(await terminal.sees("exit 0")).toContain("✓ [talk] (1 turn");
  });

  test("a talk: what the agent does, and a case with suggestions", async () => {
    const there = temporaryProject(files);
    const terminal = await startInTerminal(["chat", "-o", "tests/talk.yaml"], { cwd: there.root });
    await terminal.sees("You talk to desk.");
    await terminal.sees("you begin");
    await terminal.type("Hello");
    await terminal.press("Enter");
    await terminal.sees("→ waits: choice");
    await terminal.type("Friday");
    await terminal.press("Enter");
    await terminal.sees(" 1. inside");
    await terminal.press("Enter");
    await terminal.sees("[called hold(");
    await terminal.type("no");
    await terminal.press("Enter");
    expect(await terminal.sees("the agent is done, and you?")).toContain("→ done (completed)");
    await terminal.press("C-d");
    await terminal.sees("exit 0");
    const text = readFileSync(join(there.root, "tests/talk.yaml"), "utf8");
    expect(text).toContain("- type: tool_called\n          name: hold\n");
    expect(text).toContain("choice: inside");
    const again = await there.run("test", "-i", "tests/talk.yaml");
    expect(again.stdout).toContain("✓ [talk] (4 turns");
  });

  test("an agent that breaks ends the talk, and says why", async () => {
    const there = temporaryProject({
      ...files,
      "agents/desk.ts": "export default () => { throw new Error('no tea'); };",
    });
    const terminal = await startInTerminal(["chat"], { cwd: there.root });
    await terminal.sees("you begin");
    await terminal.type("Hello");
    await terminal.press("Enter");
    expect(await terminal.sees("exit 1")).toContain("error agent error: no tea (agents/desk.ts:1)");
  });

  test("colours and Ctrl-C in what is pasted, and keys that nobody knows, leave the prompt as it is", async () => {
    const there = temporaryProject(files);
    const terminal = await startInTerminal(["chat"], { cwd: there.root });
    await terminal.sees("you begin");
    await terminal.type("\u001B[1;5P\u001B[27;5;9~a");
    await terminal.paste("one\u001B[31m red\u001B[0m\u0003\ntwo\n");
    expect(await terminal.sees("  two")).toContain("› aone red");
    await terminal.press("C-c");
    await terminal.sees("exit 130");
  });

  test("a talk that never began is not saved", async () => {
    const there = temporaryProject(files);
    const terminal = await startInTerminal(["chat", "-o", "talk.yaml"], { cwd: there.root });
    await terminal.sees("you begin");
    await terminal.type("/skip");
    await terminal.press("Enter");
    await terminal.sees("There is no command /skip here");
    await terminal.press("C-d");
    expect(await terminal.sees("exit 0")).toContain("Nothing was said: talk.yaml was not written.");
    expect(existsSync(join(there.root, "talk.yaml"))).toBe(false);
  });

  test("a talk that ends while the agent waits is a case that runs", async () => {
    const there = temporaryProject(files);
    const terminal = await startInTerminal(["chat", "-o", "talk.yaml"], { cwd: there.root });
    await terminal.sees("you begin");
    await terminal.type("Hello");
    await terminal.press("Enter");
    await terminal.sees("turn 2: the agent waits");
    await terminal.press("C-d");
    await terminal.sees("exit 0");
    expect((await there.run("test", "-i", "talk.yaml")).stdout).toContain("✓ [talk] (1 turn");
  });

  test("a megabyte on one line leaves room for the question", async () => {
    const there = temporaryProject({
      ...files,
      "agents/desk.ts": 'export default () => "\\u001B[?1049h長".repeat(100_000) + " Which one?";',
    });
    const terminal = await startInTerminal(["chat"], { cwd: there.root, rows: 24 });
    await terminal.sees("you begin");
    await terminal.type("Hello");
    await terminal.press("Enter");
    const screen = await terminal.sees("turn 2: the agent waits");
    expect(screen).toMatch(/›\n.*Enter sends/);
    expect(await terminal.all()).toContain("characters)");
  });

  test("init: three questions, and a project that runs", async () => {
    const there = temporaryProject({});
    const terminal = await startInTerminal(["init"], { cwd: there.root });
    await terminal.sees("How is your agent reached?");
    await terminal.press("Down", "Enter");
    await terminal.sees("How do you want to write test cases?");
    await terminal.press("Enter");
    await terminal.sees("What runs them for every change?");
    await terminal.press("3");
    await terminal.sees("exit 0");
    const { code, stdout } = await there.run("test", "-i", "tests/**/*.yaml");
    expect(stdout).toContain("Passed:  2\n");
    expect(code).toBe(0);
    expect((await there.run("test", "-n", "mine", "-i", "Hello")).stdout).toContain(
      "You said: Hello",
    );
    expect(existsSync(join(there.root, ".github"))).toBe(false);
  });

  test("live: who is at work, counts and time; nothing of it stays", async () => {
    const there = temporaryProject({
      "turnwise.config.json": config,
      "agents/desk.ts": `import { existsSync } from "node:fs";
export default async ({ testId, turn }) => {
  if (testId !== "a" || turn === 2) while (!existsSync("go")) await new Promise((done) => setTimeout(done, 20));
  return "One\\u001B[2J\\u0007 and 日本語のとても長い文章です ".repeat(50);
};`,
      "cases.jsonl": lines(
        ...["a", "b", "c"].map((id) => ({
          id,
          name: `案件 ${id} `.repeat(20),
          turns: [{ input: "x" }, { input: "y" }],
        })),
      ),
    });
    const terminal = await startInTerminal(["test", "-i", "cases.jsonl", "--parallel", "2", "-v"], {
      cwd: there.root,
    });
    expect(await terminal.sees(/\[a\] turn 2, target/)).toMatch(/ 0\/3 {2}0 passed {2}0:0\d/);
    await terminal.resize(40, 12);
    const narrow = await terminal.sees(/\[b\] turn 1, target/);
    for (const line of narrow.split("\n")) expect(width(line)).toBeLessThanOrEqual(40);
    there.write("go", "");
    const end = await terminal.sees("exit 0");
    expect(end).toContain("Passed:  3");
    expect(end).not.toMatch(/\/3 {2}\d passed/);
    // It would have cleared the screen.
    expect(await terminal.all()).toMatch(/ {2}Turnwise\n[\s\S]*"One and 日本語/);
  });

  test("what an agent prints itself stands above what is live, whole", async () => {
    const there = temporaryProject({
      "turnwise.config.json": config,
      "agents/desk.ts": `import { existsSync } from "node:fs";
export default async ({ turn }) => {
  process.stdout.write("half ");
  console.error("to standard error");
  console.log("and the rest of turn " + turn);
  while (!existsSync("go")) await new Promise((done) => setTimeout(done, 20));
  return "ok";
};`,
      "cases.jsonl": lines({ id: "a", turns: [{ input: "x" }] }),
    });
    const terminal = await startInTerminal(["test", "-i", "cases.jsonl"], { cwd: there.root });
    await terminal.sees(/\[a\] turn 1, target/);
    there.write("go", "");
    expect(await terminal.sees("exit 0")).toContain("to standard error");
    expect(await terminal.all()).toContain("and the rest of turn 1");
  });

  test("NO_COLOR, --quiet and a dumb terminal", async () => {
    const there = temporaryProject({
      ...files,
      "cases.jsonl": lines({ ...table, interactive: undefined }),
    });
    for (const env of [{ NO_COLOR: "1" }, { TERM: "dumb" }, { CI: "true" }]) {
      const terminal = await startInTerminal(["test", "-i", "cases.jsonl", "--quiet"], {
        cwd: there.root,
        env,
      });
      expect(await terminal.sees("exit ")).toContain("Summary");
    }
  });

  test.each([
    [{ NO_COLOR: "1" }, []],
    [{}, ["--no-color"]],
  ] as const)(
    "without colours what is picked and where one types is seen all the same: %j %j",
    async (env, flags) => {
      const there = temporaryProject({ ...files, "cases.jsonl": lines(table) });
      const terminal = await startInTerminal(["test", "-i", "cases.jsonl", ...flags], {
        cwd: there.root,
        env,
      });
      await terminal.sees("the agent waits for you");
      await terminal.type("x");
      await terminal.press("Enter");
      await terminal.sees("› 1. inside");
      await terminal.press("Down");
      expect(await terminal.sees("› 2. outside")).toContain("▏");
      // oxlint-disable-next-line no-control-regex -- control characters are the point
      expect(await terminal.raw()).not.toMatch(/\u001B\[[\d;]+m/);
    },
  );
});

/** Columns that a text takes, roughly: everything from CJK takes two. */
function width(text: string): number {
  return text.length + (text.match(/[\u3000-\u9FFF\uFF00-\uFF60]/g)?.length ?? 0);
}

test("off a terminal nobody is asked: the case does as on_missing_input says, and says why", async () => {
  const there = temporaryProject({ ...files, "cases.jsonl": lines(table) });
  const plain = await there.run("test", "-i", "cases.jsonl");
  expect(plain.stdout).toContain(
    "Warning: the case is interactive, and there is no terminal to ask at",
  );
  expect(plain.stdout).toContain("Skipped: 1");
  const skip = await there.run("test", "-i", "cases.jsonl", "--skip-interactive");
  expect(skip.stdout).toContain("interactive input disabled");
  const fail = await there.run(
    "test",
    "-i",
    "cases.jsonl",
    "--interactive",
    "--on-missing-input",
    "fail",
  );
  expect(fail).toMatchObject({ code: 1 });
  const both = await there.run("test", "-i", "cases.jsonl", "--interactive", "--skip-interactive");
  expect(both.code).toBe(2);
  expect(both.stderr).toContain("'--interactive' cannot be used with option '--skip-interactive'");
  const talk = await there.run("chat");
  expect(talk.code).toBe(2);
  expect(talk.stderr).toContain("a talk needs a terminal");
  const begin = await there.run("test", "--interactive");
  expect(begin.code).toBe(2);
  expect(begin.stderr).toContain(
    "without -i you begin, which needs a terminal, and standard output is none",
  );
});

test("init off a terminal: flags and what is usual; what is there is kept", async () => {
  const there = temporaryProject({ "package.json": '{"name": "mine"}' });
  const made = await there.run("init", "--agent", "openai", "--format", "jsonl", "--ci", "gitlab");
  expect(made.stdout).toContain("package.json (kept as it was)");
  expect(there.read("package.json")).toBe('{"name": "mine"}');
  expect(there.read(".gitlab-ci.yml")).toContain('-i "tests/**/*.jsonl"');
  expect((await there.run("test", "-i", "tests/**/*.jsonl")).code).toBe(0);
  const again = await there.run("init");
  expect(again).toMatchObject({
    code: 2,
    stderr: "error there is a project already: turnwise.config.yaml\n",
  });
  const wrong = await there.run("init", "--agent", "telnet");
  expect(wrong.stderr).toContain("Expected function, command, http, openai.");
});

test.each([
  [["tset"], "Did you mean test?"],
  [["test", "--paralel", "2"], "Did you mean --parallel?"],
  [["chat", "--nmae", "x"], "Did you mean --name?"],
])("%j: %s", async (args, hint) => {
  const { code, stderr } = await temporaryProject({}).run(...args);
  expect(stderr).toContain(hint);
  expect(code).toBe(2);
});
