import type { Config } from "../contract/config.js";
import { isObject } from "../json.js";

/** Shorter values are words of every language; masking them would garble reports. */
const shortestSecret = 8;

/**
 * Texts that no report may show: values of variables whose names say so, of variables used in the config, and of
 * credentials of connectors and agents. Longest first, so that a secret that contains another is masked as a whole.
 */
export function secretsOf(
  env: Readonly<Record<string, string | undefined>>,
  usedVariables: readonly string[],
  config: Config,
  /** Options of the agents that adapters make. */
  agentOptions: Iterable<unknown> = [],
): string[] {
  const secrets = new Set<string>();
  const add = (value: unknown): void => {
    if (typeof value === "string" && value.length >= shortestSecret) secrets.add(value);
  };
  for (const [name, value] of Object.entries(env))
    if (/KEY|TOKEN|SECRET|PASSWORD/i.test(name)) add(value);
  for (const name of usedVariables) add(env[name]);
  for (const value of Object.values(config.connectors ?? {}))
    for (const secret of credentialsIn(value)) add(secret);
  for (const options of agentOptions) for (const secret of credentialsIn(options)) add(secret);
  return [...secrets].toSorted((a, b) => b.length - a.length);
}

/** Credentials in the options of a connector or an agent: keys, headers and variables whose names say what they hold. */
function* credentialsIn(options: unknown): Generator {
  if (!isObject(options)) return;
  yield options["apiKey"];
  for (const address of [options["baseURL"], options["url"]]) yield* passwordIn(address);
  for (const map of [options["headers"], options["env"]])
    if (isObject(map))
      for (const [name, value] of Object.entries(map))
        if (/AUTHORIZATION|COOKIE|KEY|TOKEN|SECRET|PASSWORD/i.test(name)) {
          yield value;
          // "Bearer ..." without its first word.
          if (typeof value === "string") yield value.replace(/^\w+\s+/, "");
        }
}

/** What stands in front of the host of an address. */
function* passwordIn(address: unknown): Generator {
  const [, user] =
    typeof address === "string" ? (/^https?:\/\/([^/?#]*)@/.exec(address) ?? []) : [];
  if (user === undefined) return;
  yield user;
  yield user.slice(user.indexOf(":") + 1);
}
