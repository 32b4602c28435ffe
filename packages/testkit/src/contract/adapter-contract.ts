import { toAgent } from "@turnwise/core";
import { answering } from "./answering.js";
import { Bench } from "./bench.js";
import { calls } from "./calls.js";
import { cancelling } from "./cancelling.js";
import type { Check } from "./check.js";
import { lacking } from "./check.js";
import { failing } from "./failing.js";
import type { AdapterContractOptions, ContractCheck } from "./options.js";
import { rejections } from "./rejections.js";
import { requests } from "./requests.js";
import { sessions } from "./sessions.js";
import { settles } from "./settle.js";

/** As long as core waits, in milliseconds. */
const releaseTimeout = 10_000;

const all: readonly Check[] = [
  ...answering,
  ...sessions,
  ...requests,
  ...calls,
  ...cancelling,
  ...failing,
  ...rejections,
];

/**
 * Checks of what core expects of agents, and so of those that an adapter makes. Every check has an agent of its own,
 * and session ids and secrets that no other one has: any test runner will do, one by one or all at once. Checks whose option is absent are not in the list: `leftOut` names them.
 *
 * @example
 * for (const { name, run } of adapterContract({ agent: () => desk.create(options, adapterEnvironment()) }))
 *   test(name, run);
 */
export function adapterContract(options: AdapterContractOptions): readonly ContractCheck[] {
  return all
    .filter((check) => lacking(check, options).length === 0)
    .map((check) => ({ name: check.name, run: () => runCheck(check, options) }));
}

/** Names of the checks that `adapterContract` leaves out, each with the options that it lacks. */
export function leftOut(options: AdapterContractOptions): string[] {
  return all.flatMap((check) => {
    const lacks = lacking(check, options).map((part) => `"${part}"`);
    return lacks.length === 0 ? [] : [`${check.name} (needs ${lacks.join(" and ")})`];
  });
}

async function runCheck(check: Check, options: AdapterContractOptions): Promise<void> {
  const agent = toAgent(await options.agent(), "agent");
  try {
    await check.run(new Bench(agent, options));
  } finally {
    // Whether it can be released is the business of one check.
    await settles((async () => agent.release?.())(), releaseTimeout);
  }
}
