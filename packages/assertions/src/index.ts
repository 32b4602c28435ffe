// The built-in assertions. They come in through the same door as those of any other package.
import { definePlugin } from "@turnwise/core";
import { awaiting } from "./awaiting.js";
import { contains, notContains } from "./contains.js";
import { equals } from "./equals.js";
import { jsonPath } from "./json-path.js";
import { regex } from "./regex.js";
import { toolCalled } from "./tool-called.js";
import { type } from "./type.js";

export type { Trajectory, TrajectoryMatch } from "./trajectory.js";
export { argMatchModes, matchModes, trajectorySchema } from "./trajectory.js";

/** The plugin with all built-in assertions. */
const assertions = definePlugin({
  name: "@turnwise/assertions",
  assertions: [contains, notContains, equals, regex, jsonPath, type, toolCalled, awaiting],
});

export default assertions;
