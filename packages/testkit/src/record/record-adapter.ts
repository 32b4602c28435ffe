import type {
  AdapterDefinition,
  AdapterEnvironment,
  AgentFunction,
  AgentReply,
} from "@turnwise/core";
import { z } from "@turnwise/core";
import { copy } from "./copy.js";
import type { RecordingAgent } from "./record-agent.js";
import { recordAgent } from "./record-agent.js";

type Options = Record<string, unknown>;

/** An adapter that makes recording agents. */
export interface RecordingAdapter extends AdapterDefinition<Options> {
  /** What every agent was made of, in order, and the agent. */
  readonly created: readonly {
    readonly options: Readonly<Options>;
    readonly environment: AdapterEnvironment;
    readonly agent: RecordingAgent;
  }[];
}

/** Makes an adapter that takes any options. Its agents reply as those of `recordAgent`; default `ok`. */
export function recordAdapter(
  type: string,
  replies: readonly (string | AgentReply)[] | AgentFunction = ["ok"],
): RecordingAdapter {
  const created: RecordingAdapter["created"][number][] = [];
  return {
    type,
    schema: z.looseObject({}),
    created,
    create(options, environment) {
      const agent = recordAgent(replies);
      created.push({ options: copy(options), environment, agent });
      return agent;
    },
  };
}
