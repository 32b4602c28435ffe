import type { AgentRequest, GeneratorMetadata, GeneratorReply } from "turnwise";

/** Expenses that this generator knows, by the focus that is asked for. */
const expenses: Readonly<Record<string, readonly (readonly [name: string, said: string])[]>> = {
  "happy-path": [
    ["a taxi", "A taxi to the airport, $42"],
    ["a hotel", "Hotel in Lyon, $310"],
    ["a monitor", "A monitor for my desk, $199"],
  ],
  "edge-cases": [
    ["several amounts", "Flight $900, hotel $350"],
    ["cents", "A train ticket, $12.50"],
    ["just below the limit", "A server, $10,000"],
  ],
};

/** A generator without a model. Its cases are only openings: a simulator has to go on. */
export default function generator({ options }: AgentRequest): GeneratorReply {
  const told = options.metadata as unknown as GeneratorMetadata;
  const { count, focus = "happy-path", target_tools = [] } = told;
  const known = expenses[focus] ?? expenses["happy-path"]!;
  const submits = target_tools.some(({ name }) => name === "submit_expense");
  return {
    cases: Array.from({ length: count }, (_, index) => {
      const [name, said] = known[index % known.length]!;
      return {
        id: `G${String(index + 1).padStart(3, "0")}`,
        name: `${focus}: ${name}`,
        // Without a user who goes on, an opening proves nothing: it is skipped then, and no fault of the assistant.
        type: "multi_turn",
        input: said,
        final_assertions: [
          { type: "json_path", path: "$.expense.status", value: "submitted" },
          ...(submits ? [{ type: "tool_called", name: "submit_expense" }] : []),
          {
            type: "agent",
            use: "agents:workers.test.validator",
            criteria: 'It confirms that the expense was "submitted", and gives its "reference"',
          },
        ],
      };
    }),
  };
}
