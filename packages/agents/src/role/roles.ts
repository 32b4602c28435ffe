import type { Role } from "@turnwise/core";
import { AuthorError, defineAdapter, roles } from "@turnwise/core";
import { roleOf } from "./briefing.js";
import type { RoleOptions } from "./options.js";
import { missingToPlay, roleSchema } from "./options.js";

/** `{ type: "simulator" }`, `{ type: "validator" }`, `{ type: "generator" }`: a model that plays the role. */
export const roleAdapters = roles.map(roleAdapter);

/** The agents `turnwise.simulator`, `turnwise.validator` and `turnwise.generator`. */
export const roleAgents = Object.fromEntries(
  roles.map((role) => [`turnwise.${role}`, { type: role }]),
);

function roleAdapter(role: Role) {
  return defineAdapter<RoleOptions>({
    type: role,
    schema: roleSchema,
    connects: missingToPlay,
    async create({ prompts, ...options }, environment) {
      const { OpenAiAgent } = await import("../adapter/openai/openai-agent.js");
      const path = prompts?.system;
      const agent = new OpenAiAgent(
        options,
        environment,
        path === undefined ? undefined : { role, path },
      );
      return {
        respond(request) {
          if (roleOf(request) === role) return agent.respond(request);
          throw new AuthorError(
            `the agent "${environment.id}" is of the type "${role}", and can only be asked as a ${role}`,
          );
        },
        close: (sessionId) => agent.close(sessionId),
        release: () => agent.release(),
      };
    },
  });
}
