import type { Config } from "../contract/config.js";

/** Shorter values are words of every language; masking them would garble reports. */
const shortestSecret = 8;

/**
 * Texts that no report may show: values of variables whose names say so, of variables used in the config, and of
 * credentials of connectors. Longest first, so that a secret that contains another is masked as a whole.
 */
export function secretsOf(
  env: Readonly<Record<string, string | undefined>>,
  usedVariables: readonly string[],
  config: Config,
): string[] {
  const secrets = new Set<string>();
  const add = (value: unknown): void => {
    if (typeof value === "string" && value.length >= shortestSecret) secrets.add(value);
  };
  for (const [name, value] of Object.entries(env))
    if (/KEY|TOKEN|SECRET|PASSWORD/i.test(name)) add(value);
  for (const name of usedVariables) add(env[name]);
  for (const connector of Object.values(config.connectors ?? {})) {
    add(connector.apiKey);
    for (const [name, value] of Object.entries(connector.headers ?? {}))
      if (/^(authorization|proxy-authorization)$/i.test(name)) {
        add(value);
        add(value.replace(/^\w+\s+/, ""));
      }
  }
  return [...secrets].toSorted((a, b) => b.length - a.length);
}
