import { expectAnswered, outputText } from "./bench.js";
import { given } from "./check.js";

export const failing = given("fails", {
  "a failure is thrown, and blames the right one": async (bench, { input, blame = "agent" }) => {
    const result = await bench.talk([input]);
    const said = JSON.stringify(input);
    const outcome = bench.exchanges.at(-1)?.outcome;
    if (outcome === "replied")
      throw new Error(
        `the agent is to fail upon ${said}, and replied: ${outputText(result, 1)}; throw an error: a reply that says so would be judged as one`,
      );
    if (outcome !== "threw")
      throw new Error(`the agent is to fail upon ${said}, and did not end: ${result.error}`);
    if (result.blame !== blame)
      throw new Error(
        `the failure upon ${said} is blamed on ${result.blame ?? "nobody"}, expected ${blame}: ${result.error ?? result.skip_reason}`,
      );
  },
  "other conversations are answered after a failure": async (bench, { input }) => {
    const { says } = bench;
    await bench.talk([input]);
    expectAnswered(
      await bench.talk([says.input]),
      `${JSON.stringify(says.input)}, after a turn of another conversation had failed,`,
    );
  },
});
