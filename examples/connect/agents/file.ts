import type { AgentRequest } from "turnwise";
import { inThisProcess } from "../programs/in-this-process.js";

/** A file in agents/ is an agent: its id is the name of the file. */
export default (request: AgentRequest) => inThisProcess(request);
