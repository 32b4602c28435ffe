import type { AgentRequest, SimulatorMetadata, SimulatorReply } from "turnwise";

/** What this user knows of its expense: the `metadata` of the simulator in the test case. */
interface Facts {
  readonly expense?: string;
  readonly day?: string;
  readonly po_number?: string;
}

/** A simulated user without a model: it answers what it is asked, and knows when it is done. */
export default function userSim({ options }: AgentRequest): SimulatorReply {
  const told = options.metadata as unknown as SimulatorMetadata & Facts;
  const { expense = "A client lunch, $84", day = "Yesterday", po_number } = told;
  const said = told.last_response;
  if (told.turn_number === 1) return { input: "I have an expense to report" };
  if (Object.hasOwn(told.tool_results, "submit_expense"))
    return { goal_achieved: true, reasoning: "Expense submitted" };
  if (/type of expense|amount/i.test(said)) return { input: expense };
  if (/\bwhen\b/i.test(said)) return { input: day };
  if (/PO number/i.test(said))
    return { input: po_number === undefined ? "I have none" : `It is ${po_number}` };
  if (Object.hasOwn(told.tool_results, "create_expense")) return { input: "Confirm" };
  return { input: "I do not know what you mean" };
}
