import { expect, test } from "vitest";
import { temporaryProject } from "./support/cli.js";

const agents = {
  "agents/desk.ts": "export default () => { throw new Error('the agent must not be asked'); };",
  "agents/sales.ts": "export default () => 'sales';",
};
const good =
  '{"id": "good", "agent": "desk", "input": "hi", "assert": {"type": "contains", "value": "x"}}';

/** Runs the inputs, expects exit 2 and nothing on stdout, returns what the user reads. */
async function refused(files: Record<string, string>, ...args: string[]): Promise<string> {
  const project = temporaryProject({ ...agents, ...files });
  const { code, stdout, stderr } = await project.run("test", ...args);
  expect(stdout).toBe("");
  expect(code).toBe(2);
  expect(stderr.split("\n").length).toBeLessThan(25);
  return stderr.replaceAll(project.root, "ROOT");
}

const single = (line: string) =>
  refused({ "a.jsonl": `${good}\n${line}\n` }, "-i", "a.jsonl", "-n", "desk");

test("an unknown key, with a suggestion", async () => {
  expect(await single('{"id": "a", "inptu": "hi"}')).toMatchInlineSnapshot(`
    "error a.jsonl:2  [a] inptu: there is no such field; did you mean "input"? (unknown_key)

    1 problem, nothing was run.
    "
  `);
});

test("broken JSON on line 3", async () => {
  expect(await refused({ "a.jsonl": `${good}\n\n{"id": "a", "input": "hi"\n` }, "-i", "a.jsonl"))
    .toMatchInlineSnapshot(`
      "error a.jsonl:3  not valid JSON: Expected ',' or '}' after property value at column 26 (invalid_json)
          Each line of a .jsonl file is one whole JSON object.

      1 problem, nothing was run.
      "
    `);
});

test("a duplicate id", async () => {
  expect(await single(good)).toMatchInlineSnapshot(`
    "error a.jsonl:2  [good] id: the id "good" is taken already, by a.jsonl:1 (duplicate_id)
        Ids must be unique in a run: results are told apart by them.

    1 problem, nothing was run.
    "
  `);
});

test("a bad duration", async () => {
  expect(await single('{"id": "a", "input": "hi", "timeout": "soon"}')).toMatchInlineSnapshot(`
    "error a.jsonl:2  [a] timeout: invalid duration: expected a duration such as "30s", "5m", "1h" or a number of milliseconds, got "soon" (invalid_duration)

    1 problem, nothing was run.
    "
  `);
});

test("an unknown assertion type", async () => {
  expect(await single('{"id": "a", "input": "hi", "assert": {"type": "contians", "value": "x"}}'))
    .toMatchInlineSnapshot(`
      "error a.jsonl:2  [a] assert.type: there is no assertion type "contians"; did you mean "contains"? (unknown_assertion)
          Assertion types here: agent, all, any, awaiting, contains, contains_all, contains_any, ends_with, equals, is_json, json_path, json_schema, latency, length, not, not_contains, regex, script, starts_with, tool_called, tool_result, type, usage.

      1 problem, nothing was run.
      "
    `);
});

test("an assertion without its value", async () => {
  expect(await single('{"id": "a", "input": "hi", "assert": {"type": "contains"}}'))
    .toMatchInlineSnapshot(`
      "error a.jsonl:2  [a] assert.value: required field is missing (missing_field)

      1 problem, nothing was run.
      "
    `);
});

test("an invalid pattern", async () => {
  expect(
    await single('{"id": "a", "input": "hi", "assert": {"type": "regex", "pattern": "(unclosed"}}'),
  ).toMatchInlineSnapshot(`
    "error a.jsonl:2  [a] assert.pattern: invalid pattern /(unclosed/: missing closing ): \`(unclosed\` (invalid_pattern)
        Write it in RE2 syntax; a regex assertion with look-around needs "engine": "js".

    1 problem, nothing was run.
    "
  `);
});

test("an unknown agent, with the nearest", async () => {
  expect(await refused({ "a.jsonl": good }, "-i", "a.jsonl", "-n", "dsek")).toMatchInlineSnapshot(`
    "error there is no agent "dsek"; did you mean "desk"? (unknown_agent)
        Agents here: desk, sales. Another goes into agents/dsek.ts or under "agents" in the config.

    1 problem, nothing was run.
    "
  `);
  expect(await refused({ "a.jsonl": good.replace('"desk"', '"slaes"') }, "-i", "a.jsonl"))
    .toMatchInlineSnapshot(`
      "error a.jsonl:1  [good] agent: there is no agent "slaes"; did you mean "sales"? (unknown_agent)
          Agents here: desk, sales. Another goes into agents/slaes.ts or under "agents" in the config.

      1 problem, nothing was run.
      "
    `);
});

test("no agent chosen, and several there", async () => {
  expect(await refused({ "a.jsonl": good.replace('"agent": "desk", ', "") }, "-i", "a.jsonl"))
    .toMatchInlineSnapshot(`
      "error no agent to test (no_target)
          Choose one with -n: desk, sales.

      1 problem, nothing was run.
      "
    `);
});

test("a missing file", async () => {
  expect(await refused({}, "-i", "nowhere.jsonl", "-n", "desk")).toMatchInlineSnapshot(`
    "error nowhere.jsonl  there is no such file (missing_file)
        Correct the path. Paths of a case begin at its file, others at the working directory.

    1 problem, nothing was run.
    "
  `);
});

test("an empty file", async () => {
  expect(await refused({ "a.jsonl": "" }, "-i", "a.jsonl", "-n", "desk")).toMatchInlineSnapshot(`
    "error a.jsonl  there is no test case in it (no_cases)
        Add a case, or widen the filter.

    1 problem, nothing was run.
    "
  `);
});

test("single_turn with two turns", async () => {
  expect(
    await single('{"id": "a", "type": "single_turn", "turns": [{"input": "1"}, {"input": "2"}]}'),
  ).toMatchInlineSnapshot(`
    "error a.jsonl:2  [a] type: "single_turn" contradicts the 2 turns of this case (conflict)
        Remove "type", or make it "multi_turn".

    1 problem, nothing was run.
    "
  `);
});

test("several problems in several files are all listed", async () => {
  expect(
    await refused(
      {
        "a.jsonl": `${good}\n{"id": "b", "asert": {}}\n{]\n`,
        "b.json":
          '[\n  {"id": "c", "input": "hi", "assert": "contains"},\n  {"id": "good", "input": 5}\n]',
        "empty.jsonl": "// nothing yet\n",
      },
      "-i",
      "a.jsonl",
      "-i",
      "b.json",
      "-i",
      "empty.jsonl",
      "-i",
      "gone.jsonl",
      "-n",
      "desk",
    ),
  ).toMatchInlineSnapshot(`
    "error gone.jsonl  there is no such file (missing_file)
        Correct the path. Paths of a case begin at its file, others at the working directory.
    error a.jsonl:2  [b] asert: there is no such field; did you mean "assert"? (unknown_key)
    error a.jsonl:3  not valid JSON: Expected property name or '}' at column 2 (invalid_json)
        Each line of a .jsonl file is one whole JSON object.
    error b.json:2  [c] assert: expected an assertion such as {"type": "contains", "value": "..."} or an array of them, got "contains" (invalid_value)
    error b.json:3  [good] input: expected a string or an array, got 5 (invalid_value)
    error b.json:3  [good] id: the id "good" is taken already, by a.jsonl:1 (duplicate_id)
        Ids must be unique in a run: results are told apart by them.
    error empty.jsonl  there is no test case in it (no_cases)
        Add a case, or widen the filter.

    7 problems, nothing was run.
    "
  `);
});

test("a config with a typo", async () => {
  expect(
    await refused(
      { "turnwise.config.json": '{\n  "defualts": {"agent": "desk"}\n}', "a.jsonl": good },
      "-i",
      "a.jsonl",
    ),
  ).toMatchInlineSnapshot(`
    "error turnwise.config.json:2  defualts: there is no such field; did you mean "defaults"? (unknown_key)

    1 problem, nothing was run.
    "
  `);
});

test("an agent that cannot be loaded", async () => {
  expect(
    await refused(
      {
        "agents/broken.ts": "import nothing from './nothing.js'; export default nothing;",
        "a.jsonl": good,
      },
      "-i",
      "a.jsonl",
      "-n",
      "broken",
    ),
  ).toMatchInlineSnapshot(`
    "error cannot load agents/broken.ts: Cannot find module './nothing.js' (agents/broken.ts:1) (cannot_load)
        Correct the error that the message gives; it comes from the file itself.

    1 problem, nothing was run.
    "
  `);
});

test("agents of adapters that cannot be reached as they are written", async () => {
  const config = `agents:
  page: { type: http, url: "localhost:8000", body: { say: "{{inptu}}" }, reply: { content: "a..b" } }
  program: { type: command, command: python3 agent.py }
  model: { type: openai, conector: main }
  other: { type: openai, connector: mian, model: m }
connectors:
  main: { model: m, baseURL: "http://127.0.0.1:1", limits: { maxRetries: -1 } }
`;
  expect(await refused({ "turnwise.config.yaml": config, "a.jsonl": good }, "-i", "a.jsonl"))
    .toMatchInlineSnapshot(`
    "error turnwise.config.yaml:7  connectors.main.limits.maxRetries: expected a number of at least 0, got -1 (invalid_value)

    1 problem, nothing was run.
    "
  `);
  const right = config.replace("limits: { maxRetries: -1 }", "");
  expect(await refused({ "turnwise.config.yaml": right, "a.jsonl": good }, "-i", "a.jsonl"))
    .toMatchInlineSnapshot(`
      "error turnwise.config.yaml:2  agents.page.url: expected an address with http:// or https://; agents.page.reply.content: expected a path such as output.text, messages[*].content or choices[0].message; agents.page.body: there is no placeholder {{inptu}}; did you mean {{input}}? (there are session_id, test_id, turn, input, text, messages, attachments, options, answer, tool_results) (invalid_value)
      error turnwise.config.yaml:3  agents.program.command: expected an array, got "python3 agent.py" (invalid_value)
      error turnwise.config.yaml:4  agents.model.conector: there is no such field; did you mean "connector"? (unknown_key)
      error turnwise.config.yaml:5  agents.other.connector: there is no connector "mian"; did you mean "main"? (unknown_connector)
          Connectors of the config: main.

      4 problems, nothing was run.
      "
    `);
});

test("a connector that is not there, and one without a key", async () => {
  const config = `agents: { model: { type: openai } }
connectors: { main: { model: m } }
`;
  const cases = `{"id": "a", "agent": "model", "input": "hi", "assert": {"value": "x"}}
{"id": "b", "agent": "model", "input": "hi", "assert": {"value": "x"}, "options": {"connector": "mian"}}
{"id": "c", "agent": "model", "turns": [{"input": "hi", "assert": {"value": "x"}, "options": {"connector": "main"}}]}
`;
  expect(await refused({ "turnwise.config.yaml": config, "a.jsonl": cases }, "-i", "a.jsonl"))
    .toMatchInlineSnapshot(`
      "error the agent "model" cannot call its model: nothing says which model; set "model" of the agent or of its connector (no_connector)
          Name a connector with -c or in the config, and set its key.
      error a.jsonl:2  [b] options.connector: there is no connector "mian"; did you mean "main"? (unknown_connector)
          Connectors of the config: main.
      error a.jsonl:3  [c] turns[0].options.connector: the agent "model" cannot call its model: its connector has no "apiKey", and OPENAI_API_KEY is not set (no_connector)

      3 problems, nothing was run.
      "
    `);
  expect(
    await refused({ "turnwise.config.yaml": config, "a.jsonl": cases }, "-i", "a.jsonl", "-c", "x"),
  ).toMatchInlineSnapshot(`
    "error there is no connector "x" (unknown_connector)
        Connectors of the config: main.

    1 problem, nothing was run.
    "
  `);
});

test("an output that nothing writes", async () => {
  expect(await refused({ "a.jsonl": good }, "-i", "a.jsonl", "-o", "out.pdf"))
    .toMatchInlineSnapshot(`
      "error no reporter writes files such as out.pdf (unknown_reporter)
          Extensions that are known: .jsonl, .json.

      1 problem, nothing was run.
      "
    `);
});

test("no input", async () => {
  expect(await refused({})).toMatchInlineSnapshot(`
    "error there is nothing to run (no_cases)
        Name a case file or a message: turnwise test -i tests/first.jsonl, or -i "Hello".

    1 problem, nothing was run.
    "
  `);
});

test.each([
  [["--parallel", "0"]],
  [["--parallel", "many"]],
  [["--on-missing-input", "ask"]],
  [["--parralel", "2"]],
  [["--interactive", "--skip-interactive"]],
  [["--input"]],
  [["surplus"]],
])("wrong usage: %s", async (args) => {
  const text = await refused({ "a.jsonl": good }, "-i", "a.jsonl", ...args);
  expect(text.split("\n")[0]).toMatchSnapshot();
});

test.each([["soon"], ["25h"], ["0h0m"], ["-5s"]])(
  "a duration of %s is refused before anything runs",
  async (text) => {
    expect(await refused({ "a.jsonl": good }, "-i", "a.jsonl", `--timeout=${text}`)).toContain(
      "error --timeout: expected a duration",
    );
  },
);

test("an unknown command", async () => {
  const { code, stderr } = await temporaryProject({}).run("tset");
  expect(code).toBe(2);
  expect(stderr).toContain("Did you mean test?");
});
