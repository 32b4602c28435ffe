// The built-in assertions. They come in through the same door as those of any other package.
import { definePlugin } from "@turnwise/core";
import { agent } from "./agent.js";
import { all } from "./all.js";
import { any } from "./any.js";
import { awaiting } from "./awaiting.js";
import { containsAll } from "./contains-all.js";
import { containsAny } from "./contains-any.js";
import { contains } from "./contains.js";
import { endsWith } from "./ends-with.js";
import { equals } from "./equals.js";
import { isJson } from "./is-json.js";
import { jsonPath } from "./json-path.js";
import { jsonSchema } from "./json-schema.js";
import { latency } from "./latency.js";
import { length } from "./length.js";
import { notContains } from "./not-contains.js";
import { not } from "./not.js";
import { regex } from "./regex.js";
import { script } from "./script.js";
import { startsWith } from "./starts-with.js";
import { toolCalled } from "./tool-called.js";
import { toolResult } from "./tool-result.js";
import { type } from "./type.js";
import { usage } from "./usage.js";

export type { Trajectory, TrajectoryMatch } from "./trajectory.js";
export { argMatchModes, matchModes, trajectorySchema } from "./trajectory.js";

/** The plugin with all built-in assertions. */
const assertions = definePlugin({
  name: "@turnwise/assertions",
  assertions: [
    contains,
    notContains,
    containsAny,
    containsAll,
    equals,
    startsWith,
    endsWith,
    length,
    latency,
    usage,
    regex,
    jsonPath,
    jsonSchema,
    isJson,
    type,
    toolCalled,
    toolResult,
    awaiting,
    agent,
    script,
    all,
    any,
    not,
  ],
});

export default assertions;
