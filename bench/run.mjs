// npm run bench: what Turnwise costs, beside a floor measured in the same run. Takes some minutes.
//   node bench/run.mjs [start-up] [parallel] [turns] [http] [memory] [validate] [detect]
import { spawn, spawnSync } from "node:child_process";
import {
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = join(root, "apps/turnwise/bin/turnwise.js");
const work = mkdtempSync(join(tmpdir(), "turnwise-bench-"));
const parts = ["start-up", "parallel", "turns", "http", "memory", "validate", "detect"];
const chosen = process.argv.slice(2);
const unknown = chosen.find((name) => !parts.includes(name));
if (unknown !== undefined) throw new Error(`no part "${unknown}"; there are ${parts.join(", ")}`);
process.on("exit", () => rmSync(work, { recursive: true, force: true }));
const wants = (name) => chosen.length === 0 || chosen.includes(name);

/** Runs Node and tells wall milliseconds, CPU milliseconds and the largest resident size in megabytes. */
const measure = (...args) => measureEnding(0, ...args);

/** The same for a run that ends with this exit code. */
function measureEnding(expected, ...args) {
  return measureIn(work, expected, ...args);
}

/** The same in another folder. */
function measureIn(cwd, expected, ...args) {
  const report =
    'process.on("exit",()=>{const u=process.resourceUsage();require("fs").writeSync(2,"\\n@@"+JSON.stringify({cpu:(u.userCPUTime+u.systemCPUTime)/1e3,rss:u.maxRSS/1024}))})';
  const preload = join(work, "report.cjs");
  writeFileSync(preload, report);
  const started = performance.now();
  const child = spawnSync(process.execPath, ["--require", preload, ...args], {
    cwd,
    encoding: "utf8",
    maxBuffer: 1 << 30,
  });
  const wall = performance.now() - started;
  const [output, facts] = child.stderr.split("\n@@");
  // A run that skipped its cases would be quick, too.
  const idle = child.stdout.includes("Summary") && !/Skipped: 0\b/.test(child.stdout);
  if (facts === undefined || child.status !== expected || idle)
    throw new Error(`${args.join(" ")} ended with ${child.status}\n${child.stdout}\n${output}`);
  return { wall, ...JSON.parse(facts) };
}

/** The median of several runs, by wall time. */
function median(times, ...args) {
  const runs = Array.from({ length: times }, () => measure(...args));
  return runs.toSorted((a, b) => a.wall - b.wall)[Math.floor(times / 2)];
}

const ms = (value) => `${Math.round(value)} ms`;
const row = (name, ...facts) => console.log(`${name.padEnd(46)} ${facts.join("   ")}`);

function caseLines(cases, turns, value = (turn) => `message ${turn}`) {
  return Array.from({ length: cases }, (_, index) =>
    JSON.stringify({
      id: `case-${index}`,
      turns: Array.from({ length: turns }, (__, turn) => ({
        input: `message ${turn} of ${index}`,
        assertions: [{ type: "contains", value: value(turn) }],
      })),
    }),
  );
}

mkdirSync(join(work, "agents"));
writeFileSync(
  join(work, "agents/echo.mjs"),
  "export default ({ input }) => `You said: ${input}.`;\n",
);
writeFileSync(
  join(work, "agents/slow.mjs"),
  "export default ({ input }) => new Promise((done) => setTimeout(done, 100, `You said: ${input}.`));\n",
);
writeFileSync(join(work, "one.jsonl"), caseLines(1, 1).join("\n"));

console.log(`Node ${process.version}, ${new Date().toISOString()}\n`);

if (wants("start-up")) {
  const times = 15;
  const bare = median(times, "-e", "0");
  const help = median(times, bin, "--help");
  const one = median(times, bin, "test", "-i", "one.jsonl", "-n", "echo");
  console.log(`Start-up, medians of ${times}`);
  row("  node -e 0", ms(bare.wall));
  row("  turnwise --help", ms(help.wall), `${(help.wall / bare.wall).toFixed(2)} x node`);
  row(
    "  one case, one turn",
    ms(one.wall),
    `${(one.wall / bare.wall).toFixed(2)} x node`,
    `${Math.round(one.rss)} MB`,
  );
}

if (wants("parallel")) {
  writeFileSync(join(work, "many.jsonl"), caseLines(500, 4).join("\n"));
  const run = median(
    3,
    bin,
    "test",
    "-i",
    "many.jsonl",
    "-n",
    "slow",
    "--parallel",
    "50",
    "--quiet",
  );
  const empty = median(3, bin, "test", "-i", "one.jsonl", "-n", "slow", "--quiet");
  // 500 cases in 10 waves of 50, 4 turns of 100 ms each; one case shows what start-up costs.
  const ideal = 10 * 4 * 100;
  const wall = run.wall - (empty.wall - 100);
  console.log("\n500 cases x 4 turns of 100 ms, --parallel 50");
  row("  ideal", ms(ideal));
  row(
    "  turnwise, without start-up",
    ms(wall),
    `${(wall / ideal).toFixed(3)} x ideal`,
    `${Math.round(run.rss)} MB`,
  );
}

if (wants("turns")) {
  const cases = 10_000;
  const turns = 5;
  writeFileSync(join(work, "turns.jsonl"), caseLines(cases, turns).join("\n"));
  // The floor: the same file, the same agent, the same check, results as JSONL, and nothing else.
  writeFileSync(
    join(work, "floor.mjs"),
    `import { createReadStream, createWriteStream } from "node:fs";
     import { createInterface } from "node:readline";
     import agent from "./agents/echo.mjs";
     const out = createWriteStream("floor-out.jsonl");
     for await (const line of createInterface({ input: createReadStream("turns.jsonl") })) {
       const { id, turns } = JSON.parse(line);
       const rows = [];
       for (const turn of turns) {
         const output = await agent({ input: turn.input });
         rows.push({ input: turn.input, output, passed: output.includes(turn.assertions[0].value) });
       }
       out.write(JSON.stringify({ id, rows }) + "\\n");
     }
     out.end();`,
  );
  const bare = median(3, "-e", "0");
  const floor = median(3, "floor.mjs");
  const one = median(3, bin, "test", "-i", "one.jsonl", "-n", "echo", "--quiet");
  const run = median(
    3,
    bin,
    "test",
    "-i",
    "turns.jsonl",
    "-n",
    "echo",
    "--quiet",
    "-o",
    "out.jsonl",
  );
  // Start-up is taken off on both sides.
  const perTurn = (total, start) => ((total.cpu - start.cpu) / (cases * turns)) * 1_000;
  const [least, ours] = [perTurn(floor, bare), perTurn(run, one)];
  console.log(
    `\n${cases} conversations x ${turns} turns, function agent, one assertion a turn, JSONL out`,
  );
  row(
    "  floor",
    ms(floor.wall),
    `${least.toFixed(0)} µs CPU a turn`,
    `${Math.round(floor.rss)} MB`,
  );
  row(
    "  turnwise",
    ms(run.wall),
    `${ours.toFixed(0)} µs CPU a turn`,
    `${(ours / least).toFixed(1)} x the floor`,
    `${Math.round(run.rss)} MB`,
  );
}

if (wants("http")) {
  const cases = 2_000;
  const turns = 5;
  const parallel = 20;
  // A process of its own: its work must not count as ours.
  writeFileSync(
    join(work, "server.mjs"),
    `import { createServer } from "node:http";
     const server = createServer((request, response) => {
       const chunks = [];
       request.on("data", (chunk) => chunks.push(chunk)).on("end", () => {
         const { input } = JSON.parse(Buffer.concat(chunks));
         response.writeHead(200, { "content-type": "application/json" });
         response.end(JSON.stringify({ content: "You said: " + input + "." }));
       });
     });
     server.keepAliveTimeout = 60_000;
     server.listen(0, "127.0.0.1", () => console.log(server.address().port));`,
  );
  const server = spawn(process.execPath, ["server.mjs"], { cwd: work });
  const [port] = await once(server.stdout, "data");
  const url = `http://127.0.0.1:${String(port).trim()}/`;
  const project = join(work, "http");
  mkdirSync(project);
  writeFileSync(
    join(project, "turnwise.config.json"),
    JSON.stringify({ agents: { http: { type: "http", url } } }),
  );
  writeFileSync(join(project, "many.jsonl"), caseLines(cases, turns).join("\n"));
  writeFileSync(join(project, "one.jsonl"), caseLines(1, 1).join("\n"));
  // The floor: the same requests over kept connections, the same check, results as JSONL, and nothing else.
  writeFileSync(
    join(project, "floor.mjs"),
    `import { createReadStream, createWriteStream } from "node:fs";
     import { Agent, request } from "node:http";
     import { createInterface } from "node:readline";
     const agent = new Agent({ keepAlive: true });
     const out = createWriteStream("floor-out.jsonl");
     const ask = (body) => new Promise((resolve, reject) => {
       const text = JSON.stringify(body);
       const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
       request(${JSON.stringify(url)}, { method: "POST", agent, headers }, (response) => {
         const chunks = [];
         response.on("data", (chunk) => chunks.push(chunk));
         response.on("end", () => resolve(JSON.parse(Buffer.concat(chunks)).content));
       }).on("error", reject).end(text);
     });
     const run = async ({ id, turns }) => {
       const rows = [];
       const messages = [];
       for (const { input, assertions } of turns) {
         messages.push({ role: "user", content: input });
         const output = await ask({ session_id: id, test_id: id, turn: rows.length + 1, input, messages, attachments: [], options: { metadata: {} } });
         messages.push({ role: "assistant", content: output });
         rows.push({ input, output, passed: output.includes(assertions[0].value) });
       }
       out.write(JSON.stringify({ id, rows }) + "\\n");
     };
     const lines = createInterface({ input: createReadStream(process.argv[2]) })[Symbol.asyncIterator]();
     const worker = async () => {
       for (let next = await lines.next(); !next.done; next = await lines.next()) await run(JSON.parse(next.value));
     };
     await Promise.all(Array.from({ length: ${parallel} }, worker));
     agent.destroy();
     out.end();`,
  );
  const ours = ["-n", "http", "--parallel", String(parallel), "--quiet"];
  const inProject = (name) => join(project, name);
  const measured = (args) => {
    const runs = Array.from({ length: 3 }, () => measureIn(project, 0, ...args));
    return runs.toSorted((a, b) => a.cpu - b.cpu)[1];
  };
  const floorOne = measured([inProject("floor.mjs"), "one.jsonl"]);
  const floor = measured([inProject("floor.mjs"), "many.jsonl"]);
  const one = measured([bin, "test", "-i", "one.jsonl", ...ours]);
  const run = measured([bin, "test", "-i", "many.jsonl", ...ours, "-o", "out.jsonl"]);
  server.kill();
  // Start-up is taken off on both sides.
  const perTurn = (total, start) => ((total.cpu - start.cpu) / (cases * turns)) * 1_000;
  const [least, spent] = [perTurn(floor, floorOne), perTurn(run, one)];
  console.log(`\n${cases} conversations x ${turns} turns over http, --parallel ${parallel}`);
  row("  floor, pooled node:http", ms(floor.wall), `${least.toFixed(0)} µs CPU a turn`);
  row(
    "  turnwise",
    ms(run.wall),
    `${spent.toFixed(0)} µs CPU a turn`,
    `${(spent / least).toFixed(2)} x the floor`,
    `${Math.round(run.rss)} MB`,
  );
  row(
    "  one case end to end",
    ms(one.wall),
    `floor ${ms(floorOne.wall)}`,
    `${(one.wall / floorOne.wall).toFixed(2)} x the floor`,
  );
}

if (wants("memory")) {
  // Case files are written in pieces: a hundred thousand cases are no text to hold.
  const write = async (name, cases, value) => {
    const file = createWriteStream(join(work, name));
    for (let from = 0; from < cases; from += 1_000)
      if (
        !file.write(
          `${caseLines(Math.min(1_000, cases), 3, value)
            .map((line, at) => line.replace(/case-\d+/, `case-${from + at}`))
            .join("\n")}\n`,
        )
      )
        await once(file, "drain");
    file.end();
    await once(file, "close");
  };
  console.log(
    "\nMemory and time by the number of cases: 3 turns, function agent, one assertion a turn, JSONL out",
  );
  const show = async (cases, what, status, value, flag) => {
    await write("cases.jsonl", cases, value);
    const args = [bin, "test", "-i", "cases.jsonl", "-n", "echo", flag, "-o", "out.jsonl"];
    const run = measureEnding(status, ...args);
    row(
      `  ${cases} cases, ${what}`,
      ms(run.wall),
      `${((run.cpu / cases) * 1_000).toFixed(0)} µs CPU a case`,
      `${Math.round(run.rss)} MB`,
    );
  };
  for (const cases of [1_000, 10_000, 100_000]) {
    await show(cases, "all pass", 0, undefined, "--quiet");
    await show(cases, "all fail, --json", 1, () => "something else", "--json");
  }
}

if (wants("validate")) {
  const file = createWriteStream(join(work, "million.jsonl"));
  for (let index = 0; index < 1_000_000; index++)
    if (
      !file.write(
        `{"id":"case-${index}","input":"message ${index}","assertions":[{"type":"contains","value":"message"}]}\n`,
      )
    )
      await once(file, "drain");
  file.end();
  await once(file, "close");
  writeFileSync(
    join(work, "floor-lines.mjs"),
    `import { createReadStream } from "node:fs";
     import { createInterface } from "node:readline";
     const ids = new Set();
     for await (const line of createInterface({ input: createReadStream("million.jsonl") })) ids.add(JSON.parse(line).id);
     if (ids.size !== 1_000_000) process.exitCode = 1;`,
  );
  const floor = measure("floor-lines.mjs");
  const run = measure(bin, "validate", "-i", "million.jsonl", "-n", "echo");
  console.log("\nA JSONL file of a million cases");
  row("  floor: JSON.parse and a Set of ids", ms(floor.wall), `${Math.round(floor.rss)} MB`);
  row("  turnwise validate", ms(run.wall), `${Math.round(run.rss)} MB`);
}

if (wants("detect")) {
  const { detectAwaitingInput } = await import("../packages/core/dist/index.js");
  const texts = readFileSync(join(root, "packages/core/src/awaiting/turns.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).text);
  // The floor: is there a question mark at the end?
  const mark = /[?？؟]\s*$/;
  const time = (judge) => {
    const times = [];
    for (let round = 0; round < 20; round++)
      for (const text of texts) {
        const started = performance.now();
        judge(text);
        if (round > 2) times.push((performance.now() - started) * 1_000);
      }
    times.sort((a, b) => a - b);
    return [times[times.length >> 1], times[Math.floor(times.length * 0.99)]];
  };
  const shown = ([middle, slow]) => [`median ${middle.toFixed(1)} µs`, `p99 ${slow.toFixed(0)} µs`];
  console.log("\nIs a reply waiting? " + texts.length + " replies");
  row("  floor: a question mark at the end", ...shown(time((text) => mark.test(text))));
  row("  detectAwaitingInput", ...shown(time((text) => detectAwaitingInput(text))));
  for (const [name, text] of Object.entries({
    words: "hello there you ".repeat(62_500),
    fences: "```\n".repeat(250_000),
    questions: "Which one? ".repeat(90_000),
    quotes: '"a '.repeat(333_333),
    brackets: "[a](".repeat(250_000),
  })) {
    const started = performance.now();
    detectAwaitingInput(text);
    row(`  a megabyte of ${name}`, ms(performance.now() - started));
  }
}
