import type { AdapterEnvironment } from "@turnwise/core";

/**
 * An environment as core makes it, for `definition.create`: the working directory as project, the variables of the
 * process, no connectors.
 */
export function adapterEnvironment(over: Partial<AdapterEnvironment> = {}): AdapterEnvironment {
  return {
    id: "agent",
    projectRoot: process.cwd(),
    connectors: {},
    env: process.env,
    fetch: globalThis.fetch,
    mask: (text) => text,
    ...over,
  };
}
