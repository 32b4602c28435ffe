import agents from "@turnwise/agents";
import assertions from "@turnwise/assertions";
import * as cli from "@turnwise/cli";
import * as core from "@turnwise/core";
import reporters from "@turnwise/reporters";
import * as testkit from "@turnwise/testkit";
import { expect, expectTypeOf, test } from "vitest";

test("what the packages export changes only on purpose", () => {
  expect({
    core: Object.keys(core).toSorted().join(" "),
    cli: Object.keys(cli).toSorted().join(" "),
    assertions: assertions.assertions?.map((definition) => definition.type).join(" "),
    adapters: agents.adapters?.map((definition) => definition.type).join(" "),
    reporters: reporters.reporters?.map((definition) => definition.name).join(" "),
    testkit: Object.keys(testkit).toSorted().join(" "),
  }).toMatchInlineSnapshot(`
    {
      "adapters": "openai http command generator simulator validator",
      "assertions": "contains not_contains contains_any contains_all equals starts_with ends_with length latency usage regex json_path json_schema is_json type tool_called tool_result awaiting agent script all any not",
      "cli": "commands createProgram exitCodeMeanings runAndExit",
      "core": "AgentError AuthorError InfrastructureError InvalidCaseError InvalidProjectError LoadError PatternError ReferenceSyntaxError SuiteChangedError ToolNotMockedError TurnwiseError UnjudgedError agentText answerOfText awaitingKinds awaitingReasons caseJsonSchema caseResultSchema compileDetection compilePattern configJsonSchema deepEqual defineAdapter defineAssertion defineConfig definePlugin defineReporter detectAwaitingInput errorMessage findConfig formatDuration formatPath formatProblem formatProblems formatReference generatorReplySchema inputText isAgentLike isGlob isObject isRoleRequest isSubset isTooDeep jsonTypeOf loadModule loadProject loadSuite nearest normaliseCase notExecutedError parseCases parseDuration parseReference plainText prepareCase problemCodes readEnvironment readJson resultJsonSchema roles runCase runSuite simulatorReplySchema suiteOfCases toAgent toolCallRow toolLeaf userText validatorReplySchema wireReplySchema wireRequestSchema writtenCase z",
      "reporters": "console jsonl json events",
      "testkit": "adapterContract adapterEnvironment agentRequest leftOut loadFakeScript parseFakeScript recordAdapter recordAgent recordAssertion recordDetector recordReporter startFakeModel",
    }
  `);
});

test("a typo inside an agent of a config is a type error", () => {
  expectTypeOf(core.defineConfig).toBeFunction();
  core.defineConfig({ agents: { a: { type: "http", url: "http://localhost" }, b: () => "hi" } });
  // @ts-expect-error -- "ulr" is no option of an http agent
  core.defineConfig({ agents: { a: { type: "http", ulr: "http://localhost" } } });
  // @ts-expect-error -- there is no such type of agent
  core.defineConfig({ agents: { a: { type: "htpt", url: "http://localhost" } } });
  // @ts-expect-error -- there is no such default
  core.defineConfig({ defaults: { agnet: "a" } });
});
