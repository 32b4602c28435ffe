// npm run demo: installs, builds, and tests the two example agents. Needs no key.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const windows = process.platform === "win32";
let step = 0;

function run(title, command, args, cwd = root) {
  step++;
  console.log(`\n[${step}/4] ${title}`);
  const { status, error } = spawnSync(command, args, {
    cwd,
    stdio: "inherit",
    shell: windows && command === "npm",
    env: { ...process.env, DO_NOT_TRACK: "1" },
  });
  if (status === 0) return;
  console.error(
    `\nThe demo stopped: ${command} ${args.join(" ")} ${error?.message ?? `ended with ${status}`}`,
  );
  process.exit(1);
}

const turnwise = (example, cases) => [
  process.execPath,
  [`${root}apps/turnwise/bin/turnwise.js`, "test", "-i", cases, "-v"],
  `${root}examples/${example}`,
];

run("Installing the packages (a minute the first time)", "npm", ["run", "setup"]);
run("Building Turnwise (half a minute the first time)", "npm", ["run", "build"]);
run(
  "Testing the expense assistant: a flow that passes, one that ends with an open question, one with a simulated user",
  ...turnwise("expense", "tests/expense.jsonl"),
);
run(
  "Testing the travel bot, an agent built on NLP.js",
  ...turnwise("travel-bot", "tests/booking.jsonl"),
);

console.log(`
The demo is done: every check held. T002 was skipped on purpose: its script ends while the agent waits.

Next: "npm test" runs the tests of Turnwise itself; the README shows how to test your own agent.`);
