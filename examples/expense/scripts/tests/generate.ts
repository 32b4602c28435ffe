/** Three short cases: enough to see whether anything works at all. */
export default function generate() {
  return ["taxi", "hotel", "train"].map((what) => ({
    id: `smoke-${what}`,
    input: `A ${what}, $60`,
    assertions: [{ type: "tool_called", name: "create_expense", arguments: { amount: 60 } }],
  }));
}
