// The public surface of @turnwise/core. What is not exported here may change at any time.

// The copy of zod that checks the schemas of plugins: authors of a single assertion need install nothing else.
export { z } from "zod";

export type {
  AdapterDefinition,
  AdapterEnvironment,
  AdapterOptions,
  Agent,
  AgentFunction,
  AgentLike,
  AgentObject,
  AgentOptions,
  AgentReply,
  AgentRequest,
  AgentTool,
  Answer,
  AnswerForm,
  AnyAdapterDefinition,
  AwaitingKind,
  ConnectorCheck,
  ConnectorConfig,
  ContentPart,
  Message,
  NormalReply,
  PendingRequest,
  ReportedToolCall,
  ToolCall,
  ToolResult,
  Usage,
  UserInput,
} from "./contract/agent.js";
export { awaitingKinds, defineAdapter } from "./contract/agent.js";
export { isAgentLike, toAgent } from "./contract/to-agent.js";
export type {
  AnyAssertionDefinition,
  AssertionContext,
  AssertionDefinition,
  AssertionDetails,
  AssertionProblem,
  AssertionTurn,
  AssertionVerdict,
  PrepareContext,
  PreparedAssertion,
  RawAssertion,
  RoleRequest,
  Subject,
} from "./contract/assertion.js";
export { defineAssertion } from "./contract/assertion.js";
export type { Human, HumanMove, HumanView } from "./contract/human.js";
export type {
  AdapterAgentConfig,
  AgentConfig,
  Config,
  ConfigDefaults,
  Hooks,
  MissingInputPolicy,
  ReporterConfig,
} from "./contract/config.js";
export { defineConfig } from "./contract/config.js";
export type { RunEvent, SuiteInput } from "./contract/event.js";
export type { LazyPlugin, Plugin } from "./contract/plugin.js";
export { definePlugin } from "./contract/plugin.js";
export type {
  ActiveReporter,
  AnyReporterDefinition,
  ReporterDefinition,
  ReporterStream,
} from "./contract/reporter.js";
export { defineReporter } from "./contract/reporter.js";
export type {
  AssertionRow,
  AttemptResult,
  CaseResult,
  CaseStatus,
  Discipline,
  RoleUsage,
  RunSummary,
  ToolCallRow,
  TurnResult,
  UsageRow,
} from "./contract/result.js";
export { caseResultSchema } from "./contract/result.js";
export type {
  GeneratorMetadata,
  GeneratorReply,
  Role,
  SimulatorMetadata,
  SimulatorReply,
  ValidatorMetadata,
  ValidatorReply,
} from "./contract/role.js";
export {
  generatorReplySchema,
  roles,
  simulatorReplySchema,
  validatorReplySchema,
} from "./contract/role.js";
export type {
  HookResult,
  MockContext,
  ScriptAssertion,
  ScriptAssertionInput,
  ScriptGenerator,
  ScriptHook,
  ScriptMock,
  ScriptRunHook,
  ScriptSimulator,
} from "./contract/script.js";
export type { WireReply, WireRequest } from "./contract/wire.js";
export { wireReplySchema, wireRequestSchema } from "./contract/wire.js";

export type { RawCase as TestCaseInput } from "./case/schema.js";
export type { CaseOptions, TestCase, TestTurn } from "./case/test-case.js";
export type { PrepareOptions, PreparedCase, PreparedTurn } from "./case/prepare-case.js";
export { prepareCase } from "./case/prepare-case.js";
export { caseJsonSchema, configJsonSchema, resultJsonSchema } from "./case/json-schema.js";
export { normaliseCase } from "./case/normalise.js";
export { writtenCase } from "./case/written-case.js";

export type { LoadSuiteOptions } from "./source/load-suite.js";
export { isGlob, loadSuite, parseCases, suiteOfCases } from "./source/load-suite.js";
export type { LoadedSuite, Suite } from "./source/suite.js";

export type { LoadProjectOptions, Project } from "./project/project.js";
export type { AgentSpec, ResolvedReference } from "./project/resolved-reference.js";
export { loadProject } from "./project/project.js";
export { findConfig, readEnvironment } from "./project/read-config.js";
export type { Reference } from "./project/reference.js";
export { ReferenceSyntaxError, formatReference, parseReference } from "./project/reference.js";

export type { RunCaseOptions, RunLimits } from "./run/run-case.js";
export { runCase } from "./run/run-case.js";
export type { RunSuiteOptions } from "./run/run-suite.js";
export { runSuite } from "./run/run-suite.js";
export type { ReporterUse } from "./run/reporter-queue.js";

export type { AwaitingReason, Detection, Detector } from "./awaiting/detection.js";
export { awaitingReasons } from "./awaiting/detection.js";
export type { DetectionOptions } from "./awaiting/detect.js";
export type { DetectionSettings } from "./awaiting/settings.js";
export { compileDetection } from "./awaiting/settings.js";
export { detectAwaitingInput } from "./awaiting/detect.js";
export { toolLeaf } from "./awaiting/ask-tools.js";

export { answerOfText } from "./conversation/answer-of-text.js";
export { notExecutedError } from "./conversation/open-requests.js";
export { inputText } from "./conversation/input-text.js";
export { toolCallRow } from "./conversation/record.js";
export { agentText, userText } from "./role/transcript.js";
export { isRoleRequest } from "./role/role-request.js";
export type { FoundJson } from "./role/read-json.js";
export { readJson } from "./role/read-json.js";
export { LoadError, loadModule } from "./script/load-module.js";

export type { Blame } from "./errors.js";
export {
  AgentError,
  AuthorError,
  InfrastructureError,
  InvalidCaseError,
  InvalidProjectError,
  SuiteChangedError,
  ToolNotMockedError,
  TurnwiseError,
  UnjudgedError,
  errorMessage,
} from "./errors.js";
export type { Problem, ProblemCode } from "./problem.js";
export { formatPath, formatProblem, formatProblems, problemCodes } from "./problem.js";
export type { Duration } from "./duration.js";
export { formatDuration, parseDuration } from "./duration.js";
export type { Pattern } from "./pattern.js";
export { PatternError, compilePattern } from "./pattern.js";
export type { JsonValue } from "./json.js";
export { deepEqual, isObject, isSubset, isTooDeep, jsonTypeOf } from "./json.js";
export { nearest } from "./suggest.js";
export { plainText } from "./text.js";
