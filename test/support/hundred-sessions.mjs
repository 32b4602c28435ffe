// Runs 100 conversations at once with an agent of examples/connect and prints what came of them, and what is left in this
// process afterwards: node hundred-sessions.mjs <agent>. A program of its own, so that nothing else is in the process.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startFakeModel } from "@turnwise/testkit";
import agents from "@turnwise/agents";
import assertions from "@turnwise/assertions";
import { loadProject, runSuite } from "@turnwise/core";

const root = fileURLToPath(new URL("../../examples/connect", import.meta.url));
const { assistant } = await import(`${root}/programs/assistant.mjs`);
const agent = process.argv[2];

const server = spawn(process.execPath, ["programs/server.mjs", "0"], { cwd: root });
const [line] = await once(server.stdout, "data");
const model = await startFakeModel({
  script: ({ messages }) => {
    const { content, tool_calls: calls = [] } = assistant(
      messages.map(({ role, text, toolName }) => ({ role, content: text, tool_name: toolName })),
    );
    if (calls.length === 0) return content;
    return { tool_calls: calls.map(({ name, args }) => ({ name, arguments: args })) };
  },
});
process.env.ASSISTANT_URL = /http:\S+/.exec(String(line))[0];
process.env.MODEL_URL = model.baseURL;

// Opened on first use, by whoever asks whether it is a terminal.
void [process.stdin, process.stdout, process.stderr];
const before = process.getActiveResourcesInfo().length;
const cases = Array.from({ length: 100 }, (_, index) => {
  const number = String(1000 + index);
  const has = (value) => ({ type: "contains", value });
  const city = `City ${number}`;
  return {
    id: number,
    turns: [
      {
        input: `Where is my parcel ${number}?`,
        assert: has(`Parcel ${number} is near in ${city}.`),
      },
      {
        input: "Yes",
        assert: [
          { type: "tool_called", name: "hold_parcel", arguments: { number } },
          has(`Parcel ${number} is held until day ${number}.`),
        ],
      },
    ],
    mocks: {
      tools: {
        find_parcel: { returns: { status: "near", city }, delay: index % 7 },
        hold_parcel: { returns: { until: `day ${number}` }, delay: index % 5 },
      },
    },
  };
});
const project = await loadProject({ root, plugins: [agents, assertions] });
const errors = [];
const summary = await runSuite({
  project,
  cases,
  agent,
  limits: { parallel: 100 },
  onEvent: (event) => {
    if (event.type === "case-end" && event.result.status !== "passed")
      errors.push(event.result.error);
  },
});
// Sockets that were closed with the run are gone some rounds of the loop later, also those of the model in this process.
let left = process.getActiveResourcesInfo();
for (let round = 0; round < 1_000 && left.length > before; round++) {
  await new Promise(setImmediate);
  left = process.getActiveResourcesInfo();
}
const { stdout } = spawnSync("ps", ["-A", "-o", "ppid=,args="], { encoding: "utf8" });
const programs = (stdout ?? "")
  .split("\n")
  .filter((row) => row.trim().startsWith(`${process.pid} `) && row.includes("programs/agent."));
server.kill();
await Promise.all([once(server, "exit"), model.close()]);
console.log(
  JSON.stringify({
    passed: summary.passed,
    errors: errors.slice(0, 3),
    more: left.length - before,
    left,
    programs,
  }),
);
