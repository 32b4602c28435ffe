interface Parameters {
  readonly scenario?: string;
}

/** Cases for a scenario: `scripts:tests.expense.generate?scenario=approval-flow`. */
export function generate({ scenario = "small" }: Parameters) {
  const amounts = scenario === "approval-flow" ? [12_000, 250_000] : [20];
  return amounts.map((amount) => ({
    id: `${scenario}-${amount}`,
    turns: [
      { input: `Equipment for $${amount}` },
      ...(scenario === "approval-flow" ? [{ input: "PO-4411" }] : []),
      { input: "Yes", assertions: [{ type: "contains", value: "submitted" }] },
    ],
    final_assertions: [{ type: "json_path", path: "$.expense.amount", value: amount }],
  }));
}
