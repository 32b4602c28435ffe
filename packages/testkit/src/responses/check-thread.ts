import type { JsonObject } from "../api/read-field.js";
import { invalid } from "../api/api-error.js";
import { readItem } from "./read-item.js";

/**
 * Checks that every function call has its output and every output its call, and that no user speaks while an approval
 * is open. The first `stored` items came with an earlier response: errors count the items of this request only.
 */
export function checkThread(thread: readonly JsonObject[], stored: number): void {
  /** Where the calls and requests stand that nothing has answered yet, by id. */
  const calls = new Map<string, string>();
  const approvals = new Map<string, string>();
  const answered = new Set<string>();
  const take = (open: Map<string, string>, id: string): boolean => {
    if (open.delete(id)) answered.add(id);
    return answered.has(id);
  };
  for (const [position, raw] of thread.entries()) {
    const path = position < stored ? "the earlier response" : `input[${position - stored}]`;
    const item = readItem(raw, path);
    switch (item.type) {
      case "call":
        calls.set(item.id, path);
        break;
      case "result":
        if (!take(calls, item.id))
          throw invalid(
            "input",
            `${path} is the output of the function call ${JSON.stringify(item.id)}, which nothing before it made`,
          );
        break;
      case "approval-request":
        approvals.set(item.id, path);
        break;
      case "approval-response":
        if (!take(approvals, item.id))
          throw invalid(
            "input",
            `${path} answers the approval request ${JSON.stringify(item.id)}, which nothing before it made`,
          );
        break;
      case "message":
        if (item.role === "user")
          for (const [id, place] of approvals)
            throw invalid(
              "input",
              `${path} is a message of the user, but the approval request ${JSON.stringify(id)} of ${place} has no mcp_approval_response`,
            );
        break;
      case "reasoning":
        break;
    }
  }
  for (const [id, place] of calls)
    throw invalid(
      "input",
      `${place} has the function call ${JSON.stringify(id)}, and no function_call_output answers it`,
    );
}
