import type { AdapterEnvironment, ConnectorConfig, ConnectorCheck } from "@turnwise/core";
import { AuthorError } from "@turnwise/core";
import type { OpenAiOptions } from "./options.js";

/** Where OpenAI's own API is. */
export const openAiAddress = "https://api.openai.com/v1";

/** Where a request of an agent goes, and what for. */
export interface ModelEndpoint {
  readonly name: string;
  readonly connector: ConnectorConfig;
  /** Undefined: that of OpenAI. */
  readonly baseURL: string | undefined;
  readonly apiKey: string;
  readonly model: string;
}

/** What is missing to call a model with these options, if anything is. */
export function missingToCall(
  options: OpenAiOptions,
  { connector, env }: ConnectorCheck,
): string | undefined {
  const { provider, baseURL } = connector ?? {};
  // A variable that is empty is no address; OpenAI's own is not what was meant.
  if (baseURL === "") return 'the "baseURL" of its connector is empty';
  if (provider !== undefined && provider !== "openai" && baseURL === undefined)
    return `its connector is of the provider "${provider}", and this agent speaks the API of OpenAI; give the connector the baseURL of an endpoint that does too`;
  if (options.model === undefined && connector?.model === undefined)
    return 'nothing says which model; set "model" of the agent or of its connector';
  if (keyOf(connector, env) === undefined)
    return connector === undefined
      ? "it has no connector, and OPENAI_API_KEY is not set"
      : connector.apiKey === undefined
        ? 'its connector has no "apiKey", and OPENAI_API_KEY is not set'
        : 'the "apiKey" of its connector is empty';
  return undefined;
}

/**
 * The endpoint for one request: the connector of the request, else of the agent, else of the config.
 * @throws AuthorError if there is none, or something is missing in it.
 */
export function endpointOf(
  options: OpenAiOptions,
  { connectors, defaultConnector, env, projectRoot }: AdapterEnvironment,
  chosen: string | undefined,
): ModelEndpoint {
  const name = chosen ?? options.connector ?? defaultConnector;
  const connector =
    name !== undefined && Object.hasOwn(connectors, name) ? connectors[name] : undefined;
  if (name !== undefined && connector === undefined)
    throw new AuthorError(`there is no connector "${name}"`);
  const missing = missingToCall(options, {
    env,
    projectRoot,
    ...(connector === undefined ? {} : { connector }),
  });
  if (missing !== undefined) throw new AuthorError(missing);
  const model =
    chosen === undefined || chosen === options.connector
      ? (options.model ?? connector?.model)
      : (connector?.model ?? options.model);
  return {
    name: name === undefined ? "OpenAI" : `the connector "${name}"`,
    connector: connector ?? fromEnvironment,
    baseURL: connector?.baseURL ?? (env["OPENAI_BASE_URL"] || undefined),
    apiKey: keyOf(connector, env)!,
    model: model!,
  };
}

const fromEnvironment: ConnectorConfig = {};

/** A key of the environment goes only where the environment, or nobody, says where: not to any other host. */
function keyOf(
  connector: ConnectorConfig | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (connector?.apiKey !== undefined)
    return connector.apiKey === "" ? undefined : connector.apiKey;
  // Servers on one's own machine want none, and the SDK wants one.
  if (connector?.baseURL !== undefined) return "none";
  const key = env["OPENAI_API_KEY"];
  return key === undefined || key === "" ? undefined : key;
}
