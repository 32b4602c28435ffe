import type { AgentLike, AnyAdapterDefinition } from "../contract/agent.js";

type Parameters = Readonly<Record<string, string | number | boolean>>;

/** How an agent is made: it is there, or an adapter makes it. */
export type AgentSpec =
  | { readonly like: AgentLike }
  | { readonly adapter: AnyAdapterDefinition; readonly options: unknown };

/** What a reference was found to name. */
export type ResolvedReference =
  | {
      readonly kind: "agents";
      readonly id: string;
      readonly parameters: Parameters;
      readonly spec: AgentSpec;
    }
  | {
      readonly kind: "scripts";
      readonly id: string;
      readonly parameters: Parameters;
      readonly file: string;
      readonly exportName: string;
    };
