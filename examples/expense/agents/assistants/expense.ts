import type { AgentReply, AgentRequest, ReportedToolCall } from "turnwise";

/** What the assistant knows about the expense of one conversation. */
interface Expense {
  status: "none" | "draft" | "needs_day" | "needs_approval" | "submitted" | "cancelled";
  type?: string | undefined;
  amount?: number | undefined;
  /** Of a meal: when it was. */
  day?: string;
  po_number?: string;
  reference?: string;
}

/** Above this a manager has to approve, which needs a purchase order. */
const approvalLimit = 10_000;

const types: [RegExp, string][] = [
  [/travel|flight|hotel|taxi|train/i, "travel"],
  [/dinner|lunch|meal|client/i, "meal"],
  [/equipment|laptop|server|monitor/i, "equipment"],
];

/** One expense per session: conversations that run in parallel do not meet. */
const sessions = new Map<string, Expense>();

function reply(expense: Expense, fields: Partial<AgentReply>): AgentReply {
  return { content: "", awaitingInput: false, ...fields, state: { expense: { ...expense } } };
}

function readAmount(text: string): number | undefined {
  const amounts = [...text.matchAll(/\$\s?([\d,]+(?:\.\d+)?)/g)].map((match) =>
    Number(match[1]!.replaceAll(",", "")),
  );
  return amounts.length === 0 ? undefined : amounts.reduce((sum, amount) => sum + amount, 0);
}

/** Tools of the assistant. A real one would call a server here. */
const tools = {
  create_expense(expense: Expense): ReportedToolCall {
    expense.status = "draft";
    return {
      name: "create_expense",
      arguments: { amount: expense.amount, type: expense.type },
      result: { status: expense.status },
    };
  },
  submit_expense(expense: Expense): ReportedToolCall {
    expense.status = "submitted";
    expense.reference = "EXP-2025-001";
    return {
      name: "submit_expense",
      arguments: { amount: expense.amount, type: expense.type },
      result: { reference: expense.reference },
    };
  },
};

function respond(expense: Expense, text: string): AgentReply {
  if (expense.status === "draft") {
    if (/^\s*(yes|confirm|ok)/i.test(text)) {
      const call = tools.submit_expense(expense);
      return reply(expense, {
        content: `Expense submitted. Reference: ${expense.reference}`,
        toolCalls: [call],
      });
    }
    if (/^\s*(no|cancel)/i.test(text)) {
      expense.status = "cancelled";
      return reply(expense, { content: "The expense was dropped." });
    }
  }
  if (expense.status === "needs_approval") {
    const poNumber = /\bPO-?\s?\d+/i.exec(text)?.[0];
    if (poNumber !== undefined) {
      expense.po_number = poNumber;
      return draft(expense);
    }
  }
  if (expense.status === "needs_day") {
    expense.day = text.trim();
    return draft(expense);
  }
  expense.type ??= types.find(([pattern]) => pattern.test(text))?.[1];
  expense.amount ??= readAmount(text);
  if (expense.type === undefined)
    return reply(expense, {
      content: "What type of expense would you like to submit?",
      awaitingInput: true,
    });
  if (expense.amount === undefined)
    return reply(expense, { content: "What is the amount?", awaitingInput: true });
  if (expense.type === "meal" && expense.day === undefined) {
    expense.status = "needs_day";
    return reply(expense, { content: "When was the meal?", awaitingInput: true });
  }
  if (expense.amount > approvalLimit && expense.po_number === undefined) {
    expense.status = "needs_approval";
    return reply(expense, {
      content: "This requires manager approval. Please provide PO number.",
      awaitingInput: true,
    });
  }
  return draft(expense);
}

/** Says nothing, only calls the tool: that it now waits for a confirmation, nobody could read off the reply. */
function draft(expense: Expense): AgentReply {
  return reply(expense, {
    toolCalls: [tools.create_expense(expense)],
    awaitingInput: true,
    inputHint: "Confirm the expense (yes or no)",
  });
}

export default {
  description:
    "Takes expense reports: asks for type and amount, drafts, and submits on confirmation.",
  tools: [
    { name: "create_expense", description: "Drafts an expense of a type and an amount." },
    { name: "submit_expense", description: "Submits the draft." },
  ],
  respond(request: AgentRequest): AgentReply {
    const expense = sessions.get(request.sessionId) ?? { status: "none" };
    sessions.set(request.sessionId, expense);
    return respond(expense, typeof request.input === "string" ? request.input : "");
  },
  close(sessionId: string): void {
    sessions.delete(sessionId);
  },
};
