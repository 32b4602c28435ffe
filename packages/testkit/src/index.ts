// The public surface of @turnwise/testkit. What is not exported here may change at any time.

export type { FakeModel, FakeModelOptions } from "./start-fake-model.js";
export { startFakeModel } from "./start-fake-model.js";
export type { FakeMessage, FakeToolCall } from "./api/message.js";
export type { RecordedRequest } from "./server/recorded-request.js";
export type { FakeReplyFunction, FakeReplyRequest } from "./script/reply-source.js";
export type { FakeFault, FakeReply, FakeScript } from "./script/schema.js";
export { loadFakeScript } from "./script/load-fake-script.js";
export { parseFakeScript } from "./script/parse-fake-script.js";

export { adapterContract, leftOut } from "./contract/adapter-contract.js";
export { adapterEnvironment } from "./contract/adapter-environment.js";
export { agentRequest } from "./contract/agent-request.js";
export type { AdapterContractOptions, ContractCheck } from "./contract/options.js";

export type { RecordingAdapter } from "./record/record-adapter.js";
export { recordAdapter } from "./record/record-adapter.js";
export type { RecordingAgent } from "./record/record-agent.js";
export { recordAgent } from "./record/record-agent.js";
export type { RecordingAssertion } from "./record/record-assertion.js";
export { recordAssertion } from "./record/record-assertion.js";
export type { RecordingDetector } from "./record/record-detector.js";
export { recordDetector } from "./record/record-detector.js";
export type { RecordingReporter } from "./record/record-reporter.js";
export { recordReporter } from "./record/record-reporter.js";
